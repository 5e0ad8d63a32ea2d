"""Types for annotations of TorchScript; at run time they say nothing."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple  # noqa: UP035 (libraries import these)

List, Optional, Tuple = List, Optional, Tuple  # noqa: UP006


class BroadcastingListCls:
    """Allow `BroadcastingList2[int]` in annotations: an int, or a list of that many.

    Example:
        >>> from torch.jit.annotations import BroadcastingList2
        >>> def pool(size: BroadcastingList2[int]): ...
    """

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()
BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = BroadcastingListCls()
