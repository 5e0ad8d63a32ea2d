"""torch.ops: all registered operators, by namespace, name and overload."""

from torch import _C


class OpOverload:
    """One overload of an operator, such as `torch.ops.aten.add.Tensor`.

    Example:
        >>> add = torch.ops.aten.add.Tensor
        >>> add(torch.ones(1), torch.ones(1))
        tensor([2.])
        >>> add.name()
        'aten::add.Tensor'
    """

    def __init__(self, packet, overload):
        self._overloadpacket = self.overloadpacket = packet
        self._overloadname = overload or "default"
        self._operator = _C._get_operator(packet._qualified_op_name, overload)
        self.__name__ = f"{packet.__name__}.{self._overloadname}"
        self.__module__ = packet.__module__
        self._torch_dispatch_rules = {}

    @property
    def namespace(self):
        """The operator's namespace."""
        return self.overloadpacket.namespace

    @property
    def _schema(self):
        return self._operator._schema

    @property
    def tags(self):
        """The operator's tags, members of torch.Tag."""
        from torch._operator_tags import tags_of

        return list(tags_of(self.name()))

    def name(self):
        """Return the full name, as in the schema."""
        overload = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.overloadpacket._qualified_op_name}{overload}"

    def has_kernel_for_dispatch_key(self, key):
        """Return whether the operator has a kernel for a dispatch key."""
        return self._operator.has_kernel_for_dispatch_key(str(key))

    @property
    def _name(self):
        return self.name()

    def __reduce__(self):
        overload = "" if self._overloadname == "default" else self._overloadname
        return _find_overload, (self.overloadpacket._qualified_op_name, overload)

    def __call__(self, /, *args, **kwargs):
        if _C._has_torch_function(args):
            return _C._call_torch_function(self, args, args, kwargs)
        return self._operator(*args, **kwargs)

    def __str__(self):
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self):
        return f"<OpOverload(op='{self}')>"

    def __hash__(self):
        return hash(self.name())

    def __deepcopy__(self, memo):
        return self


class OpOverloadPacket:
    """All overloads of an operator, such as `torch.ops.aten.add`; a call selects one.

    Example:
        >>> torch.ops.aten.relu(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
        >>> "Scalar" in torch.ops.aten.add.overloads()
        True
    """

    def __init__(self, namespace, name):
        self.namespace = namespace
        self._qualified_op_name = f"{namespace}::{name}"
        self.__name__ = name
        self.__module__ = f"torch.ops.{namespace}"

    def overloads(self):
        """Return the names of the overloads; the one without a name is 'default'."""
        return [name or "default" for name in _C._get_operator_overloads(self._qualified_op_name)]

    def __getattr__(self, overload):
        if overload.startswith("__"):
            raise AttributeError(f"'{self}' has no attribute '{overload}'")
        overload_name = "" if overload == "default" else overload
        if overload_name not in _C._get_operator_overloads(self._qualified_op_name):
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{overload}'")
        found = OpOverload(self, overload_name)
        setattr(self, overload, found)
        return found

    def __call__(self, /, *args, **kwargs):
        if _C._has_torch_function(args):
            return _C._call_torch_function(self, args, args, kwargs)
        try:
            return _C._call_operator(self._qualified_op_name, args, kwargs)
        except RuntimeError:
            nested = _list_items((*args, *kwargs.values()))
            if _C._has_torch_function(nested):
                return _C._call_torch_function(self, nested, args, kwargs)
            raise

    def __iter__(self):
        return iter(self.overloads())

    def __str__(self):
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"

    def __deepcopy__(self, memo):
        return self


def _list_items(values):
    """Return what the lists and tuples among some values contain."""
    return tuple(item for value in values if isinstance(value, (list, tuple)) for item in value)


def _declare(namespace, name):
    """Declare an operator that is written in Python; return whether there is one."""
    from torch import _python_operators

    return _python_operators.declare(namespace, name)


class _OpNamespace:
    """The operators of one namespace: torch.ops.<namespace>."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        known = _C._get_operator_overloads(f"{self.name}::{name}")
        if not known and self.name == "quantized":
            return self._of_quantized_tensors(name)
        if known or _declare(self.name, name):
            packet = OpOverloadPacket(self.name, name)
        else:
            packet = self._of_first_name(name)
        setattr(self, name, packet)
        return packet

    def _of_first_name(self, name):
        from torch._aliases import first_name

        first = first_name(name) if self.name == "aten" else None
        if first is None or not _C._get_operator_overloads(f"aten::{first}"):
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{name}'")
        return getattr(self, first)

    def _of_quantized_tensors(self, name):
        from torch._quantized import _operators

        if name not in _operators.OPERATORS:
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{name}'")
        return _operators.OPERATORS[name]

    def __repr__(self):
        return f"<torch.ops.{self.name}>"


class _Ops:
    """The class of torch.ops."""

    def __init__(self):
        self.loaded_libraries = set()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        namespace = _OpNamespace(name)
        setattr(self, name, namespace)
        return namespace

    def load_library(self, path):
        """Load a shared library whose TORCH_LIBRARY blocks register operators.

        Args:
            path: The file of the library.

        Raises:
            OSError: If the library cannot be loaded.
        """
        import ctypes
        import os

        path = os.path.realpath(path)
        try:
            ctypes.CDLL(path)
        except OSError as error:
            # The linker's message may name only a library that this one needs.
            message = f"Could not load this library: {path}"
            raise OSError(message) from error
        self.loaded_libraries.add(path)

    def __repr__(self):
        return "<torch.ops>"


class _Classes:
    """The class of torch.classes, which is empty: this build has no custom C++ classes."""

    def __getattr__(self, name):
        raise AttributeError(
            f"torch.classes.{name} is not registered: this build has no custom C++ classes"
        )


def _find_overload(qualified_name, overload):
    """Return the object that stands for an overload in torch.ops."""
    namespace, _, name = qualified_name.partition("::")
    return getattr(getattr(getattr(ops, namespace), name), overload or "default")


ops = _Ops()
classes = _Classes()
