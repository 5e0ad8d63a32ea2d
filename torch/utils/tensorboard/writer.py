"""SummaryWriter: scalars, texts, histograms and images in an event file."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import torch
from torch.utils.tensorboard import _events

_created = 0


class FileWriter:
    """Appends events to a file in a folder.

    Args:
        log_dir: The folder.
        max_queue: The number of events to keep in memory before they are written.
        flush_secs: The seconds after which they are written in any case.
        filename_suffix: The end of the file's name.

    Example:
        >>> import tempfile
        >>> from torch.utils.tensorboard import FileWriter
        >>> writer = FileWriter(tempfile.mkdtemp())
        >>> writer.close()
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        global _created
        self._folder = Path(log_dir)
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{time.time():.0f}.{socket.gethostname()}.{os.getpid()}"
        self._path = self._folder / f"{name}.{_created}{filename_suffix}"
        _created += 1
        self._max_queue, self._flush_secs = max_queue, flush_secs
        self._lock = threading.Lock()
        self._queue: list[bytes] = []
        self._flushed = time.monotonic()
        self._file = open(self._path, "ab")  # noqa: SIM115 (close() closes it)
        self._write(_events.event(time.time(), None, _events.FILE_VERSION))

    def get_logdir(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def _write(self, event: bytes) -> None:
        with self._lock:
            self._queue.append(_events.record(event))
            due = time.monotonic() - self._flushed > self._flush_secs
            if len(self._queue) >= self._max_queue or due:
                self._empty_queue()

    def _empty_queue(self) -> None:
        self._file.write(b"".join(self._queue))
        self._queue.clear()
        self._flushed = time.monotonic()

    def add_values(
        self, values: Iterable[bytes], step: int | None, walltime: float | None = None
    ) -> None:
        """Add an event with encoded values of a summary.

        Args:
            values: The values.
            step: The step that they belong to.
            walltime: The time in seconds; now by default.
        """
        moment = time.time() if walltime is None else walltime
        self._write(_events.event(moment, step, _events.summary(values)))

    def flush(self) -> None:
        """Write pending events."""
        with self._lock:
            if not self._file.closed:
                self._empty_queue()
                self._file.flush()

    def close(self) -> None:
        """Write pending events and close the file."""
        self.flush()
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self.close()

    def reopen(self) -> None:
        """Continue the file after `close`."""
        if self._file.closed:
            self._file = open(self._path, "ab")  # noqa: SIM115


class SummaryWriter:
    """Writes what a training run reports, for TensorBoard.

    Args:
        log_dir: The folder; "runs/<time>_<host>" by default.
        comment: The end of the default folder's name.
        purge_step: Accepted for compatibility; has no effect.
        max_queue: The number of events to keep in memory before they are written.
        flush_secs: The seconds after which they are written in any case.
        filename_suffix: The end of the file's name.

    Example:
        >>> import tempfile
        >>> from torch.utils.tensorboard import SummaryWriter
        >>> with SummaryWriter(tempfile.mkdtemp()) as writer:
        ...     for step in range(3):
        ...         writer.add_scalar("loss", 1 / (step + 1), step)
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self._settings = (max_queue, flush_secs, filename_suffix)
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = FileWriter(self.log_dir, *self._settings)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
        return self.file_writer

    def get_logdir(self) -> str:
        """Return the folder."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Add a number.

        Args:
            tag: Its name.
            scalar_value: The number, or a tensor with one element.
            global_step: The step it belongs to.
            walltime: The time in seconds; now by default.
            new_style: Whether to store it as a tensor.
            double_precision: Accepted for compatibility; numbers are stored in 32 bits.
        """
        value = float(scalar_value)
        encode = _events.tensor_scalar if new_style else _events.scalar
        self._get_file_writer().add_values([encode(tag, value)], global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Add several numbers that belong in one plot, each in its own folder.

        Args:
            main_tag: The name of the plot.
            tag_scalar_dict: The numbers by name.
            global_step: The step they belong to.
            walltime: The time in seconds; now by default.
        """
        self._get_file_writer()
        assert self.all_writers is not None
        for tag, value in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, f"{main_tag.replace('/', '_')}_{tag}")
            if folder not in self.all_writers:
                self.all_writers[folder] = FileWriter(folder, *self._settings)
            encoded = _events.scalar(main_tag, float(value))
            self.all_writers[folder].add_values([encoded], global_step, walltime)

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Add a text.

        Args:
            tag: Its name.
            text_string: The text, in Markdown.
            global_step: The step it belongs to.
            walltime: The time in seconds; now by default.
        """
        encoded = _events.text(tag, text_string)
        self._get_file_writer().add_values([encoded], global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Add a histogram.

        Args:
            tag: Its name.
            values: The elements: a tensor, an array or a list.
            global_step: The step it belongs to.
            bins: "tensorflow" for intervals that grow exponentially, a number of intervals, or
                their edges.
            walltime: The time in seconds; now by default.
            max_bins: The largest number of intervals.
        """
        encoded = _events.histogram(tag, torch.as_tensor(values), bins, max_bins)
        self._get_file_writer().add_values([encoded], global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Add an image.

        Args:
            tag: Its name.
            img_tensor: The image: uint8, or numbers from 0 to 1.
            global_step: The step it belongs to.
            walltime: The time in seconds; now by default.
            dataformats: The order of its dimensions: "CHW", "HWC" or "HW".
        """
        encoded = _events.image(tag, _pixels(torch.as_tensor(img_tensor), dataformats.upper()))
        self._get_file_writer().add_values([encoded], global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Add a batch of images in a row, as one image.

        Args:
            tag: Its name.
            img_tensor: The images: uint8, or numbers from 0 to 1.
            global_step: The step they belong to.
            walltime: The time in seconds; now by default.
            dataformats: The order of the dimensions: "NCHW" or "NHWC".
        """
        order = dataformats.upper().replace("N", "")
        rows = [_pixels(each, order) for each in torch.as_tensor(img_tensor)]
        encoded = _events.image(tag, torch.cat(rows, 1))
        self._get_file_writer().add_values([encoded], global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Add a figure of matplotlib, or a list of them, as images.

        Args:
            tag: Its name.
            figure: The figure.
            global_step: The step it belongs to.
            close: Whether to close the figure.
            walltime: The time in seconds; now by default.
        """
        figures = figure if isinstance(figure, (list, tuple)) else [figure]
        images = []
        for each in figures:
            each.canvas.draw()
            images.append(torch.tensor(bytearray(each.canvas.buffer_rgba()), dtype=torch.uint8))
            width, height = each.canvas.get_width_height()
            images[-1] = images[-1].reshape(height, width, 4)[:, :, :3]
            if close:
                import matplotlib.pyplot as plt

                plt.close(each)
        self.add_image(tag, torch.cat(images, 1), global_step, walltime, "HWC")

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: Any = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Add a run's parameters and its results, in a folder of their own.

        Args:
            hparam_dict: The parameters by name.
            metric_dict: The results by name.
            hparam_domain_discrete: Accepted for compatibility; has no effect.
            run_name: The name of the folder; the time by default.
            global_step: The step they belong to.
        """
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        writer = FileWriter(folder, *self._settings)
        for value in _events.hyperparameters(hparam_dict, metric_dict):
            writer.add_values([value], None)
        for name, value in metric_dict.items():
            writer.add_values([_events.scalar(name, float(value))], global_step)
        writer.close()

    def add_graph(self, model: Any, *args: Any, **kwargs: Any) -> None:
        """Raise an error: a graph needs torch.jit.trace.

        Args:
            model: The module.
            *args: The inputs.
            **kwargs: Further settings.
        """
        raise NotImplementedError("SummaryWriter.add_graph needs torch.jit.trace, which is missing")

    def flush(self) -> None:
        """Write pending events."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write pending events and close the files; later events open a new one."""
        for writer in (self.all_writers or {}).values():
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _pixels(image: torch.Tensor, order: str) -> torch.Tensor:
    """Return an image as (height, width, channels) of uint8."""
    if sorted(order) not in (["C", "H", "W"], ["H", "W"]) or image.dim() != len(order):
        raise ValueError(f"an image of {image.dim()} dimensions does not have the format {order}")
    image = image.detach()
    if image.dtype != torch.uint8:
        image = (image * 255).clamp(0, 255).to(torch.uint8)
    if "C" not in order:
        image, order = image.unsqueeze(-1), order + "C"
    image = image.permute([order.index(letter) for letter in "HWC"])
    return image.expand(-1, -1, 3) if image.size(2) == 1 else image
