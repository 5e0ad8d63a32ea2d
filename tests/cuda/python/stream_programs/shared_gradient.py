"""One gradient goes to nodes on two streams, and each adds another gradient to it."""

import torch

SIZE = 4096


def gradient(device: str) -> torch.Tensor:
    """Return the gradient of a leaf after sums whose backward hands on the same tensor."""
    torch.manual_seed(1)
    x = torch.randn(SIZE).to(device).requires_grad_()
    stream = torch.cuda.Stream() if device == "cuda" else None
    if stream is not None:
        stream.wait_stream(torch.cuda.current_stream())
    a = x * 2
    with torch.cuda.stream(stream):
        b = x.sin()
        c = b * b
    if stream is not None:
        torch.cuda.current_stream().wait_stream(stream)
        for tensor in (b, c):
            tensor.record_stream(torch.cuda.current_stream())
    total = (a + b) + a * c + c
    (result,) = torch.autograd.grad(total, [x], [torch.full_like(total, 0.5)])
    return result.cpu()


torch.testing.assert_close(gradient("cuda"), gradient("cpu"))
