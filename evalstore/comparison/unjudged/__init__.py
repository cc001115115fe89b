"""Unjudged documents: the differences that they leave open, and which of them matter most."""
