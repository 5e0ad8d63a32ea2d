"""Two branches on streams of their own meet in one leaf; the caller reads the gradient at once."""

import torch

SIZE = 4096


def gradients(device: str) -> list[torch.Tensor]:
    """Return the gradients of three steps with a leaf that two branches use."""
    torch.manual_seed(0)
    x = torch.randn(SIZE).to(device).requires_grad_()
    streams = [torch.cuda.Stream() for _ in range(2)] if device == "cuda" else [None, None]
    results = []
    for _ in range(3):
        parts = []
        for number, stream in enumerate(streams):
            if stream is not None:
                stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                parts.append((x * (number + 2)).tanh() * x)
        for part, stream in zip(parts, streams, strict=True):
            if stream is not None:
                torch.cuda.current_stream().wait_stream(stream)
                part.record_stream(torch.cuda.current_stream())
        (parts[0] * parts[1]).sum().backward()
        results.append((x.grad * 2).cpu())
        with torch.no_grad():
            x -= 0.1 * x.grad
        x.grad = None
    return results


for mine, wanted in zip(gradients("cuda"), gradients("cpu"), strict=True):
    torch.testing.assert_close(mine, wanted)
