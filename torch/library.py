"""torch.library: declare and implement operators in Python."""

from torch import _C, _ops

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
]

_DEVICE_KEYS = {
    "cpu": "CPU",
    "cuda": "CUDA",
    "meta": "Meta",
    "default": "CompositeExplicitAutograd",
}
_LIBRARIES = []  # libraries created by functions of this module, kept until the process ends


def fallthrough_kernel():
    """Mark a dispatch key, when passed to `Library.impl`, so that calls skip to the next key.

    It is never called.

    Raises:
        NotImplementedError: Always.

    Example:
        >>> library = torch.library.Library("fallthrough_demo", "DEF")
        >>> name = library.define("double(Tensor x) -> Tensor")
        >>> library.impl(name, lambda x: x * 2, "CPU")
        >>> library.impl(name, torch.library.fallthrough_kernel, "Autograd")
        >>> torch.ops.fallthrough_demo.double(torch.ones(1))
        tensor([2.])
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class Library:
    """Operators and kernels of one namespace, which are removed when the library is destroyed.

    Args:
        ns: The namespace.
        kind: "DEF" declares a new namespace, "FRAGMENT" adds operators to one, and "IMPL" only
            adds kernels.
        dispatch_key: The key of kernels that are registered without one.

    Raises:
        ValueError: If `kind` is none of these.

    Example:
        >>> library = torch.library.Library("library_demo", "DEF")
        >>> name = library.define("double(Tensor x) -> Tensor")
        >>> library.impl(name, lambda x: x * 2, "CPU")
        >>> torch.ops.library_demo.double(torch.ones(2))
        tensor([2., 2.])
    """

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        self._library = _C._DispatchLibrary(kind, ns, dispatch_key)

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Declare an operator.

        Args:
            schema: The name and the signature: "double(Tensor x) -> Tensor".
            alias_analysis: Ignored.
            tags: Ignored.

        Returns:
            The name of the operator.
        """
        self._library.define(schema)
        name = schema.split("(")[0].strip()
        _drop_cached_operator(self.ns, name)
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Register a kernel for an operator.

        Args:
            op_name: The name of the operator, or the operator itself.
            fn: A function, or `fallthrough_kernel`.
            dispatch_key: A key such as "CPU"; by default that of the library, else the kernel is
                a composite of other operators.
            with_keyset: Ignored.
            allow_override: Ignored.

        Raises:
            TypeError: If `fn` cannot be called.
        """
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


def _drop_cached_operator(ns, name):
    """Remove a name from the cache of torch.ops because its overloads change."""
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
    """Declare an operator, which lasts until the process ends.

    Args:
        qualname: The name, as "namespace::name".
        schema: The signature, as "(Tensor x) -> Tensor".
        lib: A library to own the operator, which then lasts as long as the library.
        tags: Ignored.

    Raises:
        ValueError: If `qualname` has no namespace.

    Example:
        >>> torch.library.define("define_demo::double", "(Tensor x) -> Tensor")
        >>> @torch.library.impl("define_demo::double", "cpu")
        ... def double(x):
        ...     return x * 2
        >>> torch.ops.define_demo.double(torch.ones(1))
        tensor([2.])
    """
    ns, name = _parse_namespace(qualname)
    if lib is None:
        lib = Library(ns, "FRAGMENT")
        _LIBRARIES.append(lib)
    lib.define(name + schema, tags=tags)


def impl(qualname, types, func=None, *, lib=None):
    """Register a kernel of an operator for device types or dispatch keys.

    Args:
        qualname: The name, as "namespace::name".
        types: One or several of "cpu", "cuda", "meta", "default" (all devices), or dispatch keys.
        func: The kernel; if it is None, return a decorator.
        lib: A library to own the kernel.

    Example:
        >>> torch.library.define("impl_demo::negate", "(Tensor x) -> Tensor")
        >>> @torch.library.impl("impl_demo::negate", "default")
        ... def negate(x):
        ...     return -x
        >>> torch.ops.impl_demo.negate(torch.ones(1))
        tensor([-1.])
    """
    if isinstance(qualname, Library):  # an old form: impl(library, name, dispatch_key)
        return _impl_of_library(qualname, types, func or "")
    ns, name = _parse_namespace(qualname)
    keys = [types] if isinstance(types, str) else list(types)

    def register(function):
        library = lib
        if library is None:
            library = Library(ns, "FRAGMENT")
            _LIBRARIES.append(library)
        for key in keys:
            library.impl(name, function, _DEVICE_KEYS.get(key, key))
        return function

    return register if func is None else register(func)


def _impl_of_library(library, name, dispatch_key):
    def register(function):
        library.impl(name, function, dispatch_key)
        return function

    return register


def register_kernel(op, device_types, func=None, *, lib=None):
    """Register a kernel of an operator for device types.

    Args:
        op: The name, as "namespace::name", or the result of `custom_op`.
        device_types: One or several device types; None means all.
        func: The kernel; if it is None, return a decorator.
        lib: A library to own the kernel.

    Example:
        >>> torch.library.define("kernel_demo::negate", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.register_kernel("kernel_demo::negate", "cpu", torch.neg)
        >>> torch.ops.kernel_demo.negate(torch.ones(1))
        tensor([-1.])
    """
    qualname = op._qualname if isinstance(op, CustomOpDef) else op
    return impl(qualname, device_types or "default", func, lib=lib)


def register_fake(op, func=None, *, lib=None):
    """Register the Meta kernel of an operator, which computes only shapes and dtypes.

    Args:
        op: The name, as "namespace::name", or the result of `custom_op`.
        func: The kernel; if it is None, return a decorator.
        lib: A library to own the kernel.

    Example:
        >>> torch.library.define("fake_demo::double", "(Tensor x) -> Tensor")
        >>> @torch.library.register_fake("fake_demo::double")
        ... def double(x):
        ...     return torch.empty_like(x)
        >>> torch.ops.fake_demo.double(torch.ones(3, device="meta")).shape
        torch.Size([3])
    """
    qualname = op._qualname if isinstance(op, CustomOpDef) else op
    if func is None:
        return lambda function: register_fake(op, function, lib=lib)
    impl(qualname, "meta", _with_context(func), lib=lib)
    return func


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Register the derivative of an operator.

    Args:
        op: The name, as "namespace::name", or the result of `custom_op`.
        backward: A function `backward(ctx, *grad_outputs)` that returns one gradient, or None,
            for each positional argument of the operator.
        setup_context: A function `setup_context(ctx, inputs, output)` that saves on `ctx` what
            `backward` needs. It receives keyword-only arguments, if there are any, as
            `keyword_only_inputs`.
        lib: A library to own the kernel.

    Example:
        >>> torch.library.define("autograd_demo::double", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.impl("autograd_demo::double", "cpu", lambda x: x * 2)
        >>> torch.library.register_autograd("autograd_demo::double", lambda ctx, grad: grad * 2)
        >>> x = torch.ones(1, requires_grad=True)
        >>> torch.ops.autograd_demo.double(x).backward()
        >>> x.grad
        tensor([2.])
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
        _LIBRARIES.append(lib)
    lib.impl(name, kernel, "Autograd")


def impl_abstract(qualname, func=None, *, lib=None, _stacklevel=1):
    """Register the Meta kernel of an operator; an old name of `register_fake`.

    Args:
        qualname: The name, as "namespace::name".
        func: The kernel; if it is None, return a decorator.
        lib: A library to own the kernel.

    Example:
        >>> torch.library.define("abstract_demo::double", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.impl_abstract("abstract_demo::double", torch.empty_like)
        >>> torch.ops.abstract_demo.double(torch.ones(3, device="meta")).shape
        torch.Size([3])
    """
    return register_fake(qualname, func, lib=lib)


def _overload(op):
    """Find the overload that a name, an overload or the result of `custom_op` stands for."""
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, _ops.OpOverloadPacket):
        return op.default
    if isinstance(op, _ops.OpOverload):
        return op
    ns, name = _parse_namespace(op)
    name, _, overload = name.partition(".")
    return getattr(getattr(getattr(_ops.ops, ns), name), overload or "default")


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None, **ignored):
    """Register what an operator does for a class that has `__torch_dispatch__`, or for a mode.

    Args:
        op: The name, as "namespace::name", an overload, or the result of `custom_op`.
        torch_dispatch_class: The subclass of torch.Tensor or of TorchDispatchMode.
        func: A function `func(cls_or_mode, func, types, args, kwargs)`; if it is None, return a
            decorator.
        lib: Ignored.
        **ignored: Ignored.

    Example:
        >>> from torch.utils._python_dispatch import TorchDispatchMode
        >>> class Mode(TorchDispatchMode):
        ...     pass
        >>> torch.library.define("dispatch_demo::double", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.impl("dispatch_demo::double", "cpu", lambda x: x * 2)
        >>> @torch.library.register_torch_dispatch("dispatch_demo::double", Mode)
        ... def triple(mode, func, types, args, kwargs):
        ...     return args[0] * 3
        >>> x = torch.ones(1)
        >>> with Mode():
        ...     y = torch.ops.dispatch_demo.double(x)
        >>> y
        tensor([3.])
    """

    def register(function):
        _overload(op)._torch_dispatch_rules[torch_dispatch_class] = function
        return function

    return register if func is None else register(func)


def register_vmap(op, func=None, /, *, lib=None):
    """Register what an operator does under `torch.vmap`.

    Args:
        op: The name, as "namespace::name", an overload, or the result of `custom_op`.
        func: A function `func(info, in_dims, *args)` that returns the result and its `out_dims`;
            if it is None, return a decorator.
        lib: Ignored.

    Example:
        >>> torch.library.define("vmap_demo::double", "(Tensor x) -> Tensor")
        >>> @torch.library.register_vmap("vmap_demo::double")
        ... def double(info, in_dims, x):
        ...     return x * 2, in_dims[0]
    """

    def register(function):
        _overload(op)._vmap_rule = function
        return function

    return register if func is None else register(func)


class _FakeContext:
    """What a Meta kernel may ask for."""

    def new_dynamic_size(self, *, min=0, max=None):
        raise RuntimeError(
            "new_dynamic_size(): sizes that depend on data need symbolic shapes, which this build "
            "does not have"
        )


_fake_context = None


def get_ctx():
    """Return the context of the Meta kernel that runs, or None.

    Example:
        >>> print(torch.library.get_ctx())
        None
    """
    return _fake_context


def _with_context(function):
    """Wrap a Meta kernel so that `get_ctx` works in it."""
    import functools

    @functools.wraps(function)
    def kernel(*args, **kwargs):
        global _fake_context
        before, _fake_context = _fake_context, _FakeContext()
        try:
            return function(*args, **kwargs)
        finally:
            _fake_context = before

    return kernel


def opcheck(op, args, kwargs=None, *, test_utils=None, raise_exception=True, atol=None, rtol=None):
    """Check that an operator does what its schema and registrations promise.

    Args:
        op: The operator: an overload, or the result of `custom_op`.
        args: The arguments of a call.
        kwargs: Its keyword arguments.
        test_utils: The names of the checks; by default all.
        raise_exception: Whether to raise the first error.
        atol: The absolute tolerance of comparisons.
        rtol: The relative tolerance of comparisons.

    Returns:
        "SUCCESS" or the error for each check.

    Raises:
        OpCheckError: If a check fails and `raise_exception` is true.

    Example:
        >>> @torch.library.custom_op("opcheck_demo::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> fake = double.register_fake(lambda x: torch.empty_like(x))
        >>> double.register_autograd(lambda ctx, grad: grad * 2)
        >>> torch.library.opcheck(double, (torch.ones(2),), test_utils="test_schema")
        {'test_schema': 'SUCCESS'}
    """
    from torch import _operator_checks as checks

    names = checks.DEFAULT_TESTS if test_utils is None else test_utils
    overload = _overload(op)
    return checks.run(overload, tuple(args), kwargs or {}, names, raise_exception, atol, rtol)


_SCHEMA_TYPES = {
    "Tensor": "Tensor",
    "int": "SymInt",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "dtype": "ScalarType",
    "device": "Device",
    "Number": "Scalar",
    "int | float | bool": "Scalar",
    "memory_format": "MemoryFormat",
    "layout": "Layout",
}


def _schema_type(annotation):
    """Translate a Python annotation to a type of the schema language."""
    import types
    import typing

    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType) and type(None) in args and len(args) == 2:
        return _schema_type(next(arg for arg in args if arg is not type(None))) + "?"
    if origin is not None and args and getattr(origin, "__name__", "") in ("list", "Sequence"):
        return _schema_type(args[0]) + "[]"
    name = getattr(annotation, "__name__", str(annotation))
    if name not in _SCHEMA_TYPES:
        raise ValueError(
            f"infer_schema(func): unsupported type {annotation}; supported are "
            f"{', '.join(_SCHEMA_TYPES)}, and lists and optionals of them"
        )
    return _SCHEMA_TYPES[name]


def infer_schema(function, /, *, mutates_args, op_name=None):
    """Infer the schema of an operator from the annotations of a function.

    Args:
        function: A function whose parameters all have annotations.
        mutates_args: The names of the tensors that it modifies, or "unknown" for all.
        op_name: The name to put before the schema.

    Raises:
        ValueError: If an annotation is missing or has no counterpart in schemas.

    Example:
        >>> def scale(x: torch.Tensor, by: float = 1.0) -> torch.Tensor:
        ...     return x * by
        >>> torch.library.infer_schema(scale, mutates_args=())
        '(Tensor x, float by=1.0) -> Tensor'
    """
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
    """An operator that `custom_op` created: callable, and open to further kernels.

    Example:
        >>> @torch.library.custom_op("definition_demo::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> @double.register_fake
        ... def _(x):
        ...     return torch.empty_like(x)
        >>> double(torch.ones(2, device="meta")).shape
        torch.Size([2])
    """

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
        """Register a kernel for device types; see `torch.library.register_kernel`."""
        return register_kernel(self, device_types, fn, lib=self._lib)

    def register_fake(self, fn, /):
        """Register the Meta kernel; see `torch.library.register_fake`."""
        return register_fake(self, fn, lib=self._lib)

    def register_vmap(self, fn=None, /):
        """Register the rule for vmap; see `torch.library.register_vmap`."""
        return register_vmap(self, fn)

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        """Register a rule for a class; see `torch.library.register_torch_dispatch`."""
        return register_torch_dispatch(self, torch_dispatch_class, fn)

    def register_autograd(self, backward, /, *, setup_context=None):
        """Register the derivative; see `torch.library.register_autograd`.

        Raises:
            RuntimeError: If the operator modifies an argument.
        """
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
        """Register the kernel that records calls; the formula can follow later."""

        def kernel(*args, **kwargs):
            from torch._custom_op_autograd import autograd_kernel

            return autograd_kernel(self._opoverload, self._formula)(*args, **kwargs)

        self._lib.impl(self._name, kernel, "Autograd")

    @property
    def _opoverload(self):
        return getattr(getattr(_ops.ops, self._namespace), self._name).default

    def __call__(self, *args, **kwargs):
        """Call the operator."""
        return self._opoverload(*args, **kwargs)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None):
    """Create an operator from a Python function.

    Args:
        name: The name, as "namespace::name".
        fn: The function; if it is None, return a decorator.
        mutates_args: The names of the arguments that the function modifies; "unknown" means all
            tensors.
        device_types: The device types for which the function is the kernel; None means all.
        schema: The signature; by default inferred from the annotations of the function.

    Returns:
        A CustomOpDef, which is called like the function.

    Raises:
        ValueError: If the name has no namespace, or an annotation is missing or not supported.

    Example:
        >>> @torch.library.custom_op("custom_op_demo::scale", mutates_args=())
        ... def scale(x: torch.Tensor, by: float) -> torch.Tensor:
        ...     return x * by
        >>> scale(torch.ones(2), 3.0)
        tensor([3., 3.])
        >>> torch.ops.custom_op_demo.scale(torch.ones(1), 2.0)
        tensor([2.])
    """

    def make(function):
        ns, op_name = _parse_namespace(name)
        text = schema or infer_schema(function, mutates_args=mutates_args)
        operator = CustomOpDef(ns, op_name, text, function)
        operator.register_kernel(device_types, function)
        return operator

    return make if fn is None else make(fn)
