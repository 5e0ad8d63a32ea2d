"""Collect the examples of PyTorch's docstrings, or run them and write what each line prints.

python examples.py collect EXAMPLES     (with PyTorch's Python)
python examples.py run EXAMPLES RESULTS
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import json
import signal
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import torch

MODULES = """torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn
torch.nn.utils.parametrize torch.nn.utils.parametrizations torch.nn.utils.prune torch.optim
torch.optim.lr_scheduler torch.linalg torch.fft torch.special torch.autograd torch.autograd.functional
torch.autograd.graph torch.autograd.forward_ad torch.func torch.utils.data torch.utils.dlpack
torch.distributions torch.distributions.constraints torch.distributions.transforms torch.fx
torch.library torch.overrides torch.serialization torch.sparse torch.signal.windows torch.masked
torch.futures torch.testing torch.utils.flop_counter torch.nn.parameter"""
SECONDS = 20
"""How long a line may run."""


class TooLong(BaseException):
    """A line ran too long."""


def documented() -> Iterator[tuple[str, str]]:
    """Yield names with docstrings, each docstring once."""
    seen = set()
    for module in map(import_module, MODULES.split()):
        for name in sorted(n for n in dir(module) if n[0] != "_"):
            value = getattr(module, name)
            named = [(f"{module.__name__}.{name}", value)]
            if inspect.isclass(value):
                inside = sorted(n for n in dir(value) if n[0] != "_")
                named += [(f"{module.__name__}.{name}.{n}", getattr(value, n)) for n in inside]
            for full, each in named:
                text = getattr(each, "__doc__", None)
                if isinstance(text, str) and text not in seen:
                    seen.add(text)
                    yield full, text


def collect(path: Path) -> None:
    """Write the lines of each docstring's examples."""
    parser, found = doctest.DocTestParser(), {}
    for name, text in documented():
        with contextlib.suppress(ValueError):  # examples that are not indented alike
            lines = [example.source for example in parser.get_examples(text)]
            if lines:
                found[name] = lines
    path.write_text(json.dumps(found))


def printed(line: str, names: dict[str, Any]) -> str:
    """Run a line as the interpreter does; return what it prints, or the type of its error."""
    output = io.StringIO()
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(line, "<example>", "single"), names)
    except TooLong:
        return "too long"
    except (Exception, SystemExit) as error:
        return f"raised {type(error).__name__}"
    finally:
        signal.alarm(0)
    return output.getvalue()


def stop(*_: object) -> None:
    raise TooLong


def run(examples: Path, results: Path) -> None:
    """Write what the lines of all examples print."""
    signal.signal(signal.SIGALRM, stop)
    warnings.simplefilter("ignore")
    modules = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "np": np}
    found = {}
    for name, lines in json.loads(examples.read_text()).items():
        torch.manual_seed(0)
        np.random.seed(0)
        names = {**modules, "__name__": "__main__"}
        found[name] = [printed(line, names) for line in lines]
        torch.set_default_dtype(torch.float32)
        torch.set_default_device(None)
        torch.use_deterministic_algorithms(False)
        torch.set_printoptions(profile="default")
        torch.set_grad_enabled(True)
    results.write_text(json.dumps(found))


if __name__ == "__main__":
    {"collect": collect, "run": run}[sys.argv[1]](*map(Path, sys.argv[2:]))
