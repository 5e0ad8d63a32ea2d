"""Arguments of bindings: which are accepted, and the exceptions for others, as in PyTorch."""

from __future__ import annotations

import pickle
import subprocess
import sys
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import torch

A = torch.ones(2)
M = torch.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: torch.add(A, "x"),
            TypeError,
            "add(): argument 'other' (position 2) must be Tensor, not str",
        ),
        (
            lambda: A.add("x"),
            TypeError,
            "add(): argument 'other' (position 1) must be Tensor, not str",
        ),
        (
            lambda: torch.add(A, A, foo=1),
            TypeError,
            "add() got an unexpected keyword argument 'foo'",
        ),
        (
            lambda: torch.add(A, A, A, A),
            TypeError,
            "add() takes 2 positional arguments but 4 were given",
        ),
        (
            lambda: torch.zeros("x"),
            TypeError,
            "zeros(): argument 'size' (position 1) must be tuple of ints, not str",
        ),
        (
            lambda: torch.zeros(2, dtype=3),
            TypeError,
            "zeros(): argument 'dtype' must be torch.dtype, not int",
        ),
        (
            lambda: torch.zeros((2, "x")),
            TypeError,
            "zeros(): argument 'size' failed to unpack the object at pos 2",
        ),
        (
            lambda: A.transpose(0),
            TypeError,
            'transpose() missing 1 required positional arguments: "dim1"',
        ),
        (
            lambda: torch.relu(),
            TypeError,
            'relu() missing 1 required positional arguments: "input"',
        ),
        (lambda: A.add(A, input=A), TypeError, "add() got an unexpected keyword argument 'input'"),
        (lambda: torch.maximum(A, 1), TypeError, "must be Tensor, not int"),
        (
            lambda: torch.cat(A),
            TypeError,
            "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor",
        ),
        (
            lambda: torch.cat([A, 1]),
            TypeError,
            "expected Tensor as element 1 in argument 0, but got int",
        ),
        (
            lambda: torch.eq(A, None),
            TypeError,
            "eq() received an invalid combination of arguments - got (Tensor, NoneType)",
        ),
        (
            lambda: torch.empty(),
            TypeError,
            'empty() missing 1 required positional arguments: "size"',
        ),
        (lambda: torch.full((2,), "x"), TypeError, "must be Number, not str"),
        (
            lambda: torch.zeros(2, 3, out=torch.empty(2, 3), dtype=torch.float64),
            RuntimeError,
            "does not match dtype of out",
        ),
        (lambda: torch.zeros(2, device="cuda"), AssertionError, "CUDA"),
        (lambda: torch.tensor(["x"]), ValueError, "too many dimensions 'str'"),
        (
            lambda: torch.tensor([[1, 2], [3]]),
            ValueError,
            "expected sequence of length 2 at dim 1 (got 1)",
        ),
        (lambda: torch.tensor(None), RuntimeError, "Could not infer dtype of NoneType"),
        (lambda: torch.tensor(2**63), ValueError, "Overflow when unpacking long long"),
        (lambda: torch.tensor(300, dtype=torch.uint8), RuntimeError, "without overflow"),
        (lambda: len(torch.tensor(1)), TypeError, "len() of a 0-d tensor"),
        (lambda: iter(torch.tensor(1)), TypeError, "iteration over a 0-d tensor"),
        (
            lambda: bool(A),
            RuntimeError,
            "Boolean value of Tensor with more than one value is ambiguous",
        ),
        (lambda: A.item(), RuntimeError, "a Tensor with 2 elements cannot be converted to Scalar"),
        (
            lambda: float(A),
            ValueError,
            "only one element tensors can be converted to Python scalars",
        ),
        (lambda: int(torch.tensor(float("inf"))), OverflowError, "infinity"),
        (lambda: A + "x", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'str'"),
        (lambda: A < "x", TypeError, "'<' not supported"),
        (lambda: torch.set_num_threads(0), RuntimeError, "positive integer"),
        (lambda: torch.set_default_dtype(torch.int32), TypeError, "floating-point"),
    ],
)
def test_error_messages_name_the_argument(
    call: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)


def test_the_error_for_an_overloaded_call_lists_the_candidates() -> None:
    with pytest.raises(TypeError) as raised:
        A.view("x")
    text = str(raised.value)
    assert " * (torch.dtype dtype)\n" in text
    assert " * (tuple of ints size)\n" in text
    assert "invalid types: (!str!)" in text


def test_sizes_may_be_one_list_or_several_ints() -> None:
    for made in (
        torch.zeros(2, 3),
        torch.zeros((2, 3)),
        torch.zeros([2, 3]),
        torch.zeros(size=(2, 3)),
    ):
        assert made.shape == (2, 3)
    assert M.view(3, 2).shape == M.view((3, 2)).shape == M.view(size=(3, 2)).shape == (3, 2)
    assert torch.zeros(torch.tensor(2), np.int64(3)).shape == (2, 3)
    assert torch.zeros(()).shape == ()


def test_numpy_argument_names_are_accepted() -> None:
    assert torch.sum(M, axis=0, keepdims=True).shape == (1, 3)
    assert torch.add(x1=A, x2=A).tolist() == [2.0, 2.0]


def test_numbers_may_replace_tensors_in_arithmetic() -> None:
    assert torch.add(1, A).tolist() == [2.0, 2.0]
    assert torch.mul(A, 2.5).tolist() == [2.5, 2.5]
    assert torch.add(A, 1, out=torch.empty(2)).tolist() == [2.0, 2.0]
    assert (torch.tensor([1, 2]) + 1.5).dtype == torch.float32
    assert (torch.ones(2, dtype=torch.float16) * np.float64(2)).dtype == torch.float16


def test_out_and_in_place_return_the_same_object() -> None:
    out = torch.empty(2)
    assert torch.add(A, A, out=out) is out
    assert out.add_(1) is out
    assert torch.relu_(out) is out
    before = out
    out += 1
    assert out is before


def test_named_results() -> None:
    result = torch.max(M, dim=1)
    assert type(result) is torch.return_types.max
    assert result.values.tolist() == [2.0, 5.0]
    values, indices = torch.empty(2), torch.empty(2, dtype=torch.int64)
    given = torch.max(M, 1, out=(values, indices))
    assert type(given) is torch.return_types.max_out
    assert given.values is values
    assert given.indices is indices
    assert repr(result).startswith("torch.return_types.max(\nvalues=tensor([2., 5.]),\nindices=")


def test_python_types_are_dtypes() -> None:
    assert torch.zeros(2, dtype=float).dtype == torch.float64
    assert torch.zeros(2, dtype=int).dtype == torch.int64
    assert torch.zeros(2, dtype=bool).dtype == torch.bool
    assert torch.zeros(2, dtype=complex).dtype == torch.complex128


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (True, torch.bool),
        (False, torch.bool),
        (1.0, torch.float64),
        (np.float32(1), torch.float64),
        (1j, torch.complex128),
        (np.bool_(True), torch.bool),
    ],
)
def test_numbers_stand_for_their_dtype_in_to(number: Any, dtype: torch.dtype) -> None:
    x = torch.tensor([0, 1])
    converted = x.to(number)
    assert converted.dtype is dtype
    assert converted.tolist() == [0, 1]
    assert x.to(number, True, True).dtype is dtype
    same = x.to(dtype)
    assert same.to(number) is same
    assert same.to(number, copy=True) is not same


def test_numbers_that_to_does_not_take() -> None:
    for wrong in ((True, torch.float64), ("cpu", True), (None, True)):
        with pytest.raises(
            TypeError, match="to\\(\\) received an invalid combination of arguments"
        ):
            A.to(*wrong)
    for name in ("device", "dtype", "other"):
        with pytest.raises(
            TypeError, match="to\\(\\) received an invalid combination of arguments"
        ):
            A.to(**{name: True})
    with pytest.raises(RuntimeError, match="accelerator"):  # an int is the number of a device
        A.to(1)


def test_layers_are_converted_by_numbers() -> None:
    assert torch.nn.Linear(1, 1).to(1.0).weight.dtype is torch.float64
    assert torch.nn.Linear(1, 1).to(np.float64(1)).weight.dtype is torch.float64
    with pytest.raises(TypeError, match=r"got desired dtype=torch\.bool"):
        torch.nn.Linear(1, 1).to(True)


def test_reflected_operators() -> None:
    assert (1 - A).tolist() == [0.0, 0.0]
    assert (1 / (A + 1)).tolist() == [0.5, 0.5]
    assert (2**A).tolist() == [2.0, 2.0]
    assert (5 // (A + 1)).tolist() == [2.0, 2.0]
    assert (5 % (A + 1)).tolist() == [1.0, 1.0]
    assert (1 | torch.tensor([2])).tolist() == [3]
    assert (A == None) is False  # noqa: E711
    assert (A != None) is True  # noqa: E711
    assert (np.float32(2) * A).tolist() == [2.0, 2.0]


def test_inference_of_dtypes_from_data() -> None:
    cases = [
        ([1, 2], torch.int64),
        ([1, 2.0], torch.float32),
        ([True], torch.bool),
        ([True, 1], torch.int64),
        ([1j], torch.complex64),
        ([], torch.float32),
        (np.float32(1), torch.float32),
        ([np.float64(1)], torch.float64),
        (np.int32(1), torch.int32),
        (range(3), torch.int64),
        ([torch.tensor(1), torch.tensor(2.0)], torch.float32),
    ]
    for data, dtype in cases:
        assert torch.tensor(data).dtype == dtype, data


def test_default_dtype_is_used_and_restored() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.tensor(1.0).dtype == torch.zeros(2).dtype == torch.float64
        assert torch.tensor(1j).dtype == torch.complex128
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.tensor(1.0).dtype == torch.float32


def test_losses_are_reduced_only_on_request() -> None:
    """PyTorch's parser reads the default at::Reduction::Mean as 0, which means no reduction."""
    x, target = torch.tensor([0.5, 0.25]).log(), torch.tensor([1.0, 0.0])
    for loss in (torch.kl_div, torch.binary_cross_entropy_with_logits, torch._C._nn.mse_loss):
        assert loss(x, target).shape == (2,)
        assert loss(x, target, reduction=1).shape == ()


def test_deprecated_orders_of_arguments_still_work() -> None:
    program = """
import warnings, torch
x, y, m = torch.ones(2), torch.full((2,), 3.0), torch.ones(2, 2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert torch.equal(torch.add(x, 2, y), x + 2 * y)
    assert torch.equal(x.clone().add_(2, y), x + 2 * y)
    assert torch.equal(torch.sub(x, 2, y, out=torch.empty(2)), x - 2 * y)
    assert torch.equal(x.addcmul(5, x, y), x + 5 * x * y)
    assert torch.equal(torch.addmm(2, m, 3, m, m), 2 * m + 3 * m @ m)
    assert torch.equal(m.addmm(2, m, m), 2 * m + m @ m)
(warning,) = caught
assert issubclass(warning.category, UserWarning)
print(warning.message)
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith(
        "This overload of add is deprecated:\n"
        "\tadd(Tensor input, Number alpha, Tensor other, *, Tensor out = None)\n"
        "Consider using one of the following signatures instead:\n"
        "\tadd(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)"
    )


@pytest.mark.filterwarnings("ignore:This overload")
@pytest.mark.parametrize(
    ("name", "left", "right"), [("addbmm", (2, 2, 3), (2, 3, 2)), ("addr", (2,), (2,))]
)
def test_deprecated_orders_of_functions_written_in_python(
    name: str, left: tuple[int, ...], right: tuple[int, ...]
) -> None:
    m, a, b = torch.ones(2, 2), torch.ones(left), torch.full(right, 2.0)
    function, out = getattr(torch, name), torch.empty(2, 2)
    twice, both = function(m, a, b, beta=2), function(m, a, b, beta=2, alpha=3)
    assert torch.equal(function(2, m, a, b), twice)
    assert function(2, m, 3, a, b, out=out) is out and torch.equal(out, both)
    assert torch.equal(getattr(m, name)(2, a, b), twice)
    assert torch.equal(getattr(m, name)(2, 3, a, b), both)
    assert torch.equal(getattr(m.clone(), f"{name}_")(2, a, b), twice)
    with pytest.raises(TypeError):
        function(2, 3, m, a, b)


@pytest.mark.parametrize("function", [torch.tril_indices, torch.triu_indices])
def test_indices_of_triangles_are_integers(function: object) -> None:
    assert function(2, 3, dtype=torch.int32).dtype == torch.int32  # type: ignore[operator]
    assert function(2, 3, device="meta").shape[0] == 2  # type: ignore[operator]
    for dtype in (torch.float32, torch.bool, torch.uint8, torch.int16):
        with pytest.raises(NotImplementedError, match="not implemented for"):
            function(2, 3, dtype=dtype)  # type: ignore[operator]
    if not torch.cuda.is_available():
        with pytest.raises(RuntimeError, match="pin_memory=True requires"):
            function(2, 3, pin_memory=True)  # type: ignore[operator]


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_cumulative_results_cannot_be_boolean(name: str) -> None:
    x, function = torch.tensor([True, False]), getattr(torch, name)
    message = f"\"{name}_out_cpu\" not implemented for 'Bool'"
    for call in (
        lambda: getattr(x.clone(), f"{name}_")(0),
        lambda: function(x, 0, dtype=torch.bool),
        lambda: function(x, 0, out=torch.empty(2, dtype=torch.bool)),
    ):
        with pytest.raises(NotImplementedError) as raised:
            call()
        assert str(raised.value) == message
    assert getattr(torch.tensor(True), f"{name}_")(0).item() is True
    assert getattr(torch.empty(0, dtype=torch.bool), f"{name}_")(0).shape == (0,)
    assert function(x, 0).dtype == torch.int64


@pytest.mark.parametrize("function", [torch.mvlgamma, torch.special.multigammaln])
def test_outputs_of_mvlgamma(function: object) -> None:
    x = torch.tensor([3.0, 4.0])
    out = torch.empty(2, dtype=torch.float64)
    assert function(x, 2, out=out) is out  # type: ignore[operator]
    torch.testing.assert_close(out.float(), torch.mvlgamma(x, 2))
    with pytest.raises(RuntimeError, match="mvlgamma: result type Float can't be cast"):
        function(x, 2, out=torch.empty(2, dtype=torch.int64))  # type: ignore[operator]
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        function(x.requires_grad_(), 2, out=torch.empty(2))  # type: ignore[operator]
    with pytest.raises(RuntimeError, match="mvlgamma: result type Long can't be cast"):
        torch.tensor([3, 4]).mvlgamma_(2)
    with pytest.raises(NotImplementedError, match="ComplexFloat"):
        function(x.detach().to(torch.complex64), 1)  # type: ignore[operator]


X = torch.arange(1.0, 10.0).reshape(3, 3) + torch.eye(3)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("diag", (X,)),
        ("nansum", (X, 0)),
        ("nanmean", (X,)),
        ("deg2rad", (X,)),
        ("signbit", (X,)),
        ("hstack", ([X, X],)),
        ("vstack", ([X, X],)),
        ("column_stack", ([X, X],)),
        ("complex", (X, X)),
        ("polar", (X, X)),
        ("cross", (X, X + 1, 0)),
        ("float_power", (X, 2)),
        ("histc", (X, 3)),
        ("kthvalue", (X, 2)),
        ("mode", (X,)),
        ("logit", (X / 20,)),
        ("quantile", (X, 0.5)),
        ("nanquantile", (X, 0.5, 1)),
        ("searchsorted", (X, X)),
        ("bucketize", (X, X[0])),
        ("linalg.det", (X,)),
        ("linalg.inv", (X,)),
        ("linalg.inv_ex", (X,)),
        ("linalg.svd", (X,)),
        ("linalg.svdvals", (X,)),
        ("linalg.qr", (X,)),
        ("linalg.eigh", (X,)),
        ("linalg.solve", (X, X)),
        ("linalg.slogdet", (X,)),
        ("linalg.lu_factor", (X,)),
        ("linalg.lstsq", (X, X)),
    ],
)
def test_results_are_written_to_out(name: str, arguments: tuple[object, ...]) -> None:
    function = attrgetter(name)(torch)
    expected = function(*arguments)
    several = isinstance(expected, tuple)
    outputs = [torch.empty_like(each) for each in (expected if several else [expected])]
    result = function(*arguments, out=tuple(outputs) if several else outputs[0])
    assert all(a is b for a, b in zip(result if several else [result], outputs, strict=True))
    torch.testing.assert_close(tuple(outputs), tuple(expected) if several else (expected,))
    assert pickle.loads(pickle.dumps(function)) is function


def test_scalars_that_do_not_fit_unsigned_types_are_refused() -> None:
    x = torch.zeros(1, dtype=torch.uint8)
    for call in (
        lambda: x.fill_(-1.5),
        lambda: torch.full((1,), -0.5, dtype=torch.uint8),
        lambda: x.masked_fill(torch.tensor([True]), -1.5),
    ):
        with pytest.raises(RuntimeError, match="uint8_t without overflow"):
            call()
    assert x.fill_(-1).item() == 255 and x.fill_(254.5).item() == 254


def test_outputs_of_powers_and_thresholds_have_any_wider_dtype() -> None:
    x = torch.tensor([1, 2])
    for function, arguments in ((torch.pow, (3,)), (torch.square, ()), (torch.threshold, (1, 0))):
        out = torch.empty(2, dtype=torch.float64)
        assert function(x, *arguments, out=out) is out
        assert out.tolist() == function(x, *arguments).tolist()
        with pytest.raises(RuntimeError, match="result type Long can't be cast"):
            function(x, *arguments, out=torch.empty(2, dtype=torch.bool))


def test_dimensions_of_empty_and_of_scalar_tensors() -> None:
    empty = torch.empty(0)
    assert torch.cat([empty, empty], 1).shape == torch.roll(empty, 1, 5).shape == (0,)
    with pytest.raises(IndexError):
        torch.movedim(torch.tensor(1), 0, 1)
    assert torch.zeros(2, device="meta")._version == torch.ones(2, device="meta")._version == 0
    with pytest.raises(RuntimeError, match="max must be larger than min"):
        torch.histc(torch.tensor([1]), 2, 3, 1)
    half, target = torch.ones(2, dtype=torch.float16), torch.tensor([2, 3])
    loss = torch.nn.functional.poisson_nll_loss(half, target, full=True, reduction="none")
    assert loss.dtype == torch.float16


@pytest.mark.parametrize("function", [torch.broadcast_tensors, torch.cartesian_prod])
def test_one_sequence_does_not_replace_tensors(function: object) -> None:
    assert len(function(A, A)) in (2, 4)  # type: ignore[operator]
    with pytest.raises(TypeError, match="expected Tensor as element 0 in argument 0, but got list"):
        function([A, A])  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: torch.add(A, A, alpha=x), "argument 'alpha' must be Number, not Tensor"),
        (lambda x: torch.full((2,), x), "argument 'fill_value' (position 2) must be Number"),
        (lambda x: torch.celu(A, x), "argument 'alpha' (position 2) must be Number, not Tensor"),
        (lambda x: torch.dropout(A, x, False), "argument 'p' (position 2) must be float"),
        (lambda x: torch.rand(2).uniform_(0.0, x), "argument 'to' (position 2) must be float"),
        (lambda x: torch.normal(x, 1.0, (2,)), "received an invalid combination of arguments"),
    ],
)
def test_tensors_with_gradients_are_no_numbers(call: Any, message: str) -> None:
    call(torch.tensor(0.5))
    with pytest.raises(TypeError) as raised:
        call(torch.tensor(0.5, requires_grad=True))
    assert message in str(raised.value)


@pytest.mark.parametrize("mean", [0.5, torch.tensor(0.5)])
@pytest.mark.parametrize("std", [2.0, torch.tensor(2.0)])
def test_normal_of_a_size_takes_numbers_in_tensors(mean: Any, std: Any) -> None:
    torch.manual_seed(0)
    expected = torch.normal(0.5, 2.0, (2, 3))
    torch.manual_seed(0)
    assert torch.normal(mean, std, (2, 3)).equal(expected)
    torch.manual_seed(0)
    assert torch.normal(mean, std, size=[2, 3]).equal(expected)


def test_sizes_are_read_from_arrays_without_dimensions() -> None:
    two, three = np.array(2), np.array(3)
    x = torch.zeros(2, 3)
    assert torch.ones(two, 3).shape == torch.ones((2, three)).shape == (2, 3)
    assert torch.ones((two, three)).shape == x.view((three, two)).t().shape == (2, 3)
    assert x.sum((np.int64(0), np.array(1))).shape == ()
    with pytest.raises(TypeError, match="but found element of type float at pos 0"):
        torch.ones((3.0, 4))
    with pytest.raises(TypeError, match=r"but found element of type numpy\.ndarray at pos 0"):
        torch.ones((np.array(3.0), 4))
