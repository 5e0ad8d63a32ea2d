"""`explain rebuild [NAME]`: which input makes what run again, what changed in it, and since when."""

from __future__ import annotations

import errno
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..errors import usage_error
from ..reporting.inputs import Change
from ..suggest import did_you_mean
from ..tree.lock import BuildLock, command_line
from .file import Generators, explain_file
from .moments import since
from .names import files_named, known_outputs, outputs_named, shown
from .outlook import Outlook, look_ahead
from .question import Question
from .readers import Readers
from .target import explain_outputs
from .wording import seconds, what_changed, work

_OF_FILE_LISTS = (Change.ADDED, Change.REMOVED)
_MOST = 12
_SHOWN_TARGETS = 4
_BY_TIMES = "`setup.py develop` would do nothing, since no byte changed. Ninja alone goes by times."


def explain_rebuild(question: Question) -> str:
    """The answer as text; with words, about these targets and files only."""
    build_dir = question.build_dir
    if not (build_dir / "build.ninja").exists():
        return f"everything: nothing was built in {build_dir} yet"
    with _undisturbed(build_dir):
        outlook = look_ahead(question)
        now = time.time()
        if not question.words:
            return "\n".join(_whole(outlook, now))
        answers = ("\n".join(_one(outlook, word, now)) for word in question.words)
        said = [_BY_TIMES] if outlook.as_left and outlook.out_of_date.commands else []
        return "\n\n".join([*said, *answers])


@contextmanager
def _undisturbed(build_dir: Path) -> Iterator[None]:
    """While nobody builds: a log that is being written reads as damaged."""
    with ExitStack() as stack:
        try:
            stack.enter_context(BuildLock(str(build_dir), command_line()))
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES):
                raise  # where nothing can be written, nobody builds
        yield


def _one(outlook: Outlook, word: str, now: float) -> Iterator[str]:
    """By whatever name a person may have for it. Raises BuildError when nothing has that name."""
    if outputs := outputs_named(outlook, word):
        yield from explain_outputs(outlook, outputs, now)
        return
    readers, generators = Readers.ask(outlook), Generators.of(outlook)
    known = dict.fromkeys((*readers.of, *generators.makers, *generators.readers))
    files = files_named(outlook, word, known)
    if not files:
        names = {Path(shown(output).split(" ")[0]).name for output in known_outputs(outlook)}
        names |= {Path(path).name for path in known}
        raise usage_error(
            f"no command makes or reads {word!r}{did_you_mean(word, names, 3)}",
            hint="name a library, an object file, a source or a header",
        )
    for path in files:
        yield from explain_file(outlook, readers, generators, path, now)


def _whole(outlook: Outlook, now: float) -> Iterator[str]:
    yield from _changes(outlook, now)
    yield ""
    commands = outlook.out_of_date.commands
    came_or_went = [c.path for c in outlook.changed_inputs if c.change in _OF_FILE_LISTS]
    if not (outlook.stages or outlook.configured or commands or came_or_went):
        yield "A build now would find nothing to do."
        return
    yield f"{_BY_TIMES} It would" if outlook.as_left else "A build now would"
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for stage, reason in outlook.stages.items():
        by_reason[reason].append(stage)
    for reason, stages in by_reason.items():
        yield f"  generate code ({', '.join(stages)}), because {reason}"
    if outlook.configured:
        yield f"  configure, because of {outlook.configured}"
    if came_or_went:
        yield f"  have CMake look for sources again, because {came_or_went[0]} came or went"
    if commands:
        yield from _commands(outlook, commands)
    if outlook.stages or outlook.configured or came_or_went:
        yield "  and then whatever that changes"


def _changes(outlook: Outlook, now: float) -> Iterator[str]:
    if not outlook.last.began:
        yield "No build of this tree has ended well yet."
        return
    yield f"Since the last build that ended well ({since(outlook.last.began, now)}):"
    rows = [
        (change.now.option.name, str(change).partition(": ")[2])
        for change in outlook.changed_options
    ]
    rows += [(change.path, what_changed(change, now)) for change in outlook.changed_inputs]
    width = max((len(name) for name, _ in rows[:_MOST]), default=0)
    for name, what in rows[:_MOST]:
        yield f"  {name:<{width}}  {what}"
    if len(rows) > _MOST:
        yield f"  and {len(rows) - _MOST} more"
    if not rows:
        yield "  no option and no input changed"


def _commands(outlook: Outlook, commands: list[str]) -> Iterator[str]:
    """Grouped by first cause, the dearest first by what the commands took last."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for output in commands:
        groups[outlook.wording.cause(outlook.out_of_date, output)].append(output)
    yield f"  run {work(outlook, commands)}"
    for cause, outputs in sorted(groups.items(), key=lambda group: -seconds(outlook, group[1])):
        yield f"    {len(outputs)} because {cause}"
        yield from (f"        {shown(output)}" for output in outputs[::-1][:_SHOWN_TARGETS])
        if len(outputs) > _SHOWN_TARGETS:
            yield f"        and {len(outputs) - _SHOWN_TARGETS} more"
