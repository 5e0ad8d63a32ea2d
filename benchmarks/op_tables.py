"""The tables of op_bench.py in Markdown."""

from __future__ import annotations

from collections import defaultdict
from math import exp, log

from peer import Timing

Results = list[tuple[str, Timing]]


def geometric_mean(ratios: list[float]) -> float:
    """Return the geometric mean of positive numbers."""
    return exp(sum(map(log, ratios)) / len(ratios))


def by_family(results: Results) -> dict[str, list[Timing]]:
    """Group the rows by family, in order of first occurrence."""
    families: dict[str, list[Timing]] = defaultdict(list)
    for family, timing in results:
        families[family].append(timing)
    return families


def family_table(results: Results) -> str:
    """Return one line per family: the number of rows, their mean ratio, and the worst row."""
    lines = ["| family | rows | mean | worst | slowest row |", "| --- | --- | --- | --- | --- |"]
    for family, timings in by_family(results).items():
        timed = [timing for timing in timings if not timing.error]
        if timed:
            slowest = max(timed, key=lambda timing: timing.ratio)
            mean = geometric_mean([timing.ratio for timing in timed])
            lines.append(
                f"| {family} | {len(timed)} | {mean:.2f} | {slowest.ratio:.2f} |"
                f" `{slowest.row.name}` |"
            )
    return "\n".join(lines)


def step_table(results: Results) -> str:
    """Return one line per model, with the times and their ratio for every thread count."""
    threads = sorted({timing.row.threads for _, timing in results})
    heads = [f"{n} thread{'s' * (n > 1)}: ours, PyTorch's | ratio" for n in threads]
    lines = [f"| step | {' | '.join(heads)} |", "| --- |" + " --- | --- |" * len(threads)]
    for model, timings in by_family(results).items():
        cells = [
            timing.error
            or f"{timing.ours / 1e6:.2f} ms, {timing.theirs / 1e6:.2f} ms | {timing.ratio:.2f}"
            for timing in timings
        ]
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return "\n".join(lines)


def over_budget(results: Results, worst: float) -> list[Timing]:
    """Return the rows above `worst` times PyTorch's time, slowest first."""
    over = [timing for _, timing in results if not timing.error and timing.ratio > worst]
    return sorted(over, key=lambda timing: -timing.ratio)


def verdict(results: Results, worst: float) -> str:
    """Summarise: the mean over all rows, and the names of rows that failed or are over budget."""
    ratios = [timing.ratio for _, timing in results if not timing.error]
    failed = [timing.row.name for _, timing in results if timing.error]
    over = [f"`{t.row.name}` ({t.ratio:.2f})" for t in over_budget(results, worst)]
    mean = f"mean {geometric_mean(ratios):.2f}" if ratios else "none timed"
    text = f"All {len(results)} rows: {mean}; {len(over)} over {worst:.2f}"
    text += f": {', '.join(over)}." if over else "."
    return f"{text} Failed: {', '.join(failed)}." if failed else text


FORMS = {"small": family_table, "large": family_table, "training": step_table}
