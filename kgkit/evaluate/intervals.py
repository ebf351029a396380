"""Confidence intervals of shares."""

from __future__ import annotations

from statistics import NormalDist

__all__ = ["wilson"]


def wilson(right: int, n: int, *, confidence: float = 0.95) -> tuple[float | None, float | None]:
    """Give the Wilson score interval of a share (Wilson, 1927); nothing when there is nothing to count.

    Examples:
        >>> [round(limit, 3) for limit in wilson(9, 10)]
        [0.596, 0.982]
    """
    if n == 0:
        return None, None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = right / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)
