"""The caller computes the first gradient on its stream just before it calls backward."""

import torch

SIZE = 4096


def gradient(device: str) -> torch.Tensor:
    """Return the gradient of a module whose forward pass ran on another stream."""
    torch.manual_seed(2)
    layer = torch.nn.Linear(16, 16).to(device)
    data = torch.randn(SIZE // 16, 16).to(device)
    stream = torch.cuda.Stream() if device == "cuda" else None
    if stream is not None:
        stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        y = layer(data).tanh()
    if stream is not None:
        torch.cuda.current_stream().wait_stream(stream)
    seed = y.detach().cos()
    y.backward(seed)
    del seed
    torch.full((SIZE,), 1e6, device=device)  # takes the memory of what was freed too early
    return layer.weight.grad.clone().cpu()


torch.testing.assert_close(gradient("cuda"), gradient("cpu"), rtol=1e-4, atol=1e-4)
