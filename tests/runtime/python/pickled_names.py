"""Pickle the public functions and classes, or load such pickles; print the names that cannot be.

python pickled_names.py save FILE
python pickled_names.py load FILE
"""

from __future__ import annotations

import pickle
import sys
import warnings
from importlib import import_module
from pathlib import Path

MODULES = """torch torch.distributions torch.fft torch.func torch.linalg torch.nn torch.nn.functional
torch.nn.init torch.optim torch.optim.lr_scheduler torch.special torch.utils.checkpoint torch.utils.data"""


def save(path: Path) -> None:
    """Write a pickle of each name."""
    made = {}
    for module in map(import_module, MODULES.split()):
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name)
            if name.startswith("_") or not callable(value):
                continue
            try:
                made[f"{module.__name__}.{name}"] = pickle.dumps(value)
            except (pickle.PicklingError, AttributeError, TypeError):
                print(f"{module.__name__}.{name}")
    path.write_bytes(pickle.dumps(made))


def load(path: Path) -> None:
    """Load each pickle."""
    for name, data in pickle.loads(path.read_bytes()).items():
        try:
            pickle.loads(data)
        except (ImportError, AttributeError):
            if hasattr(import_module(name.rpartition(".")[0]), name.rpartition(".")[2]):
                print(name)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"save": save, "load": load}[sys.argv[1]](Path(sys.argv[2]))
