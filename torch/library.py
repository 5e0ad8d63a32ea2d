"""torch.library: operators declared and implemented in Python."""

from torch import _C, _ops

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "impl",
    "register_autograd",
    "register_fake",
    "register_kernel",
]

_DEVICE_KEYS = {
    "cpu": "CPU",
    "cuda": "CUDA",
    "meta": "Meta",
    "default": "CompositeExplicitAutograd",
}
_KEPT = []  # libraries that functions of this module made: they live as long as the process


def fallthrough_kernel():
    """Given to Library.impl, makes a dispatch key pass calls on to the next."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class Library:
    """Registrations in one namespace, taken back when the library is destroyed.

    kind "DEF" declares a new namespace, "FRAGMENT" adds to one, "IMPL" only gives kernels.
    """

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: ", kind)
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        self._library = _C._DispatchLibrary(kind, ns, dispatch_key)

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Declares an operator; returns its name."""
        self._library.define(schema)
        name = schema.split("(")[0].strip()
        _forget(self.ns, name)
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Gives an operator the kernel `fn` for a dispatch key."""
        if not callable(fn):
            raise TypeError(
                f"Input function is required to be a callable but found type {type(fn)}"
            )
        if isinstance(op_name, _ops.OpOverload):
            op_name = op_name.name()
        name = op_name.removeprefix(f"{self.ns}::")
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        self._library.impl(name, key, None if fn is fallthrough_kernel else fn)

    def _destroy(self):
        self._library.reset()


def _forget(ns, name):
    """Drops what torch.ops remembers of a name whose overloads change."""
    namespace = vars(_ops.ops).get(ns)
    if namespace is not None:
        vars(namespace).pop(name.split(".")[0], None)


def _parse_namespace(qualname):
    ns, separator, name = qualname.partition("::")
    if not separator:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}.'
        )
    return ns, name


def define(qualname, schema, *, lib=None, tags=()):
    """Declares the operator `ns::name` with a schema such as "(Tensor x) -> Tensor"."""
    ns, name = _parse_namespace(qualname)
    if lib is None:
        lib = Library(ns, "FRAGMENT")
        _KEPT.append(lib)
    lib.define(name + schema, tags=tags)


def impl(qualname, types, func=None, *, lib=None):
    """Gives an operator a kernel for device types ("cpu", "default") or a dispatch key."""
    if isinstance(qualname, str) and "::" not in qualname and isinstance(types, Library):
        raise TypeError("impl(lib, name): use lib.impl(name, function)")
    ns, name = _parse_namespace(qualname)
    wanted = [types] if isinstance(types, str) else list(types)

    def register(function):
        library = lib
        if library is None:
            library = Library(ns, "FRAGMENT")
            _KEPT.append(library)
        for one in wanted:
            library.impl(name, function, _DEVICE_KEYS.get(one, one))
        return function

    return register if func is None else register(func)


def register_kernel(op, device_types, func=None, *, lib=None):
    """Gives an operator a kernel for device types; None means every device."""
    qualname = op._qualname if isinstance(op, CustomOpDef) else op
    return impl(qualname, device_types or "default", func, lib=lib)


def register_fake(op, func=None, *, lib=None):
    """Gives an operator the kernel that computes sizes and dtypes only: the Meta kernel."""
    qualname = op._qualname if isinstance(op, CustomOpDef) else op
    return impl(qualname, "meta", func, lib=lib)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Gives an operator its derivative: `backward(ctx, *gradients)`, a gradient for each input.

    `setup_context(ctx, inputs, output)` saves what the backward needs; an operator with keyword-only
    arguments has them in between, as `keyword_only_inputs`.
    """
    from torch._custom_op_autograd import Formula, autograd_kernel

    if isinstance(op, CustomOpDef):
        op.register_autograd(backward, setup_context=setup_context)
        return
    ns, name = _parse_namespace(op)
    overload = getattr(getattr(_ops.ops, ns), name).default
    kernel = autograd_kernel(overload, Formula(backward, setup_context))
    if lib is None:
        lib = Library(ns, "FRAGMENT")
        _KEPT.append(lib)
    lib.impl(name, kernel, "Autograd")


_SCHEMA_TYPES = {
    "Tensor": "Tensor",
    "int": "SymInt",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "dtype": "ScalarType",
    "device": "Device",
}


def _schema_type(annotation):
    """The schema's type for a Python annotation."""
    import types
    import typing

    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType) and type(None) in args and len(args) == 2:
        return _schema_type(next(arg for arg in args if arg is not type(None))) + "?"
    if origin is not None and args and getattr(origin, "__name__", "") in ("list", "Sequence"):
        return _schema_type(args[0]) + "[]"
    name = getattr(annotation, "__name__", str(annotation))
    if name not in _SCHEMA_TYPES:
        raise ValueError(f"infer_schema(func): unsupported type {annotation}")
    return _SCHEMA_TYPES[name]


def infer_schema(function, /, *, mutates_args, op_name=None):
    """The schema that a function's annotations say: "(Tensor x, float by=1.0) -> Tensor"."""
    import inspect
    import typing

    signature = inspect.signature(function)
    hints = typing.get_type_hints(function)
    parts, keyword = [], False
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword:
            parts.append("*")
            keyword = True
        if name not in hints:
            raise ValueError(f"infer_schema(func): parameter {name} must have a type annotation.")
        kind = _schema_type(hints[name])
        if kind.startswith("Tensor") and (mutates_args == "unknown" or name in mutates_args):
            kind = kind.replace("Tensor", f"Tensor(a{index}!)", 1)
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        parts.append(f"{kind} {name}{default}")
    returned = hints.get("return")
    if returned in (None, type(None)):
        results = "()"
    elif typing.get_origin(returned) is tuple:
        results = f"({', '.join(_schema_type(arg) for arg in typing.get_args(returned))})"
    else:
        results = _schema_type(returned)
    return f"{op_name or ''}({', '.join(parts)}) -> {results}"


class CustomOpDef:
    """An operator made by custom_op: callable, and open to further kernels."""

    def __init__(self, namespace, name, schema, function):
        self._namespace, self._name = namespace, name
        self._qualname = f"{namespace}::{name}"
        self._schema = schema
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(name + schema)
        self._init_fn = function
        self.__name__ = name
        self._formula = None
        if not self._opoverload._schema.is_mutable:
            self._register_autograd_kernel()

    def register_kernel(self, device_types, fn=None, /):
        """Gives the operator a kernel for device types."""
        return register_kernel(self, device_types, fn, lib=self._lib)

    def register_fake(self, fn, /):
        """Gives the operator its Meta kernel."""
        return register_fake(self, fn, lib=self._lib)

    def register_autograd(self, backward, /, *, setup_context=None):
        """Gives the operator its derivative, as torch.library.register_autograd says."""
        from torch._custom_op_autograd import Formula

        schema = self._opoverload._schema
        if schema.is_mutable:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema "
                f"{schema}. Please create a functional operator and register an autograd formula "
                "for that."
            )
        self._formula = Formula(backward, setup_context)

    def _register_autograd_kernel(self):
        """The kernel that records calls; the formula may come later, or never."""

        def kernel(*args, **kwargs):
            from torch._custom_op_autograd import autograd_kernel

            return autograd_kernel(self._opoverload, self._formula)(*args, **kwargs)

        self._lib.impl(self._name, kernel, "Autograd")

    @property
    def _opoverload(self):
        return getattr(getattr(_ops.ops, self._namespace), self._name).default

    def __call__(self, *args, **kwargs):
        return self._opoverload(*args, **kwargs)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None):
    """Makes an operator `ns::name` from a Python function."""

    def make(function):
        ns, op_name = _parse_namespace(name)
        text = schema or infer_schema(function, mutates_args=mutates_args)
        operator = CustomOpDef(ns, op_name, text, function)
        operator.register_kernel(device_types, function)
        return operator

    return make if fn is None else make(fn)
