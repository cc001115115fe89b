"""Facts of runs: parameters and ir_metadata."""
