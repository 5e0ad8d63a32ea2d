"""Settings of MIOpen, which this build does not use."""

from torch.backends._flags import setter_and_context as _setter_and_context

immediate = False

set_flags, flags = _setter_and_context(__name__, ("immediate",))
