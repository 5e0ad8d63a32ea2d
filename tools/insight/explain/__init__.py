"""`setup.py explain TOPIC ...`: the built-in topics and those of the table.

Each topic is answered by the function that its row names.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.base.errors import did_you_mean, usage_error
from tools.setup_helpers.env.options import Options
from tools.setup_helpers.env.request import Request
from tools.setup_helpers.env.resolver import Resolution
from tools.setup_helpers.table.config import Config, Topic
from tools.setup_helpers.table.entry_points import call

# Topics that exist in every project.
BUILT_IN: tuple[Topic, ...] = (
    Topic(
        "option",
        "tools.insight.explain.option:explain_option",
        "NAME",
        "an option's value, where it comes from, what it needs, and what a change would rebuild",
    ),
    Topic(
        "rebuild",
        "tools.insight.explain.rebuild:explain_rebuild",
        "[NAME ...]",
        "what a build would do now, why a target would be rebuilt, or what a change to a file costs",
    ),
    Topic(
        "failure",
        "tools.insight.explain:explain_failure",
        help="why the last build that failed did so",
    ),
    Topic(
        "scaling",
        "tools.insight.explain.scaling:explain_scaling",
        "[--workers N,...]",
        "how long a clean build would take with that many workers for compilations",
    ),
)


def explain(topic_name: str, question: Question) -> str:
    """Return the answer to a question about a topic.

    The function of a built-in topic gets the question. The function of a topic from the table does not
    know this package, so it gets the source root, the build directory and the words.
    """
    config = question.config
    topic = _find_topic(config, topic_name)
    if question.words and not topic.argument:
        raise usage_error(f"explain {topic.name} takes no argument, such as {question.words[0]!r}")
    plain = (config.root, question.build_dir, list(question.words))
    arguments = (question,) if topic in BUILT_IN else plain
    return str(call(f"explain {topic.name}", topic.entry, *arguments))


def topics_of(config: Config) -> tuple[Topic, ...]:
    """Return the topics that exist in every project, then those of the table."""
    return (*BUILT_IN, *config.topics)


def _find_topic(config: Config, name: str) -> Topic:
    topics = {topic.name: topic for topic in topics_of(config)}
    if name not in topics:
        message = f"there is no topic {name!r}{did_you_mean(name, topics, 3)}"
        raise usage_error(message, cause=list_topics(config))
    return topics[name]


def usage_of(config: Config, topic_name: str) -> str:
    """Return the usage and the help of a topic."""
    topic = _find_topic(config, topic_name)
    return f"usage: {f'setup.py explain {topic.name} {topic.argument}'.rstrip()}\n\n{topic.help}"


def list_topics(config: Config) -> str:
    """Return a list of all topics with their usage and help."""
    rows = [(f"explain {t.name} {t.argument}", t.help) for t in topics_of(config)]
    width = max((len(usage) for usage, _ in rows), default=0)
    return "\n".join(f"{usage:<{width}}  {help}" for usage, help in rows)


@dataclass(frozen=True)
class Question:
    """One invocation of `setup.py explain`."""

    config: Config
    request: Request
    resolution: Resolution
    """The options of this shell and this command, even if some requests were refused."""
    build_dir: Path
    words: Sequence[str]
    """The words after the topic."""

    @property
    def options(self) -> Options:
        """The resolved options.

        Raises:
            BuildError: A build with the requested options would not start.
        """
        if self.resolution.error:
            raise self.resolution.error
        return self.resolution.options


def explain_failure(question: Question) -> str:
    """Show the full command and output, which the terminal abbreviated."""
    from tools.setup_helpers.ninja import mitigation
    from tools.setup_helpers.state.logs import recall

    record = recall(question.build_dir)
    lines = _failure(record) if record else ["no build of this tree has failed"]
    for output, made in mitigation.read(question.build_dir).items():
        lines.append(f"{output} is built {made.how}, because the compiler crashed otherwise")
    return "\n".join(lines)


def _failure(record: dict[str, Any]) -> list[str]:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record["time"]))
    lines = [f"{record['message']} ({when}, {record['setup']})"]
    if command := record.get("command"):
        lines += ["", "command:", f"  {command}"]
    if output := record.get("output"):
        lines += ["", "output:", *(f"  {line}" for line in output)]
    if likely := record.get("likely_cause"):
        lines += ["", f"likely cause: {likely}"]
    elif not (command or output) and (cause := record.get("cause")):
        lines += ["", *(f"  {line}" for line in cause.splitlines()), ""]
    if hint := record.get("hint"):
        lines.append(f"what to do: {hint}")
    if log := record.get("log"):
        lines.append(f"log: {log}")
    return lines
