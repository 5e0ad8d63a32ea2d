"""`setup.py explain TOPIC ...`: the front end's own topics and those of the table.

Each is answered by the function that its row names.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..entry_points import call
from ..errors import usage_error
from ..suggest import did_you_mean
from ..table.config import Config, Topic

# What the front end knows of any project.
BUILT_IN: tuple[Topic, ...] = (
    Topic(
        "option",
        "tools.setup_helpers.explain.option:explain_option",
        "NAME",
        "an option's value, who chose it, what it needs, and what a change would redo",
    ),
    Topic(
        "rebuild",
        "tools.setup_helpers.explain.rebuild:explain_rebuild",
        "[TARGET]",
        "what a build would do now, or why a target would be made again",
    ),
    Topic(
        "failure",
        "tools.setup_helpers.failure.explain:explain_failure",
        help="why the last failed build failed",
    ),
)


def explain(config: Config, build_dir: Path, words: Sequence[str]) -> str:
    """The answer; the function gets the source root, the build directory and the other words."""
    if not words:
        raise usage_error("explain what?", cause=_topics(config))
    topics = {topic.name: topic for topic in (*BUILT_IN, *config.topics)}
    topic = topics.get(words[0])
    if topic is None:
        message = f"nothing to explain of {words[0]!r}{did_you_mean(words[0], topics, 3)}"
        raise usage_error(message, cause=_topics(config))
    answer = call(f"explain {topic.name}", topic.entry, config.root, build_dir, list(words[1:]))
    return str(answer)


def _topics(config: Config) -> str:
    rows = [(f"explain {t.name} {t.argument}", t.help) for t in (*BUILT_IN, *config.topics)]
    width = max((len(usage) for usage, _ in rows), default=0)
    return "\n".join(f"{usage:<{width}}  {help}" for usage, help in rows)
