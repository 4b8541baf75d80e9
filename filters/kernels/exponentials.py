"""exp and log of arrays with the same bits on every processor.

NumPy's own differ in the last bit between processors, exp in one number of twenty. Here they are made of
sums, products and quotients, which all processors round alike.
"""

import math

import numpy as np

_LN2_HIGH = 0.693147180369123816490  # of which a product with a whole number up to 2,000 is exact
_LN2_LOW = 1.90821492927058770002e-10


def exp(x: np.ndarray) -> np.ndarray:
    """e to the power of each number, float64.

    >>> exp(np.array([0.0, -1.0, -1e9])).tolist()
    [1.0, 0.36787944117144233, 0.0]
    """
    x = np.clip(x, -1_000.0, 1_000.0)
    twos = np.rint(x / math.log(2))
    rest = (x - twos * _LN2_HIGH) - twos * _LN2_LOW  # within ± 0.35
    series = np.ones_like(rest)
    for n in range(14, 0, -1):  # Horner's scheme
        series = 1.0 + series * rest / n
    with np.errstate(over="ignore"):
        return np.ldexp(series, twos.astype(np.int32))


def log(x: np.ndarray) -> np.ndarray:
    """The natural logarithm of each number above 0, float64.

    >>> log(np.array([1.0, 2.0, 10.0, 1e-3])).tolist()
    [0.0, 0.6931471805599453, 2.302585092994046, -6.907755278982137]
    """
    fractions, twos = np.frexp(x)
    is_small = fractions < math.sqrt(0.5)
    fractions = np.where(is_small, 2 * fractions, fractions)
    twos = twos - is_small
    ratio = (fractions - 1) / (fractions + 1)  # ln f = 2 artanh of it
    square = ratio * ratio
    series = np.zeros_like(ratio)
    for n in range(25, 1, -2):
        series = (series + 1 / n) * square
    return twos * _LN2_HIGH + (2 * ratio + (2 * ratio * series + twos * _LN2_LOW))
