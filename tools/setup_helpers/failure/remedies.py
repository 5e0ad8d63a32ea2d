"""What a build tries by itself when commands failed: each run again, in another way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import BuildError
from . import mitigation
from .causes import Remedy
from .diagnosis import Diagnosis, render

if TYPE_CHECKING:
    from ..graph.ninja import Ninja


@dataclass(frozen=True)
class Retry:
    """A command that failed and was made to succeed."""

    output: str
    name: str
    cause: str
    how: str
    memory_mb: int = 0
    """What it took; 0 when it was over too soon to be measured."""

    @property
    def text(self) -> str:
        """For the screen."""
        took = f" ({self.memory_mb} MiB)" if self.memory_mb else ""
        return f"{self.name}: {self.cause}; made {self.how}{took}"


@dataclass
class NinjaFailed(BuildError):
    """A command of the graph failed and could not be helped."""

    diagnosis: Diagnosis | None = None

    def facts(self) -> dict[str, Any]:
        return self.diagnosis.to_json() if self.diagnosis else {}


class RetryFailed(Exception):
    """The last attempt's own failure."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.diagnosis = diagnosis


def remedy_all(ninja: Ninja, targets: list[str], jobs: int | None, failed: list[Diagnosis]) -> None:
    """Goes on until the targets are made; raises NinjaFailed with the first failure that has no remedy."""
    tried: set[str] = set()
    while failed:
        for failure in failed:
            if failure.output in tried or not can_retry(ninja, failure):
                raise _error(ninja, failure)
        for failure in failed:
            tried.add(failure.output)
            ninja.progress.line(f"{failure.name}: {failure.cause}; trying again")
            try:
                ninja.retries.append(retry(ninja, failure))
            except RetryFailed as error:
                raise _error(ninja, error.diagnosis) from error
        if any(failure.remedy is Remedy.ALONE for failure in failed):
            jobs = max(1, (jobs or ninja.scene.jobs) // 2)
        failed = ninja.make(targets, jobs)


def _error(ninja: Ninja, failed: Diagnosis) -> NinjaFailed:
    message = f"building {failed.name} failed" if failed.command else "the build failed"
    return NinjaFailed(
        message,
        cause=render(failed),
        hint=failed.hint,
        log=ninja.log.shown(ninja.scene.root),
        diagnosis=failed,
    )


def can_retry(ninja: Ninja, failed: Diagnosis) -> bool:
    """Whether there is anything left to try: for one command, not for Ninja itself."""
    if not failed.output:
        return False
    if failed.remedy is Remedy.MITIGATE:
        return bool(mitigation.mitigations(ninja.scene.build_dir, failed.output))
    return failed.remedy is Remedy.ALONE


def retry(ninja: Ninja, failed: Diagnosis) -> Retry:
    """Makes the output; raises RetryFailed."""
    how = _REMEDIES[failed.remedy](ninja, failed)
    memory = ninja.memory.get(failed.output, 0)
    return Retry(failed.output, failed.name, failed.cause, how, memory)


def _alone(ninja: Ninja, failed: Diagnosis) -> str:
    how = "alone"
    if again := ninja.make([failed.output], 1):
        raise _in_vain(failed, again[0], how)
    return how


def _mitigated(ninja: Ninja, failed: Diagnosis) -> str:
    again, how = [failed], ""
    for step in mitigation.mitigations(ninja.scene.build_dir, failed.output):
        how = step.how
        mitigation.apply(ninja.scene.build_dir, failed.output, step)
        again = ninja.make([failed.output], 1)
        if not again:
            return how
        mitigation.lift(ninja.scene.build_dir, failed.output)
    raise _in_vain(failed, again[0], how)


def _in_vain(first: Diagnosis, last: Diagnosis, how: str) -> RetryFailed:
    """The last failure, which says what was tried when it is the same as the first."""
    same = first.cause_id == last.cause_id
    return RetryFailed(replace(last, cause=f"{last.cause} (also {how})") if same else last)


_REMEDIES: dict[Remedy, Callable[[Ninja, Diagnosis], str]] = {
    Remedy.ALONE: _alone,
    Remedy.MITIGATE: _mitigated,
}
