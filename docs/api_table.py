"""Write docs/api.md: each documented public name of PyTorch, and whether this package has it.

    python docs/api_table.py            writes docs/api.md and the counts in README.md
    python docs/api_table.py --names    asks the PyTorch that TORCH_PEER names for its names first

docs/api_names.json holds the names, docs/api_reasons.toml the reasons why names are absent.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import tomllib

DOCS = Path(__file__).parent
NAMES = DOCS / "api_names.json"
REASONS = DOCS / "api_reasons.toml"
PAGE = DOCS / "api.md"
README = DOCS.parent / "README.md"
MARK = "python docs/api_table.py"
PRESENT, NAMED, ABSENT = "present", "named only", "absent"

# The modules and classes that PyTorch's documentation has pages for.
PLACES = """
torch torch.Tensor torch.Size torch.TypedStorage torch.UntypedStorage torch.Generator
torch.__config__ torch.accelerator torch.amp torch.autograd torch.autograd.forward_ad
torch.autograd.functional torch.autograd.graph torch.autograd.profiler torch.backends.cpu
torch.backends.cuda torch.backends.cudnn torch.backends.cusparselt torch.backends.mha
torch.backends.miopen torch.backends.mkl torch.backends.mkldnn torch.backends.mps
torch.backends.nnpack torch.backends.openmp torch.backends.opt_einsum torch.backends.xeon
torch.compiler torch.cpu torch.cuda torch.cuda.amp torch.cuda.memory torch.cuda.nvtx
torch.distributed torch.distributed.fsdp torch.distributed.tensor torch.distributions
torch.distributions.constraint_registry torch.distributions.constraints
torch.distributions.kl torch.distributions.transforms torch.export torch.fft torch.func
torch.futures torch.fx torch.fx.experimental.symbolic_shapes torch.hub torch.jit torch.library
torch.linalg torch.masked torch.monitor torch.mps torch.mtia torch.multiprocessing torch.nested
torch.nn torch.nn.attention torch.nn.functional torch.nn.init torch.nn.modules.lazy
torch.nn.parallel torch.nn.utils torch.nn.utils.parametrizations torch.nn.utils.parametrize
torch.nn.utils.prune torch.nn.utils.rnn torch.nn.utils.stateless torch.onnx torch.optim
torch.optim.lr_scheduler torch.optim.swa_utils torch.overrides torch.package torch.profiler
torch.random torch.serialization torch.signal.windows torch.sparse torch.special torch.testing
torch.utils torch.utils.benchmark torch.utils.checkpoint torch.utils.cpp_extension
torch.utils.data torch.utils.data.distributed torch.utils.dlpack torch.utils.flop_counter
torch.utils.model_zoo torch.utils.tensorboard torch.xpu
""".split()  # noqa: SIM905 (a list with one name in each line would be 90 lines)


# ---- the names, asked of PyTorch -----------------------------------------------------------------
def find(place: str) -> Any:
    """Return a module, or a class of a module; None if there is none."""
    try:
        return importlib.import_module(place)
    except ImportError:
        parent, _, name = place.rpartition(".")
        return getattr(find(parent), name, None) if parent else None


def documented_names(place: str) -> list[str]:
    """Return the public names of a module or class that have a docstring."""
    owner = find(place)
    if owner is None:
        return []
    names = getattr(owner, "__all__", None) if inspect.ismodule(owner) else None
    listed = names is not None
    if names is None:
        names = [n for n in dir(owner) if not n.startswith("_") and n not in dir(object)]
    return sorted(n for n in set(names) if _is_documented(owner, n, listed))


def _is_documented(owner: Any, name: str, listed: bool) -> bool:
    try:
        value = getattr(owner, name)
    except Exception:
        return False
    if inspect.ismodule(value) or name.startswith("_"):
        return False
    if inspect.isclass(owner):
        return bool((inspect.getdoc(value) or "").strip())
    if type(value).__module__ == "torch" and not callable(value):
        return True  # a dtype, a layout or a memory format
    if not (inspect.isclass(value) or callable(value)):
        return listed
    home, text = getattr(value, "__module__", None), getattr(value, "__doc__", None)
    return str(home or "torch").startswith("torch") and isinstance(text, str) and bool(text.strip())


def ask_peer() -> dict[str, list[str]]:
    """Return the names of PyTorch, by a run of this file in the Python that has it."""
    command = [os.environ["TORCH_PEER"], "-I", "-W", "ignore", __file__, "--print-names"]
    printed = subprocess.run(command, check=True, capture_output=True, cwd="/").stdout
    return dict(json.loads(printed.splitlines()[-1]))


# ---- the names, looked up here -------------------------------------------------------------------
def state_of(place: str, name: str) -> str:
    """Return whether this package has a name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        owner = find(place)
        try:
            value = getattr(owner, name)
        except Exception:
            return ABSENT
    return NAMED if getattr(value, "_absent", False) is True else PRESENT


def reason_for(name: str, rules: list[dict[str, str]]) -> str:
    """Return the reason of the first rule whose pattern matches a full name."""
    return next(
        rule["reason"]
        for rule in rules
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in rule["names"].split())
    )


def render(names: dict[str, list[str]]) -> tuple[str, Counter[str]]:
    """Return the page, and how many names are in which state."""
    rules = tomllib.loads(REASONS.read_text(encoding="utf-8"))["rule"]
    states = {place: {n: state_of(place, n) for n in found} for place, found in names.items()}
    total = Counter(state for found in states.values() for state in found.values())
    lines = [
        "# PyTorch's names",
        "",
        f"<!-- made by: {MARK} -->",
        "Each documented public name of PyTorch 2.13, by the module or class that has it. A name that is "
        '"named only" can be imported and compared, and raises an error that says what is missing when it '
        "is called. [Compatibility](compatibility.md) explains the parts that are off.",
        "",
        "| module or class | names | present | named only | absent |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for place, found in states.items():
        counts = Counter(found.values())
        anchor = place.replace(".", "").lower()
        lines.append(
            f"| [{place}](#{anchor}) | {len(found)} | {counts[PRESENT]} | {counts[NAMED]} | {counts[ABSENT]} |"
        )
    lines.append(
        f"| **all** | **{total.total()}** | **{total[PRESENT]}** | **{total[NAMED]}** | **{total[ABSENT]}** |"
    )
    for place, found in states.items():
        lines += ["", f"## `{place}`", *_section(place, found, rules)]
    return "\n".join([*lines, "<!-- end -->", ""]), total


def _section(place: str, found: dict[str, str], rules: list[dict[str, str]]) -> list[str]:
    lines = []
    present = [name for name, state in found.items() if state == PRESENT]
    if present:
        lines += ["", f"Present: {_listed(present)}."]
    missing: dict[tuple[str, str], list[str]] = {}
    for name, state in found.items():
        if state != PRESENT:
            key = (state, reason_for(f"{place}.{name}", rules))
            missing.setdefault(key, []).append(name)
    for (state, reason), names in sorted(missing.items()):
        lines += ["", f"{state.capitalize()} ({reason}): {_listed(names)}."]
    return lines


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def with_counts(readme: str, total: Counter[str]) -> str:
    """Return the text of README.md with the current counts."""
    sentence = (
        f"{total[PRESENT]:,} of the {total.total():,} documented public names of PyTorch 2.13 are present, "
        f"{total[NAMED]:,} more can be named; [the list](docs/api.md) has each with its reason."
    )
    pattern = rf"(<!-- made by: {re.escape(MARK)} -->\n).*?(<!-- end -->)"
    return re.sub(pattern, lambda m: f"{m[1]}{sentence}\n{m[2]}", readme, flags=re.DOTALL)


def main() -> None:
    """Write the page and the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", action="store_true", help="ask TORCH_PEER for its names first")
    parser.add_argument("--print-names", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.print_names:
        print(json.dumps({place: names for place in PLACES if (names := documented_names(place))}))
        return
    if options.names:
        NAMES.write_text(json.dumps(ask_peer(), indent=0) + "\n", encoding="utf-8")
    page, total = render(json.loads(NAMES.read_text(encoding="utf-8")))
    PAGE.write_text(page, encoding="utf-8")
    README.write_text(with_counts(README.read_text(encoding="utf-8"), total), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
