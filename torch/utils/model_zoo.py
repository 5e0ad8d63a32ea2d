"""The older name of `torch.hub.load_state_dict_from_url`."""

from torch.hub import _Faketqdm, load_state_dict_from_url

try:
    from tqdm import tqdm  # libraries import it from here
except ImportError:
    tqdm = _Faketqdm  # type: ignore[misc, assignment]

load_url = load_state_dict_from_url

__all__ = ["load_state_dict_from_url", "load_url"]
