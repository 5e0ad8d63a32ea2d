"""Measurements of a device that its driver reports through nvidia-ml-py."""

from __future__ import annotations

from typing import Any

from torch.cuda._devices import Device, _get_device_index


def _handle(device: Device) -> tuple[Any, Any]:
    try:
        import pynvml
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "nvidia-ml-py does not seem to be installed or it can't be imported."
        ) from error
    pynvml.nvmlInit()
    return pynvml, pynvml.nvmlDeviceGetHandleByIndex(_get_device_index(device, optional=True))


def utilization(device: Device = None) -> int:
    """Return the percentage of the last second in which a kernel ran.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.utilization()  # doctest: +SKIP
        97
    """
    nvml, handle = _handle(device)
    return nvml.nvmlDeviceGetUtilizationRates(handle).gpu


def memory_usage(device: Device = None) -> int:
    """Return the percentage of the last second in which memory was read or written.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.memory_usage()  # doctest: +SKIP
        40
    """
    nvml, handle = _handle(device)
    return nvml.nvmlDeviceGetUtilizationRates(handle).memory


def device_memory_used(device: Device = None) -> int:
    """Return the bytes of memory that all processes use on a device.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.device_memory_used()  # doctest: +SKIP
        2147483648
    """
    nvml, handle = _handle(device)
    return nvml.nvmlDeviceGetMemoryInfo(handle).used


def temperature(device: Device = None) -> int:
    """Return the temperature of a device in degrees Celsius.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.temperature()  # doctest: +SKIP
        54
    """
    nvml, handle = _handle(device)
    return nvml.nvmlDeviceGetTemperature(handle, 0)


def power_draw(device: Device = None) -> int:
    """Return the power that a device draws, in milliwatts.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.power_draw()  # doctest: +SKIP
        284000
    """
    nvml, handle = _handle(device)
    return nvml.nvmlDeviceGetPowerUsage(handle)


def clock_rate(device: Device = None) -> int:
    """Return the clock rate of the multiprocessors in megahertz.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.clock_rate()  # doctest: +SKIP
        1755
    """
    nvml, handle = _handle(device)
    return nvml.nvmlDeviceGetClockInfo(handle, 1)
