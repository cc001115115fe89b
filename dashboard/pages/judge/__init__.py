"""The Judge page: drafts of judgments, and the documents that assessors judge."""
