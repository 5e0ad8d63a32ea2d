"""Declare operators and register their kernels, derivatives and rules."""

import contextlib
import re
import weakref

from torch import _C, _ops
from torch._library.fake import with_context

_DEVICE_KEYS = {
    "cpu": "CPU",
    "cuda": "CUDA",
    "meta": "Meta",
    "default": "CompositeExplicitAutograd",
}
_LIBRARIES = []  # libraries created by functions of this module, kept until the process ends
_alive = weakref.WeakSet()  # all libraries


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
        if ns == "prim":
            raise ValueError(
                f"{ns} is a reserved namespace. Please try creating a library with another name."
            )
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        self._library = _C._DispatchLibrary(kind, ns, dispatch_key)
        self._op_defs = set()
        self._kernels = set()
        _alive.add(self)
        weakref.finalize(self, _drop_cached_operators, ns, self._op_defs).atexit = False

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Declare an operator.

        Args:
            schema: The name and the signature: "double(Tensor x) -> Tensor".
            alias_analysis: Ignored.
            tags: A torch.Tag of the operator, or several.

        Returns:
            The name of the operator.
        """
        self._library.define(schema)
        name = schema.split("(")[0].strip()
        if tags:
            from torch._operator_tags import declare

            declare(f"{self.ns}::{name}", tags)
        self._op_defs.add(name)
        _drop_cached_operator(self.ns, name)
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=True):
        """Register a kernel for an operator.

        Args:
            op_name: The name of the operator, or the operator itself.
            fn: A function, or `fallthrough_kernel`.
            dispatch_key: A key such as "CPU"; by default that of the library, else the kernel is
                a composite of other operators.
            with_keyset: Ignored.
            allow_override: Whether a kernel that a library has registered for this key is replaced.

        Raises:
            TypeError: If `fn` cannot be called.
            RuntimeError: If there is such a kernel, and it must not be replaced.
        """
        if not callable(fn):
            raise TypeError(
                f"Input function is required to be a callable but found type {type(fn)}"
            )
        if isinstance(op_name, _ops.OpOverload):
            op_name = op_name.name()
        name = op_name.removeprefix(f"{self.ns}::")
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        if not allow_override and _is_registered(self.ns, name, key):
            raise RuntimeError(
                "This is not allowed since there's already a kernel registered from python "
                f"overriding {name}'s behavior for {key} dispatch key and {self.ns} namespace."
            )
        self._kernels.add((self.ns, name, key))
        self._library.impl(name, key, None if fn is fallthrough_kernel else fn)

    def _destroy(self):
        self._library.reset()
        self._kernels.clear()
        _drop_cached_operators(self.ns, self._op_defs)


@contextlib.contextmanager
def _scoped_library(*args, **kwargs):
    """Make a library that is destroyed at the end of the block."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


def _is_registered(ns, name, key):
    """Return whether a library has a kernel of an operator for a dispatch key."""
    return any((ns, name, key) in library._kernels for library in _alive)


def _drop_cached_operator(ns, name):
    """Remove a name from the cache of torch.ops because its overloads change."""
    namespace = vars(_ops.ops).get(ns)
    if namespace is not None:
        vars(namespace).pop(name.split(".")[0], None)


def _drop_cached_operators(ns, names):
    for name in names:
        _drop_cached_operator(ns, name)
    names.clear()


def parse_namespace(qualname):
    ns, separator, name = qualname.partition("::")
    if not separator:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}.'
        )
    return ns, name


def qualified_name(function, op):
    """Return the name of what a name, an overload or the result of `custom_op` stands for.

    Raises:
        ValueError: If `op` is none of these; the message names the function of this package.
    """
    if isinstance(op, str):
        return op
    if isinstance(op, _ops.OpOverload):
        return op.name()
    if hasattr(op, "_opoverload"):  # the result of custom_op
        return op._qualname
    raise ValueError(f"{function}({op}): got unexpected type for op: {type(op)}")


def define(qualname, schema, *, lib=None, tags=()):
    """Declare an operator, which lasts until the process ends.

    Args:
        qualname: The name, as "namespace::name".
        schema: The signature, as "(Tensor x) -> Tensor".
        lib: A library to own the operator, which then lasts as long as the library.
        tags: A torch.Tag of the operator, or several.

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
    if not isinstance(qualname, str):
        raise ValueError(
            "define(qualname, schema): expected qualname to be instance of str, got "
            f"{type(qualname)}"
        )
    ns, name = parse_namespace(qualname)
    if not re.fullmatch(r"\(.*\) -> .*", schema):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> '
            f'Tensor" but got "{schema}"'
        )
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
    ns, name = parse_namespace(qualname)
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
        op: The name, as "namespace::name", an overload, or the result of `custom_op`.
        device_types: One or several device types; None means all.
        func: The kernel; if it is None, return a decorator.
        lib: A library to own the kernel.

    Example:
        >>> torch.library.define("kernel_demo::negate", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.register_kernel("kernel_demo::negate", "cpu", torch.neg)
        >>> torch.ops.kernel_demo.negate(torch.ones(1))
        tensor([-1.])
    """
    qualname = qualified_name("register_kernel", op)
    return impl(qualname, device_types or "default", func, lib=lib)


def _has_operators(ns):
    return any(name.startswith(f"{ns}::") for name in _C._dispatch_get_all_op_names())


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=True):
    """Register the Meta kernel of an operator, which computes only shapes and dtypes.

    Args:
        op: The name, as "namespace::name", an overload, or the result of `custom_op`.
        func: The kernel; if it is None, return a decorator.
        lib: A library to own the kernel.
        allow_override: Whether a kernel that was registered before is replaced.

    Raises:
        RuntimeError: If there is such a kernel, and it must not be replaced; if the namespace has
            operators, but not this one. In a namespace without operators the kernel waits: the
            library that defines them may not be loaded yet, or not be loadable.

    Example:
        >>> torch.library.define("fake_demo::double", "(Tensor x) -> Tensor")
        >>> @torch.library.register_fake("fake_demo::double")
        ... def double(x):
        ...     return torch.empty_like(x)
        >>> torch.ops.fake_demo.double(torch.ones(3, device="meta")).shape
        torch.Size([3])
    """
    qualname = qualified_name("register_fake", op)
    try:
        find_overload(op)
    except AttributeError:
        if _has_operators(parse_namespace(qualname)[0]):
            raise RuntimeError(f"operator {qualname} does not exist") from None
    if func is None:
        return lambda function: register_fake(op, function, lib=lib, allow_override=allow_override)
    if not allow_override and _is_registered(*parse_namespace(qualname), "Meta"):
        raise RuntimeError(
            f"register_fake(...): the operator {qualname} already has a fake impl registered."
        )
    impl(qualname, "meta", with_context(func), lib=lib)
    return func


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Register the derivative of an operator.

    Args:
        op: The name, as "namespace::name", an overload, or the result of `custom_op`.
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
    from torch._library.autograd import Formula, autograd_kernel

    if hasattr(op, "register_autograd"):
        op.register_autograd(backward, setup_context=setup_context)
        return
    ns, name = parse_namespace(qualified_name("register_autograd", op))
    overload = find_overload(op)
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


def find_overload(op):
    """Find the overload that a name, an overload or the result of `custom_op` stands for."""
    if isinstance(op, _ops.OpOverloadPacket):
        return op.default
    if isinstance(op, _ops.OpOverload):
        return op
    if not isinstance(op, str):
        return op._opoverload
    ns, name = parse_namespace(op)
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
        find_overload(op)._torch_dispatch_rules[torch_dispatch_class] = function
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
    qualified_name("register_vmap", op)

    def register(function):
        find_overload(op)._vmap_rule = function
        return function

    return register if func is None else register(func)
