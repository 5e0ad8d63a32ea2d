"""`setup.py explain TOPIC ...`: the front end's own topics and those of the table.

Each is answered by the function that its row names.
"""

from __future__ import annotations

from ..entry_points import call
from ..errors import usage_error
from ..suggest import did_you_mean
from ..table.config import Config, Topic
from .question import Question

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
        "[NAME ...]",
        "what a build would do now; why a target would be made again; what a file's change costs",
    ),
    Topic(
        "failure",
        "tools.setup_helpers.failure.explain:explain_failure",
        help="why the last failed build failed",
    ),
)


def explain(topic_name: str, question: Question) -> str:
    """The answer.

    A function of the front end's own gets the question; one of the table, which knows nothing of
    this package, the source root, the build directory and the words.
    """
    config = question.config
    topics = {topic.name: topic for topic in (*BUILT_IN, *config.topics)}
    topic = topics.get(topic_name)
    if topic is None:
        message = f"nothing to explain of {topic_name!r}{did_you_mean(topic_name, topics, 3)}"
        raise usage_error(message, cause=list_topics(config))
    whole = (config.root, question.build_dir, list(question.words))
    arguments = (question,) if topic in BUILT_IN else whole
    return str(call(f"explain {topic.name}", topic.entry, *arguments))


def list_topics(config: Config) -> str:
    """Each with what it takes and what it tells."""
    rows = [(f"explain {t.name} {t.argument}", t.help) for t in (*BUILT_IN, *config.topics)]
    width = max((len(usage) for usage, _ in rows), default=0)
    return "\n".join(f"{usage:<{width}}  {help}" for usage, help in rows)
