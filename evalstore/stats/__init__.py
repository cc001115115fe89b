"""Statistics of comparisons: arrays in, numbers and named tuples out. NumPy alone.

`a` is the baseline and `b` the run, float64, one value a query, aligned by query; differences are
b - a. Tables are queries x runs. Every p is two-sided. NaN is refused. Functions with random
numbers take a seed, and the same seed gives the same result.
"""

from evalstore.stats.aggregates import AggregateDifference, aggregate_differences
from evalstore.stats.agreement import (
    ListAgreement,
    agreement_of_lists,
    kendall_tau_b,
    overlap,
    rbo,
    rbo_to_depth,
    tau_ap,
    tau_union,
)
from evalstore.stats.corrections import (
    benjamini_hochberg,
    bonferroni,
    holm,
    max_t,
    online_level,
    tukey_anova,
    tukey_randomized,
)
from evalstore.stats.grades import (
    Favour,
    bootstrap_intervals,
    cohen_kappa,
    group_favour,
    krippendorff_alpha,
)
from evalstore.stats.intervals import (
    Interval,
    Outcomes,
    bca_interval,
    cohens_dz,
    mean_interval,
    probability_of_superiority,
    proportion_interval,
    standardised_mean_difference,
    t_interval,
    value_interval,
    wins_ties_losses,
)
from evalstore.stats.paired import (
    PairedTest,
    PairedTests,
    Pairs,
    p_matrix,
    paired_t,
    paired_t_all,
    pairs,
    randomization,
    randomization_all,
    sign,
    sign_all,
    wilcoxon,
    wilcoxon_all,
)
from evalstore.stats.power import (
    DiscriminativePower,
    bootstrap_levels,
    detectable_difference,
    discriminative_power,
    queries_needed,
)
from evalstore.stats.prediction_powered import Estimate, ppi_difference, ppi_mean
from evalstore.stats.ranks import (
    RankIntervals,
    expected_maximum,
    luck_of_best,
    rank_groups,
    rank_intervals_from_pairs,
)
from evalstore.stats.reproduction import (
    UnpairedTest,
    delta_relative_improvement,
    effect_ratio,
    nrmse,
    rmse,
    unpaired_t,
)

__all__ = [
    "AggregateDifference", "DiscriminativePower", "Estimate", "Favour", "Interval",
    "ListAgreement", "Outcomes", "PairedTest", "PairedTests", "Pairs", "RankIntervals",
    "UnpairedTest", "aggregate_differences", "agreement_of_lists", "bca_interval",
    "benjamini_hochberg", "bonferroni", "bootstrap_intervals", "bootstrap_levels",
    "cohen_kappa", "cohens_dz", "delta_relative_improvement", "detectable_difference",
    "discriminative_power", "effect_ratio", "expected_maximum", "group_favour", "holm",
    "kendall_tau_b", "krippendorff_alpha", "luck_of_best", "max_t", "mean_interval", "nrmse",
    "online_level", "overlap", "p_matrix", "paired_t", "paired_t_all", "pairs",
    "ppi_difference", "ppi_mean", "probability_of_superiority", "proportion_interval",
    "queries_needed", "randomization", "randomization_all", "rank_groups",
    "rank_intervals_from_pairs", "rbo", "rbo_to_depth", "rmse", "sign", "sign_all",
    "standardised_mean_difference", "t_interval", "tau_ap", "tau_union", "tukey_anova",
    "tukey_randomized", "unpaired_t", "value_interval", "wilcoxon", "wilcoxon_all",
    "wins_ties_losses",
]  # fmt: skip
