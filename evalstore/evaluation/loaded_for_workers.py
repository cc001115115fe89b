"""Load modules once for all processes that read runs, instead of at first use in each."""

from evalstore.evaluation import parallel, prepare  # noqa: F401  (to load them)
from evalstore.formats.registry import folder_formats, own_formats
from evalstore.measures.registry import own_measures

own_formats()
folder_formats()
own_measures()
