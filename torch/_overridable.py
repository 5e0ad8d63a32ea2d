"""The functions of torch that `__torch_function__` can override, found by looking at the modules."""

import functools
import inspect
import sys
import types

import torch
from torch import _C, _aliases
from torch._signatures import SIGNATURES

_BUILTINS = (
    *(types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType),
    _C._CheckedFunction,
)

# Functions of namespaces below that take no tensors or never ask their arguments.
_IGNORED = {
    "torch": (
        *("are_deterministic_algorithms_enabled", "compiled_with_cxx11_abi", "from_dlpack"),
        *("from_file", "from_numpy", "frombuffer", "get_default_device", "get_default_dtype"),
        *("get_device_module", "get_num_interop_threads", "get_num_threads", "get_rng_state"),
        *("asarray", "as_tensor", "arange", "broadcast_shapes", "can_cast", "empty", "eye"),
        *("empty_strided", "full", "hann_window", "import_ir_module", "init_num_threads"),
        *("initial_seed", "is_anomaly_enabled", "is_grad_enabled", "is_inference_mode_enabled"),
        *("is_storage", "is_tensor", "linspace", "load", "logspace", "manual_seed"),
        *("normal", "ones", "promote_types", "rand", "randint", "randn", "randperm", "range"),
        *("result_type", "save", "scalar_tensor", "seed", "set_default_device"),
        *("set_default_dtype", "set_default_tensor_type", "set_grad_enabled"),
        *("set_num_interop_threads", "set_num_threads", "set_printoptions", "set_rng_state"),
        *("bartlett_window", "blackman_window", "hamming_window", "kaiser_window", "istft"),
        *("empty_permuted", "empty_quantized", "segment_reduce", "vander", "ldexp_"),
        *("sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor"),
        *("sparse_bsc_tensor", "sparse_compressed_tensor"),
        *("tensor", "tril_indices", "triu_indices", "typename", "vitals_enabled", "zeros"),
        *("as_strided", "autocast_decrement_nesting", "autocast_increment_nesting", "cond"),
        *("clear_autocast_cache", "compile", "fill", "fork", "get_autocast_cpu_dtype"),
        *("get_autocast_dtype", "get_autocast_gpu_dtype", "get_autocast_ipu_dtype"),
        *("get_autocast_xla_dtype", "get_deterministic_debug_mode", "is_autocast_enabled"),
        *("get_float32_matmul_precision", "is_anomaly_check_nan_enabled", "is_warn_always_enabled"),
        *("is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_ipu_enabled"),
        *("is_autocast_xla_enabled", "is_deterministic_algorithms_warn_only_enabled"),
        *("parse_schema", "rand_like", "randint_like", "randn_like", "set_anomaly_enabled"),
        *("set_autocast_cache_enabled", "set_autocast_cpu_dtype", "set_autocast_cpu_enabled"),
        *("set_autocast_dtype", "set_autocast_enabled", "set_autocast_gpu_dtype"),
        *("set_autocast_ipu_dtype", "set_autocast_ipu_enabled", "set_autocast_xla_dtype"),
        *("set_autocast_xla_enabled", "set_deterministic_debug_mode", "set_flush_denormal"),
        *("set_float32_matmul_precision", "set_warn_always", "use_deterministic_algorithms"),
        *("vmap", "wait"),
    ),
    "torch.nn.functional": (
        *("grouped_mm", "handle_torch_function", "hardsigmoid", "hardswish", "scaled_grouped_mm"),
        *("scaled_mm", "sigmoid", "tanh", "upsample", "upsample_bilinear", "upsample_nearest"),
    ),
    "torch.nn.init": (
        *("calculate_gain", "constant", "dirac", "eye", "kaiming_normal", "kaiming_uniform"),
        *("normal", "orthogonal", "sparse", "uniform", "xavier_normal", "xavier_uniform"),
    ),
    "torch.fft": ("fft_fftfreq", "fft_rfftfreq", "fftfreq", "rfftfreq"),
    "torch.Tensor": (
        *("__class__", "__delitem__", "__dir__", "__getattribute__", "__getattr__", "__init__"),
        *("__init_subclass__", "__new__", "__setattr__", "__delattr__", "__setstate__"),
        *("__sizeof__", "__subclasshook__", "__torch_function__", "__torch_dispatch__"),
        *("__cuda_array_interface__", "_make_subclass", "_make_wrapper_subclass", "new"),
        *("as_subclass", "stride", "size", "__reduce__", "__getstate__", "__weakref__"),
        *("eig", "lstsq", "new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor"),
        *("new_zeros", "reinforce", "solve", "symeig", "to_padded_tensor", "to_sparse_bsc"),
        *("to_sparse_bsr", "to_sparse_coo", "to_sparse_csc", "to_sparse_csr", "unflatten"),
    ),
}

# Functions of torch.nn.init that ask __torch_function__, though they change their argument.
_IN_PLACE = frozenset(("constant_", "kaiming_uniform_", "normal_", "uniform_"))


def _namespaces():
    import torch.nn.functional
    import torch.nn.init

    found = {
        "torch": torch,
        "torch.functional": torch.functional,
        "torch.nn.functional": torch.nn.functional,
        "torch.nn.init": torch.nn.init,
        "torch.Tensor": torch.Tensor,
    }
    for name in ("linalg", "fft", "special"):
        if name in _C._operator_modules or hasattr(torch, name):
            found[f"torch.{name}"] = getattr(torch, name)
    return found


def _candidates(prefix, namespace):
    """Yield the names and functions of a namespace, whether they can be overridden or not."""
    for name in sorted(dir(namespace), key=_aliases.is_alias):  # a function's first name counts
        if prefix != "torch.Tensor" and name.startswith("_"):
            continue
        found = inspect.getattr_static(namespace, name, None)
        late = name in SIGNATURES if namespace is torch else prefix == "torch.nn.functional"
        if found is None and late:
            found = getattr(namespace, name)  # its module is imported by that
        if isinstance(found, (types.GetSetDescriptorType, property)):
            if not name.startswith("__"):
                yield name, found.__get__
        elif isinstance(found, (*_BUILTINS, types.FunctionType)):
            module = getattr(found, "__module__", None) or ""
            if isinstance(found, types.FunctionType) and not module.startswith("torch"):
                continue
            yield name, getattr(namespace, name)


@functools.cache
def _split():
    """Return the overridable functions by namespace, the others, and the names of all."""
    overridable, others, names = {}, set(), {}
    for prefix, namespace in _namespaces().items():
        listed, here = overridable.setdefault(namespace, []), {}
        for name, function in _candidates(prefix, namespace):
            home = getattr(function, "__module__", "")
            at = home if prefix == "torch" and home == "torch.functional" else prefix
            here.setdefault(function, f"{at}.{name}" + _suffix(function))
            known_class = getattr(namespace, name, None) in (object.__dict__.get(name), None)
            if name in _IGNORED.get(prefix, ()) or (known_class and name.startswith("__")):
                others.add(function)
            elif prefix != "torch.Tensor" and name.endswith("_"):
                continue
            elif function not in listed:
                listed.append(function)
        names |= here  # the name in the last namespace counts
    for namespace, listed in overridable.items():  # torch.functional has functions of torch, too
        overridable[namespace] = [function for function in listed if function not in others]
    return overridable, others, names


def _suffix(function):
    return ".__get__" if function.__name__ == "__get__" else ""


def functions():
    """Return the functions that can be overridden, by namespace."""
    return _split()[0]


@functools.cache
def tensor_methods():
    """Return the methods of torch.Tensor that can be overridden."""
    return frozenset(functions()[torch.Tensor])


def ignored():
    """Return the public functions that cannot be overridden."""
    return _split()[1]


def names():
    """Return the qualified name of every function."""
    return _split()[2]


def name_in_module(function):
    """Return the name of a function that its module defines only when a program asks for it, or None."""
    home, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    homes = ("torch", "torch.functional", "torch.nn.functional")
    known = home in homes and getattr(sys.modules[home], name, None) is function
    return f"{home}.{name}" if known else None


def _signature(function, is_method):
    """Return the signature of a function without annotations; a builtin states it in its docs."""
    Parameter = inspect.Parameter
    anything = [
        Parameter("args", Parameter.VAR_POSITIONAL),
        Parameter("kwargs", Parameter.VAR_KEYWORD),
    ]
    if function.__name__ == "__get__":
        return inspect.Signature([Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)])
    try:
        found = inspect.signature(function)
        plain = [p.replace(annotation=Parameter.empty) for p in found.parameters.values()]
        return inspect.Signature(plain)
    except (TypeError, ValueError):
        pass
    head = (function.__doc__ or "").partition("\n")[0].partition(" -> ")[0]
    _, opened, inside = head.partition("(")
    text = f"lambda {'self, ' if is_method else ''}{inside.rstrip(') ')}: -1"
    try:
        return (
            inspect.signature(eval(text, {"torch": torch, **vars(torch)}))
            if opened
            else (inspect.Signature(anything))
        )
    except Exception:  # a doc that is not written as a Python signature
        return inspect.Signature(anything)


@functools.cache
def testing_overrides():
    """Return a function with a matching signature for every function that can be overridden."""

    def override(signature):
        def minus_one(*args, **kwargs):
            return -1

        minus_one.__signature__ = signature
        return minus_one

    in_place = [getattr(torch.nn.init, name) for name in sorted(_IN_PLACE)]
    return {
        function: override(_signature(function, namespace is torch.Tensor))
        for namespace, listed in [*functions().items(), (torch.nn.init, in_place)]
        for function in listed
    }
