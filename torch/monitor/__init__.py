"""Events of a running program, and statistics that are reported as events.

Example:
    >>> from datetime import timedelta
    >>> from torch import monitor
    >>> stat = monitor.Stat("loss", [monitor.SUM, monitor.MAX], timedelta(hours=1))
    >>> stat.add(1.0)
    >>> stat.add(2.0)
    >>> stat.count
    2
"""

from torch import _C

Aggregation = _C._monitor.Aggregation
Event = _C._monitor.Event
EventHandlerHandle = _C._monitor.EventHandlerHandle
Stat = _C._monitor.Stat
log_event = _C._monitor.log_event
register_event_handler = _C._monitor.register_event_handler
unregister_event_handler = _C._monitor.unregister_event_handler
globals().update(Aggregation.__members__)  # SUM, MEAN, ...

STAT_EVENT = "torch.monitor.Stat"


class data_value_t:
    """The type of the values of an event: a text, a float, an integer or a bool; it has no instances.

    Example:
        >>> isinstance(1, torch.monitor.data_value_t)
        False
    """

    def __new__(cls):
        """Raise TypeError."""
        raise TypeError("torch.monitor.data_value_t: No constructor defined!")


class TensorboardEventHandler:
    """An event handler that writes statistics as scalars to a SummaryWriter.

    Args:
        writer: The SummaryWriter, or another object with its method `add_scalar`.

    Example:
        >>> from torch.utils.tensorboard import SummaryWriter  # doctest: +SKIP
        >>> handler = torch.monitor.TensorboardEventHandler(SummaryWriter("log"))  # doctest: +SKIP
        >>> torch.monitor.register_event_handler(handler)  # doctest: +SKIP
    """

    def __init__(self, writer):
        self._writer = writer

    def __call__(self, event):
        """Write the values of a statistic; other events are left out."""
        if event.name == STAT_EVENT:
            for name, value in event.data.items():
                self._writer.add_scalar(name, value, walltime=event.timestamp.timestamp())
