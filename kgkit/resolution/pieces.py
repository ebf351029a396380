"""Work on many pairs, piece by piece, on all cores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from kgkit.parallel import count_cores

__all__ = ["in_pieces"]

_MOST = 8  # threads; each holds the measures of one piece in memory


def in_pieces(work: Callable[[slice], None], n: int, size: int) -> None:
    """Call a function for each piece of ``n`` things, in threads: it should spend its time in array operations.

    What it writes must depend on the piece alone, so that the number of threads changes nothing.

    Args:
        work: Gets the piece as a slice.
        n: Number of things.
        size: Things in a piece; the last may have fewer.
    """
    pieces = [slice(start, min(n, start + size)) for start in range(0, n, size)]
    workers = min(count_cores(), len(pieces), _MOST)
    if workers < 2:
        for piece in pieces:
            work(piece)
        return
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(work, piece) for piece in pieces]:
            done.result()
