"""Build with Ninja, and retry failed commands in another way before the build fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tools.base.errors import BuildError

from . import mitigation
from .failures import Diagnosis, Remedy
from .run import Ninja, Retry


@dataclass
class NinjaFailed(BuildError):
    """A command of the graph failed and no retry helped."""

    diagnosis: Diagnosis | None = None

    def facts(self) -> dict[str, Any]:
        return self.diagnosis.to_json() if self.diagnosis else {}


class RetryFailed(Exception):
    """The last attempt failed too; carries its diagnosis."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.diagnosis = diagnosis


def build(ninja: Ninja, targets: list[str], jobs: int | None) -> None:
    """Build the targets.

    Raises:
        BuildError: With the first failure that has no remedy.
    """
    context = ninja.context
    try:
        mitigation.lift_outdated(ninja.program, context.build_dir, context.environ)
        if failed := ninja.make(targets, jobs):
            remedy_all(ninja, targets, jobs, failed)
    except KeyboardInterrupt as interrupt:
        if ninja.steps:
            interrupt.args = (*interrupt.args, f"{len(ninja.steps)} finished steps are kept")
        raise
    finally:
        ninja.close()


def remedy_all(ninja: Ninja, targets: list[str], jobs: int | None, failed: list[Diagnosis]) -> None:
    """Retry until the targets are built.

    Raises:
        NinjaFailed: A failure has no remedy; the error describes the first such failure.
    """
    tried: set[str] = set()
    while failed:
        for failure in failed:
            if failure.output in tried or not can_retry(ninja, failure):
                raise _error(ninja, failure)
        for failure in failed:
            tried.add(failure.output)
            ninja.progress.line(f"{failure.name}: {failure.cause}; retrying")
            try:
                ninja.retries.append(retry(ninja, failure))
            except RetryFailed as error:
                raise _error(ninja, error.diagnosis) from error
        if any(failure.remedy is Remedy.ALONE for failure in failed):
            jobs = max(1, (jobs or ninja.context.jobs) // 2)
        failed = ninja.make(targets, jobs)


def _error(ninja: Ninja, failed: Diagnosis) -> NinjaFailed:
    message = f"building {failed.name} failed" if failed.command else "the build failed"
    return NinjaFailed(
        message,
        cause=failed.render(),
        hint=failed.hint,
        log=ninja.log.shown(ninja.context.root),
        diagnosis=failed,
    )


def can_retry(ninja: Ninja, failed: Diagnosis) -> bool:
    """Return whether there is a way to retry the command; a failure of Ninja itself has none."""
    if not failed.output:
        return False
    if failed.remedy is Remedy.MITIGATE:
        return bool(mitigation.mitigations(ninja.context.build_dir, failed.output))
    return failed.remedy is Remedy.ALONE


def retry(ninja: Ninja, failed: Diagnosis) -> Retry:
    """Build the output in another way.

    Raises:
        RetryFailed: The retries failed too.
    """
    how = _REMEDIES[failed.remedy](ninja, failed)
    memory = ninja.memory.get(failed.output, 0)
    return Retry(failed.output, failed.name, failed.cause, how, memory)


def _alone(ninja: Ninja, failed: Diagnosis) -> str:
    how = "alone"
    if again := ninja.make([failed.output], 1):
        raise _retry_failed(failed, again[0], how)
    return how


def _mitigated(ninja: Ninja, failed: Diagnosis) -> str:
    again, how = [failed], ""
    for step in mitigation.mitigations(ninja.context.build_dir, failed.output):
        how = step.how
        mitigation.apply(ninja.context.build_dir, failed.output, step)
        again = ninja.make([failed.output], 1)
        if not again:
            return how
        mitigation.lift(ninja.context.build_dir, failed.output)
    raise _retry_failed(failed, again[0], how)


def _retry_failed(first: Diagnosis, last: Diagnosis, how: str) -> RetryFailed:
    """Return the last failure; mention the retry if it failed for the same cause."""
    same = first.cause_id == last.cause_id
    return RetryFailed(last.with_cause(f"{last.cause} (also {how})") if same else last)


_REMEDIES: dict[Remedy, Callable[[Ninja, Diagnosis], str]] = {
    Remedy.ALONE: _alone,
    Remedy.MITIGATE: _mitigated,
}
