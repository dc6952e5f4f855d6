"""By how much results vary beyond independent episodes: because episodes of one result share deals and random streams,
or because no ratings explain who beats whom.

Leaves out what is done with it (`ratings`).
"""

from __future__ import annotations

import numpy as np

from populations.davidson import Episodes, Fit, Moments, difference_variance

_NO_DEPENDENCE = 1.0  # variance of scores, that of four even episodes, taken to have shown independence beforehand


def dispersion(episodes: Episodes, fitted: Fit) -> float:
    """Return by how much the variance of scores exceeds that of independent episodes, 1 where it does not.

    episodes: a row for each set of episodes that may depend on one another. With residuals e of the episodes' scores
    under `fitted` (made with weight 1 and a prior too wide to bend it), those of a row are correlated by the mean of
    e_g e_h over its pairs g != h, so the variance of a row's score is larger by that sum. Both are added up over rows,
    as a clustered sandwich estimate of the ratings' variance would (Liang and Zeger 1986), and divided by what it is
    expected to be, plus a little so that data which hardly vary give 1:

        1 + sum[(sum_g e_g)^2 - sum_g e_g^2 + (n - 1) v h] / (1 + sum[n v (1 - h)])

    v: the variance of one episode's score; h: the row's leverage, the share of its residual that the fit has taken up.
    Rows of a single episode say nothing about dependence, and add nothing to the numerator. Where no residual degree of
    freedom is left, as between two players, the data cannot tell and the answer is 1.
    """
    difference, total = fitted.differences(episodes), episodes.total
    moments = Moments.of(difference, fitted.draw)
    spread = total * moments.score_variance
    residual = (episodes.wins - episodes.losses) / 2.0 - total * moments.score
    squares = (
        episodes.wins * (0.5 - moments.score) ** 2
        + episodes.draws * moments.score**2
        + episodes.losses * (0.5 + moments.score) ** 2
    )
    leverage = np.minimum(spread * difference_variance(episodes, fitted.covariance), 1.0)
    if (1.0 - leverage)[total > 1.0].sum() < 1.0:
        return 1.0
    excess = residual**2 - squares + (1.0 - 1.0 / total) * spread * leverage
    return max(1.0, 1.0 + float(excess.sum() / (_NO_DEPENDENCE + (spread * (1.0 - leverage)).sum())))


def dependence(episodes: Episodes, players: int) -> float:
    """Return the same within pairs: about each pair's own mean in its seats, so that no model has a part in it.

    episodes: a row for each set of episodes that may depend on one another. Where ratings miss who beats whom, as in
    rock-paper-scissors, `dispersion` counts that too; this doesn't, and is what an interval of a win rate asks for:
    episodes / dependence is how many independent ones say as much (the design effect, Kish 1965, section 5.4).

        1 + sum[(s - n m)^2 - n v (1 - n / N)] / (1 + sum[n v (1 - n / N)])

    over rows of n episodes with score s, of pairs with N episodes in these seats, mean score m and variance v of one
    episode, N / (N - 1) times what is seen; at least 1. Where no pair has two rows, it can't be told and is 1.
    """
    _, pair = np.unique(episodes.lower * players + episodes.upper, return_inverse=True)
    n, score = episodes.total, episodes.wins + episodes.draws / 2.0
    of_pair = np.bincount(pair, n)
    mean = np.bincount(pair, score) / of_pair
    squares = np.bincount(pair, episodes.wins + episodes.draws / 4.0)
    variance = (squares - of_pair * mean**2) / np.maximum(of_pair - 1.0, 1.0)
    expected = (n * variance[pair] * (1.0 - n / of_pair[pair])).sum()
    seen = ((score - n * mean[pair]) ** 2).sum()
    return max(1.0, 1.0 + float((seen - expected) / (_NO_DEPENDENCE + expected)))
