"""Settings of tuned matrix products, with PyTorch's names and environment variables.

Tuning chooses among several implementations of a product. Here each product has one, so that even
when it is enabled there is nothing to measure: `get_results` has what `read_file` read, and products
stay as they are.
"""

from __future__ import annotations

import csv
import glob
import os
from dataclasses import dataclass
from pathlib import Path

import torch

__all__ = [
    "enable",
    "get_filename",
    "get_max_tuning_duration",
    "get_max_tuning_iterations",
    "get_results",
    "get_rotating_buffer_size",
    "get_validators",
    "is_enabled",
    "mgpu_tune_gemm_in_file",
    "read_file",
    "record_untuned_enable",
    "record_untuned_is_enabled",
    "set_filename",
    "set_max_tuning_duration",
    "set_max_tuning_iterations",
    "set_numerical_check_tolerances",
    "set_rotating_buffer_size",
    "tune_gemm_in_file",
    "tuning_enable",
    "tuning_is_enabled",
]

_PREFIX = "PYTORCH_TUNABLEOP_"


@dataclass
class _Settings:
    """What the functions of this module change."""

    enabled: bool = False
    tuning: bool = True
    record_untuned: bool = False
    max_duration_ms: int = 30
    max_iterations: int = 100
    rotating_buffer_mb: int = 0
    filename: str = ""
    tolerances: tuple[float, float] | None = None


_settings = _Settings()
_results: dict[tuple[str, str], tuple[str, float]] = {}


def _switch(name: str, value: bool) -> bool:
    text = os.environ.get(_PREFIX + name)
    return value if text is None else text == "1"


def _number(name: str, value: int) -> int:
    text = os.environ.get(_PREFIX + name)
    if text is None:
        return value
    try:
        return max(0, int(text))
    except ValueError:
        raise ValueError(f"{_PREFIX}{name} must be a number, but is {text!r}") from None


def _with_ordinal(filename: str) -> str:
    path = Path(filename)
    device = torch.cuda.current_device() if torch.cuda.is_available() else 0
    return str(path.with_name(f"{path.stem}{device}{path.suffix}"))


def enable(val: bool = True) -> None:
    """Turn tuned products on or off. PYTORCH_TUNABLEOP_ENABLED takes precedence.

    Example:
        >>> torch.cuda.tunable.enable(False)
    """
    _settings.enabled = val


def is_enabled() -> bool:
    """Return whether tuned products are on.

    Example:
        >>> torch.cuda.tunable.is_enabled()
        False
    """
    return _switch("ENABLED", _settings.enabled)


def tuning_enable(val: bool = True) -> None:
    """Turn the search for implementations on or off. PYTORCH_TUNABLEOP_TUNING takes precedence.

    Example:
        >>> torch.cuda.tunable.tuning_enable()
    """
    _settings.tuning = val


def tuning_is_enabled() -> bool:
    """Return whether implementations are searched for once tuned products are on.

    Example:
        >>> torch.cuda.tunable.tuning_is_enabled()
        True
    """
    return _switch("TUNING", _settings.tuning)


def record_untuned_enable(val: bool = True) -> None:
    """Turn the record of products to tune later on or off; it stays empty.

    PYTORCH_TUNABLEOP_RECORD_UNTUNED takes precedence.

    Example:
        >>> torch.cuda.tunable.record_untuned_enable(False)
    """
    _settings.record_untuned = val


def record_untuned_is_enabled() -> bool:
    """Return whether products are recorded to be tuned later.

    Example:
        >>> torch.cuda.tunable.record_untuned_is_enabled()
        False
    """
    return _switch("RECORD_UNTUNED", _settings.record_untuned)


def set_max_tuning_duration(duration: int) -> None:
    """Set how many milliseconds an implementation is measured at most.

    Example:
        >>> torch.cuda.tunable.set_max_tuning_duration(30)
    """
    _settings.max_duration_ms = max(0, duration)


def get_max_tuning_duration() -> int:
    """Return how many milliseconds an implementation is measured at most.

    Example:
        >>> torch.cuda.tunable.get_max_tuning_duration()
        30
    """
    return _number("MAX_TUNING_DURATION_MS", _settings.max_duration_ms)


def set_max_tuning_iterations(iterations: int) -> None:
    """Set how often an implementation is run at most.

    Example:
        >>> torch.cuda.tunable.set_max_tuning_iterations(100)
    """
    _settings.max_iterations = max(0, iterations)


def get_max_tuning_iterations() -> int:
    """Return how often an implementation is run at most.

    Example:
        >>> torch.cuda.tunable.get_max_tuning_iterations()
        100
    """
    return _number("MAX_TUNING_ITERATIONS", _settings.max_iterations)


def set_filename(filename: str, insert_device_ordinal: bool = False) -> None:
    """Set the file of the results.

    Args:
        filename: Its path.
        insert_device_ordinal: Whether the device's number is inserted before the suffix.

    Example:
        >>> torch.cuda.tunable.set_filename("results.csv")
        >>> torch.cuda.tunable.get_filename()
        'results.csv'
        >>> torch.cuda.tunable.set_filename("")
    """
    _settings.filename = _with_ordinal(filename) if insert_device_ordinal else filename


def get_filename() -> str:
    """Return the file of the results; PYTORCH_TUNABLEOP_FILENAME if none was set.

    Example:
        >>> torch.cuda.tunable.get_filename()
        ''
    """
    if _settings.filename:
        return _settings.filename
    named = os.environ.get(_PREFIX + "FILENAME", "")
    return _with_ordinal(named) if named else ""


def get_results() -> tuple[tuple[str, str, str, float], ...]:
    """Return rows of an operator, its sizes, the chosen implementation and its milliseconds.

    Example:
        >>> torch.cuda.tunable.get_results()
        ()
    """
    return tuple((*key, *found) for key, found in _results.items())


def get_validators() -> tuple[tuple[str, str], ...]:
    """Return names and values that a file must have for its results to be valid.

    Example:
        >>> dict(torch.cuda.tunable.get_validators()).keys()
        dict_keys(['PT_VERSION'])
    """
    return (("PT_VERSION", torch.__version__.partition("+")[0]),)


def read_file(filename: str | None = None) -> bool:
    """Read results, which replace those of the same operators and sizes.

    Args:
        filename: A CSV file of validators and results; `get_filename()` if None.

    Returns:
        False if there is no such file, or it was written under other validators.

    Raises:
        ValueError: If a line is neither a validator nor a result.

    Example:
        >>> torch.cuda.tunable.read_file("missing.csv")
        False
    """
    path = Path(get_filename() if filename is None else filename)
    if not path.is_file():
        return False
    validators = set()
    results = {}
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.reader(file), 1):
            match row:
                case []:
                    pass
                case ["Validator", name, value]:
                    validators.add((name, value))
                case [operator, sizes, choice, *rest] if len(rest) <= 1:
                    results[operator, sizes] = (choice, _milliseconds(path, number, rest))
                case _:
                    raise ValueError(f"{path}:{number}: not a validator or a result")
    if validators != set(get_validators()):
        return False
    _results.update(results)
    return True


def _milliseconds(path: Path, number: int, fields: list[str]) -> float:
    try:
        return float(fields[0]) if fields else 0.0
    except ValueError:
        raise ValueError(f"{path}:{number}: {fields[0]!r} is not a time") from None


def tune_gemm_in_file(filename: str) -> None:
    """Tune the products of a file; each has one implementation, so this only checks the file.

    Raises:
        AssertionError: If tuned products or the search are off.
        FileNotFoundError: If there is no such file.

    Example:
        >>> torch.cuda.tunable.tune_gemm_in_file("untuned.csv")  # doctest: +SKIP
    """
    assert is_enabled(), "torch.cuda.tunable.enable() comes first"
    assert tuning_is_enabled(), "torch.cuda.tunable.tuning_enable() comes first"
    with open(filename, encoding="utf-8"):
        pass


def mgpu_tune_gemm_in_file(filename_pattern: str, num_gpus: int) -> None:
    """Tune the products of several files, as `tune_gemm_in_file` does.

    Args:
        filename_pattern: A pattern of file names.
        num_gpus: How many devices share the work, at least 1.

    Raises:
        ValueError: If there are not so many devices.

    Example:
        >>> torch.cuda.tunable.mgpu_tune_gemm_in_file("untuned*.csv", 2)  # doctest: +SKIP
    """
    if not 1 <= num_gpus <= torch.cuda.device_count():
        raise ValueError(f"num_gpus must be from 1 to {torch.cuda.device_count()}: {num_gpus}")
    for filename in sorted(glob.glob(filename_pattern)):
        tune_gemm_in_file(filename)


def set_rotating_buffer_size(buffer_size: int) -> None:
    """Set the MiB of operands that measurements go through; 0 means one set of operands.

    Example:
        >>> torch.cuda.tunable.set_rotating_buffer_size(0)
    """
    _settings.rotating_buffer_mb = max(0, buffer_size)


def get_rotating_buffer_size() -> int:
    """Return the MiB of operands that measurements go through.

    Example:
        >>> torch.cuda.tunable.get_rotating_buffer_size()
        0
    """
    return _number("ROTATING_BUFFER_SIZE", _settings.rotating_buffer_mb)


def set_numerical_check_tolerances(enable: bool, atol: float = 1e-5, rtol: float = 1e-5) -> None:
    """Set whether and how closely a tuned product must agree with the default one.

    Example:
        >>> torch.cuda.tunable.set_numerical_check_tolerances(False)
    """
    _settings.tolerances = (atol, rtol) if enable else None
