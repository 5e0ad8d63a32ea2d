"""Store the gradients of the whole table: `python record_gradients.py FILE`."""

from __future__ import annotations

import pickle
import sys
import warnings
from pathlib import Path

Key = tuple[str, str]


def record() -> dict[Key, list[object]]:
    """Return gradients by (operator title, dtype), for float64 and complex128 if in the table."""
    from samples import TABLE, gradient

    results: dict[Key, list[object]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for operator in TABLE:
            for dtype in ("float64", "complex128"):
                if dtype in operator.dtypes and not operator.random:
                    samples = operator.make(dtype)
                    results[operator.title, dtype] = [gradient.run(operator, s) for s in samples]
    return results


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    Path(sys.argv[1]).write_bytes(pickle.dumps(record()))
