"""What a build tries by itself: one failed command run again in another way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import mitigation
from .causes import Remedy
from .diagnosis import Diagnosis

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


class RetryFailed(Exception):
    """The last attempt's own failure."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.diagnosis = diagnosis


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
