"""The accuracy of the forecast of the remaining time, tested with a recorded build."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tools.insight.terminal.tally import Forecast, Tally, as_multiples, cost_of, forecast_of
from tools.setup_helpers.table.config_reader import load

from .fixture_project import ROOT, Project

JOBS = 2


class Step(NamedTuple):
    """A step of the recorded build; times are seconds since the build began."""

    start: float
    end: float
    source_bytes: int
    output: str

    @property
    def text(self) -> str:
        kind = "Building CXX object" if self.output.endswith(".o") else "Linking CXX shared library"
        return f"{kind} {self.output}"


def recorded() -> list[Step]:
    lines = Path(__file__).with_name("recorded_build.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [Step(int(a) / 1000, int(b) / 1000, int(size), path) for a, b, size, path in rows]


STEPS = recorded()
TIMES = {step.output: step.end - step.start for step in STEPS}
LENGTH = max(step.end for step in STEPS)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def forecast_lengths(seconds: Mapping[str, float], slower: float = 1.0) -> list[float]:
    """Return the predicted total after each step but the first tenth, relative to the true total."""
    relative = {row.name: row.relative_cost for row in load(ROOT).libraries}
    unknown = [step for step in STEPS if step.output not in seconds]
    costs = as_multiples(
        {step.output: cost_of(step.output, step.source_bytes, relative) for step in unknown}
    )
    clock = Clock()
    tally = Tally(Forecast(seconds, [step.text for step in STEPS], JOBS, costs), clock)
    events = [(step.end, 0, step) for step in STEPS] + [(step.start, 1, step) for step in STEPS]
    done, forecasts = 0, []
    for when, begins, step in sorted(events):
        clock.now = when * slower
        if begins:
            tally.started(step.text)
            continue
        done += 1
        tally.ended(done, len(STEPS), step.text)
        if done >= len(STEPS) / 10:
            left = tally.remaining()
            assert left is not None
            forecasts.append((clock.now + left) / (LENGTH * slower))
    return forecasts


def with_noise(spread: float) -> dict[str, float]:
    chosen = random.Random(1)
    return {path: taken * math.exp(chosen.gauss(0, spread)) for path, taken in TIMES.items()}


def some_of(share: float) -> dict[str, float]:
    chosen = random.Random(2)
    return {path: taken for path, taken in TIMES.items() if chosen.random() < share}


@pytest.mark.parametrize("slower", [1.0, 0.05, 3.0], ids=["same", "faster", "slower"])
def test_a_first_build_is_forecast_within_a_fifth(slower: float) -> None:
    forecasts = forecast_lengths({}, slower)
    assert min(forecasts) > 0.8 and max(forecasts) < 1.2
    assert max(forecasts) / min(forecasts) < 1.3


@pytest.mark.parametrize(
    ("seconds", "slower", "exact"),
    [
        (TIMES, 1.0, 0.02),
        (TIMES, 3.0, 0.05),
        (TIMES, 0.05, 0.1),
        (with_noise(0.3), 1.0, 0.1),
        (some_of(0.7), 1.0, 0.1),
        (some_of(0.05), 1.0, 0.2),
    ],
    ids=["as-last-time", "slower", "faster", "noisy", "a-third-is-new", "most-is-new"],
)
def test_a_build_with_a_log_is_forecast(
    seconds: Mapping[str, float], slower: float, exact: float
) -> None:
    forecasts = forecast_lengths(seconds, slower)
    assert 1 - exact < min(forecasts) and max(forecasts) < 1 + exact, (
        min(forecasts),
        max(forecasts),
    )


def test_cost_of_a_new_file_follows_from_its_source_and_library(developed: Project) -> None:
    developed.edit(
        "build_config.toml", 'name = "tiny_words"', 'name = "tiny_words"\nrelative_cost = 3.0'
    )
    objects = [f"CMakeFiles/tiny_words.dir/src/{name}.c.o" for name in ("small", "large")]
    other = "CMakeFiles/tiny_say.dir/src/small.c.o"
    (developed.root / "src/small.c").write_text("/**/\n")
    (developed.root / "src/large.c").write_text("/**/\n" * 10_000)
    steps = [f"Building C object {path}" for path in (*objects, other)]
    forecast = forecast_of(load(developed.root), developed.root / "build", steps, JOBS)
    small, large, elsewhere = (forecast.costs[path] for path in (*objects, other))
    assert small == pytest.approx(3 * elsewhere) and large > 1.5 * small
    assert forecast.seconds and not forecast.costs.keys() & forecast.seconds.keys()
