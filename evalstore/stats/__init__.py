"""Statistics of comparisons: arrays in, numbers and named tuples out. NumPy and SciPy alone.

`a` is the baseline and `b` the run, float64, one value a query, aligned by query; differences are
b - a. Tables are queries x runs. Every p is two-sided. NaN is refused. What draws random numbers
takes a seed, and the same seed gives the same result. SciPy is imported when a function needs it.
"""

from evalstore.stats.agreement import kendall_tau_b, tau_ap
from evalstore.stats.all_lists import ListAgreement, agreement_of_lists
from evalstore.stats.all_pairs import (
    Pairs,
    p_matrix,
    paired_t_all,
    pairs,
    randomization_all,
    sign_all,
    wilcoxon_all,
)
from evalstore.stats.corrections import benjamini_hochberg, bonferroni, holm
from evalstore.stats.discriminative_power import (
    DiscriminativePower,
    bootstrap_levels,
    discriminative_power,
)
from evalstore.stats.effect_sizes import (
    Outcomes,
    cohens_dz,
    probability_of_superiority,
    standardised_mean_difference,
    wins_ties_losses,
)
from evalstore.stats.intervals import Interval, bca_interval, t_interval
from evalstore.stats.paired import PairedTest, PairedTests, paired_t, sign, wilcoxon
from evalstore.stats.power import detectable_difference, queries_needed
from evalstore.stats.randomization import randomization
from evalstore.stats.rank_biased_overlap import overlap, rbo
from evalstore.stats.rank_groups import rank_groups
from evalstore.stats.rank_intervals import RankIntervals, rank_intervals
from evalstore.stats.tukey import tukey_anova, tukey_randomized

__all__ = [
    "DiscriminativePower",
    "Interval",
    "ListAgreement",
    "Outcomes",
    "PairedTest",
    "PairedTests",
    "Pairs",
    "RankIntervals",
    "agreement_of_lists",
    "bca_interval",
    "benjamini_hochberg",
    "bonferroni",
    "bootstrap_levels",
    "cohens_dz",
    "detectable_difference",
    "discriminative_power",
    "holm",
    "kendall_tau_b",
    "overlap",
    "p_matrix",
    "paired_t",
    "paired_t_all",
    "pairs",
    "probability_of_superiority",
    "queries_needed",
    "randomization",
    "randomization_all",
    "rank_groups",
    "rank_intervals",
    "rbo",
    "sign",
    "sign_all",
    "standardised_mean_difference",
    "t_interval",
    "tau_ap",
    "tukey_anova",
    "tukey_randomized",
    "wilcoxon",
    "wilcoxon_all",
    "wins_ties_losses",
]
