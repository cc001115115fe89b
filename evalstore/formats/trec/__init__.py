"""Files of TREC: runs, judgments, topics and what trec_eval prints, parsed fast."""
