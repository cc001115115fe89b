"""The join of a run and a qrels: which retrieved documents are judged, and at which rank.

Only this package compares the document ids of both; measures work on numbers.
"""

from evalstore.measures.extras import Extras
from evalstore.measures.join import check_shared_queries, match, pool_of
from evalstore.measures.join_part import numbers_among

__all__ = ["Extras", "check_shared_queries", "match", "numbers_among", "pool_of"]
