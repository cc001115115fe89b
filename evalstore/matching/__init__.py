"""The join of a run and a qrels: which retrieved documents are judged, and at which rank.

Only this package compares the document ids of both; measures work on numbers.
"""

from evalstore.matching.extras import Extras
from evalstore.matching.join import numbers_among
from evalstore.matching.run_and_qrels import check_shared_queries, match, pool_of

__all__ = ["Extras", "check_shared_queries", "match", "numbers_among", "pool_of"]
