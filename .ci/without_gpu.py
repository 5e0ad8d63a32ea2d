"""Try an installed wheel with CUDA where there is no GPU: no warning, the CPU works, and errors explain CUDA."""

from __future__ import annotations

import warnings

warnings.simplefilter("error")

import torch  # noqa: E402

assert torch.version.cuda, "this torch was built without CUDA"
print(torch.__version__, "with CUDA", torch.version.cuda)
assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
x = torch.ones(2)
assert (x + 1).tolist() == [2.0, 2.0]
messages = set()
for use in (torch.cuda.init, x.cuda, lambda: x.to("cuda"), lambda: torch.ones(1, device="cuda")):
    try:
        use()
    except RuntimeError as error:
        messages.add(str(error).splitlines()[0])
    else:
        raise AssertionError("a CUDA device was used")
print(*messages, sep="\n")
assert len(messages) == 1 and messages.pop().startswith("Found no NVIDIA driver on your system")
