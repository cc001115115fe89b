"""The pages as a person sees them: where things stand and how they are used, one module each."""
