"""ModelHelper: a net, the net that initializes its parameters, and the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caffe2.python import core


class ModelHelper:
    """Two nets that belong together; caffe2.python.brew adds layers to them."""

    def __init__(self, name: str = "model", init_params: bool = True) -> None:
        """Make both nets; without `init_params`, parameters must be in the workspace already."""
        self.name = name
        self.init_params = init_params
        self.net = core.Net(name)
        self.param_init_net = core.Net(f"{name}_init")
        self.params: list[core.BlobReference] = []
        self.param_to_grad: dict[core.BlobReference, core.BlobReference] = {}

    def Proto(self) -> Any:
        """Return the NetDef of the net."""
        return self.net.Proto()

    def create_param(
        self, name: str, shape: Sequence[int], initializer: tuple[str, dict[str, Any]]
    ) -> core.BlobReference:
        """Add a parameter that an operator, such as ("XavierFill", {}), initializes."""
        type, arguments = initializer
        if self.init_params:
            parameter = getattr(self.param_init_net, type)([], name, shape=list(shape), **arguments)
        else:
            parameter = core.BlobReference(name, self.param_init_net)
        self.net.AddExternalInput(name)
        self.params.append(parameter)
        return core.BlobReference(name, self.net)

    def GetParams(self) -> list[core.BlobReference]:
        """Return the parameters, in the order in which they were added."""
        return list(self.params)

    def AddGradientOperators(
        self, ys: Sequence[str | core.BlobReference], skip: int = 0
    ) -> dict[str, core.BlobReference]:
        """Add the operators of the gradients; `param_to_grad` gets those of the parameters."""
        gradients = self.net.AddGradientOperators(ys, skip)
        self.param_to_grad = {
            parameter: gradients[str(parameter)]
            for parameter in self.params
            if str(parameter) in gradients
        }
        return gradients

    def __getattr__(self, op_type: str) -> Any:
        """Return the method of the net that adds an operator."""
        if op_type.startswith("_") or "net" not in self.__dict__:
            raise AttributeError(op_type)
        return getattr(self.net, op_type)
