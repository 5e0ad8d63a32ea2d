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
