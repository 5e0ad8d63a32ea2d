"""The worker of peer.py: runs in either interpreter, and answers with JSON on standard output."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import timeit
from typing import Any

UNROLL = 10  # calls per loop iteration, so that the loop's own cost is negligible


class Bench:
    """The current row: its compiled loop and the number of iterations."""

    def __init__(self, setup: str, call: str, threads: int, milliseconds: float) -> None:
        import torch

        torch.set_num_threads(threads)
        torch.manual_seed(0)
        names: dict[str, Any] = {"torch": torch}
        exec(setup, names)
        start = time.perf_counter()
        exec(call, names)
        exec(call, names)
        once = (time.perf_counter() - start) / 2
        self.call, self.names = call, names
        self.unroll = UNROLL if once < 1e-4 else 1
        self.timer = timeit.Timer("\n".join([call] * self.unroll), globals=names)
        number = 1
        while (spent := self.timer.timeit(number)) < milliseconds / 2000 and number < 1_000_000:
            number *= 2
        self.number = max(1, round(number * milliseconds / 1000 / max(spent, 1e-9)))

    def time(self) -> float:
        """Return the nanoseconds of one call, averaged over one burst."""
        return self.timer.timeit(self.number) / (self.number * self.unroll) * 1e9


def version() -> dict[str, Any]:
    """Return the versions on this side."""
    import torch

    return {"version": torch.__version__, "file": torch.__file__}


def main() -> None:
    """Serve requests until standard input ends; send torch's own output to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    gc.disable()
    bench: Bench | None = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            match request.pop("do"):
                case "version":
                    answer = version()
                case "prepare":
                    bench = None  # free the last row's tensors before creating the next ones
                    gc.collect()
                    bench = Bench(**request)
                    answer = {}
                case "time":
                    assert bench is not None
                    answer = {"nanoseconds": bench.time()}
                case "work":
                    from row_work import row_work

                    assert bench is not None
                    answer = row_work(bench.call, bench.names)
                case other:
                    answer = {"error": f"unknown request {other!r}"}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"}
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
