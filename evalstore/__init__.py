"""evalstore: from TREC run files and qrels to a database of per-query measures.

The rooms, left to right as data flows: `evalstore.formats` reads files into arrays,
`evalstore.matching` joins a run to its qrels, `evalstore.measures` computes, `evalstore.store`
keeps, and the use cases (`ingest`, `evaluation`, `browse`, `compare`, ...) are what the command
line, the dashboard and Python users call. Nothing is imported here: each room costs what it needs.
"""

__version__ = "0.1.0"
