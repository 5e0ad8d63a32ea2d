"""NVIDIA's cuSPARSELt, which this build does not use."""

from torch import _absent

globals().update(
    _absent.answering(
        "torch.backends.cusparselt",
        {"is_available": False, "version": None, "get_max_alg_id": None},
        "cuSPARSELt",
    )
)
