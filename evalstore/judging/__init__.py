"""Judgments that people make: drafts, what is said in them, and the qrels made of them."""
