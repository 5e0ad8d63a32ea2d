"""Prints the parameters of public functions, and the members of public classes, as JSON.

`python signatures.py`: on any Python that has torch. For each function or method written in Python,
the names, the kinds and whether there is a default; for each class, its public names and who defines them.
"""

from __future__ import annotations

import importlib
import inspect
import json
import warnings
from typing import Any

_MODULES = """
torch torch.accelerator torch.amp torch.autograd torch.autograd.forward_ad torch.autograd.function
torch.autograd.functional torch.autograd.gradcheck torch.autograd.graph torch.autograd.profiler
torch.cpu torch.distributions torch.distributions.constraints torch.distributions.transforms
torch.distributions.utils torch.func torch.functional torch.futures torch.fx torch.fx.graph
torch.fx.graph_module torch.fx.interpreter torch.fx.node torch.fx.operator_schemas
torch.fx.passes.shape_prop torch.fx.passes.split_module torch.fx.proxy torch.fx.subgraph_rewriter
torch.fx.traceback torch.hub torch.library torch.masked torch.multiprocessing torch.nested torch.nn
torch.nn.attention torch.nn.attention.bias torch.nn.attention.flex_attention torch.nn.functional
torch.nn.init torch.nn.modules.lazy torch.nn.parallel torch.nn.parameter torch.nn.utils
torch.nn.utils.fusion torch.nn.utils.parametrizations torch.nn.utils.parametrize
torch.nn.utils.prune torch.nn.utils.rnn torch.nn.utils.stateless torch.optim
torch.optim.lr_scheduler torch.optim.optimizer torch.optim.swa_utils torch.overrides torch.package
torch.profiler torch.random torch.serialization torch.sparse torch.storage torch.testing
torch.utils torch.utils.benchmark torch.utils.checkpoint torch.utils.cpp_extension
torch.utils.data torch.utils.data.dataset torch.utils.data.distributed torch.utils.data.sampler
torch.utils.dlpack torch.utils.flop_counter torch.utils.hooks
torch.utils.weak
"""
MODULES = _MODULES.split()

Parameters = list[tuple[str, int, bool]]


def parameters(function: Any) -> Parameters | None:
    """Return name, kind and whether there is a default; None if Python knows no signature."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [(p.name, int(p.kind), p.default is not p.empty) for p in found]


def owner(cls: type, member: str) -> str:
    """Return the class that defines a member."""
    found = next((base for base in cls.__mro__ if member in vars(base)), cls)
    return f"{found.__module__}.{found.__qualname__}"


def read() -> dict[str, dict[str, Any]]:
    """Return the parameters of functions and the members of classes, by full names."""
    functions: dict[str, Parameters | None] = {}
    classes: dict[str, dict[str, str]] = {}
    for module in MODULES:
        namespace = importlib.import_module(module)
        for name in dir(namespace):
            value = None if name.startswith("_") else getattr(namespace, name, None)
            if not str(getattr(value, "__module__", "")).startswith("torch"):
                continue
            full = f"{module}.{name}"
            if inspect.isfunction(value):
                functions[full] = parameters(value)
            elif isinstance(value, type):
                functions[full] = parameters(value)
                classes[full] = {
                    each: owner(value, each) for each in dir(value) if not each.startswith("_")
                }
                for each in classes[full]:
                    member = inspect.getattr_static(value, each)
                    member = getattr(member, "__func__", member)
                    if inspect.isfunction(member):
                        functions[f"{full}.{each}"] = parameters(member)
    return {"functions": functions, "classes": classes}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(read()))
