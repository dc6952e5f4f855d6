"""Random draws that are the same on every platform and in every version of numpy.

Left out: what is drawn (`parameters`, `families`).
"""

import math
from collections.abc import Callable

import numpy as np


def uniforms(seed: int) -> Callable[[], float]:
    """Numbers in [0, 1) that depend on nothing but the seed: numpy keeps PCG64's raw bits the same."""
    bits = np.random.PCG64(seed)
    return lambda: (int(bits.random_raw()) >> 11) * 2.0**-53


def dirichlet(source: Callable[[], float], alpha: float, size: int, decimals: int = 6) -> list[float]:
    """Draw from the symmetric Dirichlet(alpha), rounded so that the `size` numbers still sum to 1.

    source: uniform numbers in [0, 1). Normalised gamma variates, kept as logarithms, since small alphas
    underflow; the rounding (largest remainders) takes away what differs between platforms.
    """
    logarithms = [_log_gamma_variate(source, alpha) for _ in range(size)]
    weights = [math.exp(logarithm - max(logarithms)) for logarithm in logarithms]
    scaled = [weight / sum(weights) * 10**decimals for weight in weights]
    whole = [math.floor(part) for part in scaled]
    by_remainder = sorted(range(size), key=lambda index: whole[index] - scaled[index])
    for index in by_remainder[: 10**decimals - sum(whole)]:
        whole[index] += 1
    return [part / 10**decimals for part in whole]


def _log_gamma_variate(source: Callable[[], float], shape: float) -> float:
    """Logarithm of a Gamma(shape, 1) variate (Marsaglia and Tsang 2000, with their boost by U^(1/shape))."""
    d = shape + 1.0 - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    boost = math.log(1.0 - source()) / shape
    while True:
        radius = math.sqrt(-2.0 * math.log(1.0 - source()))
        normal = radius * math.cos(2.0 * math.pi * source())
        cube = (1.0 + c * normal) ** 3
        if cube > 0 and math.log(1.0 - source()) < 0.5 * normal**2 + d - d * cube + d * math.log(cube):
            return math.log(d * cube) + boost
