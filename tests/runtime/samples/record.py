"""Run the whole table and store every outcome: `python record.py FILE`, in either interpreter."""

from __future__ import annotations

import pickle
import sys
import warnings
from pathlib import Path

Key = tuple[str, str]


def record() -> dict[Key, list[object]]:
    """Return outcomes by (operator title, dtype), including the dtypes that must be refused."""
    from samples import ALL, TABLE, outcome

    outcomes: dict[Key, list[object]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for operator in TABLE:
            for dtype in ALL:
                try:
                    inputs = operator.make(dtype)
                except Exception as error:  # the dtype cannot hold these values
                    outcomes[operator.title, dtype] = [repr(type(error))]
                    continue
                outcomes[operator.title, dtype] = [outcome.run(operator, each) for each in inputs]
    return outcomes


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    Path(sys.argv[1]).write_bytes(pickle.dumps(record()))
