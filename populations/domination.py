"""Who beats whom in circles: the cycles that make a population's strength more than one number.

Leaves out how strongly a cycle turns, and where the payoffs come from (`metagame`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from populations import arrays


def cycles(payoff: ArrayLike, margin: ArrayLike = 0.0) -> tuple[tuple[int, ...], ...]:
    """Return the sets of members that all beat one another, directly or through others, each sorted, in order.

    payoff: [N, N], what the row wins of the column. margin: what it takes to beat someone, payoff > margin; one number
    from 0, or [N, N], such as the half-widths of the payoffs' intervals, so that luck is no cycle. These are the
    strongly connected components with more than one member of the graph of who beats whom (Tarjan 1972): a
    transitive ladder has none, rock-paper-scissors has one of three. ValueError for a matrix that is not square or
    not finite, or a margin of another shape or below 0.
    """
    matrix = arrays.square(payoff)
    needed = np.asarray(margin, dtype=np.float64)
    if needed.shape not in ((), matrix.shape) or not (needed >= 0.0).all():
        raise ValueError(f"margin: got shape {needed.shape}, expected one number from 0 up, or {matrix.shape} of them")
    reached = (matrix > needed) | np.eye(len(matrix), dtype=bool)
    while True:  # squaring doubles the length of the paths; float32 because products of booleans aren't fast
        further = reached.astype(np.float32) @ reached.astype(np.float32) > 0.0
        if (further == reached).all():
            break
        reached = further
    mutual = reached & reached.T
    components = {tuple(np.flatnonzero(row).tolist()) for row in mutual}
    return tuple(sorted(members for members in components if len(members) > 1))
