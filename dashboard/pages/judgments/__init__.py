"""The Judgments page: two qrels of a collection, and what each makes of its runs."""
