"""The names of torch.distributed under the module by which libraries also import them."""

from __future__ import annotations

from typing import Any

from torch import distributed as _distributed
from torch._absent import refusing as _refusing

globals().update({name: value for name, value in vars(_distributed).items() if name[:1] != "_"})
_WITHOUT = (
    "{name} needs a build of torch.distributed, which does not exist yet; "
    "torch.distributed.is_available() is False"
)
globals().update(
    _refusing(__name__, ("_new_process_group_helper", "rendezvous"), RuntimeError, _WITHOUT)
)


class _World:
    """The process groups of a process; there are none."""

    def __init__(self) -> None:
        self.default_pg = None
        self.pg_map: dict[Any, Any] = {}
        self.pg_names: dict[Any, str] = {}
        self.pg_group_ranks: dict[Any, dict[int, int]] = {}
        self.pg_backend_config: dict[Any, str] = {}
        self.group_count = 0
        self.tags_to_pg: dict[str, list[Any]] = {}
        self.pg_to_tag: dict[Any, str] = {}


_world = _World()
_pg_map, _pg_names, _pg_group_ranks = _world.pg_map, _world.pg_names, _world.pg_group_ranks


def _get_default_group() -> Any:
    """Raise the error of a process without process groups.

    Raises:
        ValueError: Always.
    """
    raise ValueError(
        "Default process group has not been initialized, please make sure to call init_process_group."
    )


def _get_global_rank(group: Any, rank: int) -> int:
    """Return the rank among all processes of a rank in a group; None is the group of all."""
    if group is None:
        return rank
    raise ValueError(
        f"Group {group} is not registered, please create group with torch.distributed.new_group API"
    )


def _rank_not_in_group(group: Any) -> bool:
    """Return False: without groups no process is outside of one."""
    return False


def _resolve_process_group(group_name: str) -> Any:
    """Raise the error of an unknown group.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(
        f"Could not resolve the process group registered under the name {group_name}"
    )
