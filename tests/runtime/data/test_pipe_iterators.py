"""Iterators of pipes, their errors, hooks and events. The messages are PyTorch's."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from torch.utils.data import IterDataPipe, MapDataPipe
from torch.utils.data.datapipes import iter as pipes
from torch.utils.data.datapipes import map as keyed

Wrapper = pipes.IterableWrapper


def add_one(x: int) -> int:
    return x + 1


def add(x: int, y: int) -> int:
    return x + y


def test_a_new_iterator_makes_the_earlier_one_invalid() -> None:
    pipe = Wrapper(range(5))
    first = iter(pipe)
    assert next(first) == 0
    assert next(iter(pipe)) == 0
    with pytest.raises(RuntimeError, match=r"another iterator has been created.*iterable=range"):
        next(first)
    assert list(pipe) == list(pipe) == [0, 1, 2, 3, 4]


def test_subclasses_may_call_the_iterator_of_their_base() -> None:
    class Twice(Wrapper):
        def __iter__(self) -> Iterator[Any]:
            for item in super().__iter__():
                yield from (item, item)

    assert list(Twice("ab")) == ["a", "a", "b", "b"]


def test_a_pipe_is_reset_before_it_is_iterated_over() -> None:
    class Counter(IterDataPipe):
        def __init__(self) -> None:
            self.count = 7

        def reset(self) -> None:
            self.count = 0

        def __iter__(self) -> Iterator[int]:
            return self

        def __next__(self) -> int:
            self.count += 1
            if self.count > 2:
                raise StopIteration
            return self.count

        def position(self) -> int:
            return self.count

    pipe = Counter()
    items: Any = iter(pipe)
    assert (next(items), items.position(), list(pipe)) == (1, 1, [1, 2])


def test_children_of_a_fork_are_iterated_over_together() -> None:
    source = Wrapper(range(3))
    assert source.fork(1) is source
    first, second = source.fork(2)
    assert (list(first), list(second)) == ([0, 1, 2], [0, 1, 2])
    items, others = iter(first), iter(second)
    assert (next(items), next(others)) == (0, 0)
    with pytest.warns(UserWarning, match="Some child DataPipes are not exhausted"):
        assert list(first) == [0, 1, 2]
    with pytest.raises(RuntimeError, match="from one of the ChildDataPipes of _ForkerIterDataPipe"):
        next(others)
    assert list(pickle.loads(pickle.dumps(first))) == [0, 1, 2]  # the position is not pickled
    assert (second.instance_id, type(second).__name__) == (1, "_ChildDataPipe")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Wrapper([1]).map(3), TypeError, "A callable function is expected, but"),
        (lambda: Wrapper([1]).map(add, input_col=0), ValueError, "takes 2 positional parameters"),
        (lambda: Wrapper([1]).filter(add), ValueError, "takes 2 positional parameters"),
        (lambda: Wrapper([1]).shuffle(buffer_size=0), AssertionError, "should be larger than 0"),
        (lambda: pipes.Sampler(iter([1])), AssertionError, "implemented `__len__`"),
        (lambda: Wrapper([1]).groupby(add_one, group_size=0), AssertionError, "group_size must be"),
        (lambda: Wrapper([1]).concat([2]), TypeError, "Expected all inputs to be `IterDataPipe`$"),
        (lambda: pipes.Concater(), ValueError, "Expected at least one DataPipe"),
        (lambda: pipes.Zipper(3), TypeError, "for `ZipIterDataPipe`"),
        (lambda: keyed.Zipper(3), TypeError, "Expected all inputs to be `MapDataPipe`$"),
        (lambda: Wrapper([1]).fork(0), ValueError, "Expected `num_instances` larger than 0"),
        (lambda: Wrapper([1]).fork(2, copy="x"), ValueError, "Unknown copy method `x` requested"),
        (lambda: list(Wrapper([1, 2]).fork(2, 0)[0]), BufferError, "buffer size 0 is insufficient"),
        (lambda: len(Wrapper(iter([1]))), TypeError, "instance doesn't have valid length"),
        (lambda: list(Wrapper(5, deepcopy=False)), TypeError, "thrown by __iter__ of .*iterable=5"),
        (
            lambda: list(Wrapper([(1, 2)]).map(add_one, input_col=5)),
            IndexError,
            r"thrown by __iter__ of MapperIterDataPipe\(datapipe=.*, fn=add_one, input_col=5",
        ),
    ],
)
def test_mistakes_are_errors(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_what_cannot_be_copied_is_used_as_it_is() -> None:
    with pytest.warns(UserWarning, match="input iterable can not be deepcopied"):
        assert list(Wrapper(i for i in range(2))) == [0, 1]
    with pytest.warns(UserWarning, match="input sequence can not be deepcopied"):
        keyed.SequenceWrapper(i for i in range(2))
    with pytest.warns(UserWarning, match="Unlimited buffer size is set for `fork`"):
        Wrapper([1]).fork(2, buffer_size=-1)


@pytest.mark.parametrize("kind", [IterDataPipe, MapDataPipe])
def test_libraries_replace_methods_of_all_pipes(kind: Any) -> None:
    pipe: Any = Wrapper([1]) if kind is IterDataPipe else keyed.SequenceWrapper([1])
    try:
        kind.set_getstate_hook(lambda state: sorted(state))
        assert "deepcopy" in pipe.__getstate__() or pipe.__getstate__() == ["sequence"]
        with pytest.raises(RuntimeError, match="Attempt to override existing getstate_hook"):
            kind.set_getstate_hook(lambda state: state)
        kind.set_reduce_ex_hook(lambda pipe: (int, ()))
        assert pickle.loads(pickle.dumps(pipe)) == 0
        kind.str_hook = lambda pipe: "text"
        assert str(pipe) == "text" and repr(pipe) != "text"
    finally:
        kind.set_getstate_hook(None)
        kind.set_reduce_ex_hook(None)
        kind.str_hook = None
    assert list(pickle.loads(pickle.dumps(pipe.map(add_one)))) == [2]
    assert "map" in dir(pipe) and pipe.map.__doc__ == type(pipe.map(add_one)).__doc__


def test_profiles_have_the_steps_of_pipes() -> None:
    from torch.autograd.profiler import profile

    with profile() as prof:
        list(Wrapper([1, 2]).map(add_one))
    counts = {row.key: row.count for row in prof.key_averages()}
    assert counts == {
        "MapperIterDataPipe(datapipe=IterableWrapperIterDataPipe, fn=add_one, input_col=None, "
        "output_col=None)": 3,
        "IterableWrapperIterDataPipe(deepcopy=True, iterable=[1, 2])": 3,
    }
