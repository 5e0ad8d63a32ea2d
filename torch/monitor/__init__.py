"""Events of a running program, and statistics that become events."""

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
