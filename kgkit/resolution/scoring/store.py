"""A store of what was measured of pairs, so that no pair is measured twice while answers come in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Measured", "Store"]

Measured = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8], npt.NDArray[np.float32]]


class Store:
    """Measures of pairs by their keys. Filling it changes no result, only how soon it is there."""

    def __init__(self) -> None:
        self._keys = np.empty(0, np.int64)
        self._parts: Measured | None = None

    def __len__(self) -> int:
        return len(self._keys)

    def has(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Tell which keys are there."""
        if not len(self._keys):
            return np.zeros(len(keys), bool)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.asarray(self._keys[at] == keys)

    def add(self, keys: npt.NDArray[np.int64], measured: Measured) -> None:
        """Remember measures of pairs; a key given twice has the same measures."""
        keys, first = np.unique(np.concatenate([self._keys, keys]), return_index=True)
        one, two, three = measured
        if self._parts is not None:
            held = self._parts
            one, two = np.concatenate([held[0], one]), np.concatenate([held[1], two])
            three = np.concatenate([held[2], three])
        self._parts = (one[first], two[first], three[first])
        self._keys = keys

    def get(self, keys: npt.NDArray[np.int64]) -> Measured:
        """Give the measures of pairs that are there."""
        assert self._parts is not None
        at = np.searchsorted(self._keys, keys)
        return self._parts[0][at], self._parts[1][at], self._parts[2][at]
