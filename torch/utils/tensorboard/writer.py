"""SummaryWriter: scalars, texts, histograms and images in an event file."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from typing import Any

import torch
from torch.utils.tensorboard import _embedding, summary
from torch.utils.tensorboard._file_writer import FileWriter


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
            double_precision: Whether a tensor has 64 bits; other numbers have 32.
        """
        made = summary.scalar(tag, scalar_value, None, new_style, double_precision)
        self._get_file_writer().add_summary(made, global_step, walltime)

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
            made = summary.scalar(main_tag, value)
            self.all_writers[folder].add_summary(made, global_step, walltime)

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
        made = summary.text(tag, text_string)
        self._get_file_writer().add_summary(made, global_step, walltime)

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
        made = summary.histogram(tag, values, bins, max_bins)
        self._get_file_writer().add_summary(made, global_step, walltime)

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
        made = summary.image(tag, img_tensor, dataformats=dataformats)
        self._get_file_writer().add_summary(made, global_step, walltime)

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
        made = summary.image(tag, img_tensor, dataformats=dataformats)
        self._get_file_writer().add_summary(made, global_step, walltime)

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
            hparam_domain_discrete: The values that a parameter can have, by name.
            run_name: The name of the folder; the time by default.
            global_step: The step they belong to.
        """
        summaries = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        writer = FileWriter(folder, *self._settings)
        for each in summaries:
            writer.add_summary(each, global_step)
        for name, value in metric_dict.items():
            writer.add_summary(summary.scalar(name, value), global_step)
        writer.close()

    def add_tensor(
        self,
        tag: str,
        tensor: torch.Tensor,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Add a tensor.

        Args:
            tag: Its name.
            tensor: The tensor.
            global_step: The step it belongs to.
            walltime: The time in seconds; now by default.
        """
        made = summary.tensor_proto(tag, tensor)
        self._get_file_writer().add_summary(made, global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Add a histogram that was counted elsewhere.

        Args:
            tag: Its name.
            min: The smallest element.
            max: The greatest element.
            num: The number of elements.
            sum: Their sum.
            sum_squares: The sum of their squares.
            bucket_limits: The upper limits of the intervals.
            bucket_counts: The numbers of elements in them.
            global_step: The step it belongs to.
            walltime: The time in seconds; now by default.

        Raises:
            ValueError: If there are not as many limits as counts.
        """
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        made = summary.histogram_raw(
            tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts
        )
        self._get_file_writer().add_summary(made, global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Add a sound.

        Args:
            tag: Its name.
            snd_tensor: The samples of one channel, from -1 to 1.
            global_step: The step it belongs to.
            sample_rate: Samples in a second.
            walltime: The time in seconds; now by default.
        """
        made = summary.audio(tag, snd_tensor, sample_rate)
        self._get_file_writer().add_summary(made, global_step, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Add a curve of precision and recall.

        Args:
            tag: Its name.
            labels: 0 or 1 for each element.
            predictions: Its probability.
            global_step: The step it belongs to.
            num_thresholds: The number of thresholds, 127 at most.
            weights: The weight of each element.
            walltime: The time in seconds; now by default.
        """
        made = summary.pr_curve(tag, labels, predictions, num_thresholds, weights)
        self._get_file_writer().add_summary(made, global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Add a curve of precision and recall that was computed elsewhere.

        Args:
            tag: Its name.
            true_positive_counts: True positives at each threshold.
            false_positive_counts: False positives.
            true_negative_counts: True negatives.
            false_negative_counts: False negatives.
            precision: The precisions.
            recall: The recalls.
            global_step: The step it belongs to.
            num_thresholds: The number of thresholds, 127 at most.
            weights: Accepted for compatibility; has no effect.
            walltime: The time in seconds; now by default.
        """
        counts = (true_positive_counts, false_positive_counts, true_negative_counts)
        made = summary.pr_curve_raw(
            tag, *counts, false_negative_counts, precision, recall, num_thresholds, weights
        )
        self._get_file_writer().add_summary(made, global_step, walltime)

    def add_custom_scalars(self, layout: Any) -> None:
        """Add how plots are laid out.

        Args:
            layout: For each category, the charts by title: ["Multiline", tags], or
                ["Margin", [value, lower limit, upper limit]].
        """
        self._get_file_writer().add_summary(summary.custom_scalars(layout))

    def add_custom_scalars_multilinechart(
        self, tags: Any, category: str = "default", title: str = "untitled"
    ) -> None:
        """Add a layout with one plot of several numbers.

        Args:
            tags: Their names.
            category: The category of the plot.
            title: Its title.
        """
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Any, category: str = "default", title: str = "untitled"
    ) -> None:
        """Add a layout with one plot of a number between two limits.

        Args:
            tags: The names of the number, its lower and its upper limit.
            category: The category of the plot.
            title: Its title.
        """
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_mesh(
        self,
        tag: str,
        vertices: torch.Tensor,
        colors: torch.Tensor | None = None,
        faces: torch.Tensor | None = None,
        config_dict: Any = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Add point clouds or meshes.

        Args:
            tag: Their name.
            vertices: Positions, (batch, points, 3).
            colors: Colours from 0 to 255, (batch, points, 3).
            faces: Indices of the points of triangles, (batch, triangles, 3).
            config_dict: Settings of three.js.
            global_step: The step they belong to.
            walltime: The time in seconds; now by default.
        """
        made = summary.mesh(tag, vertices, colors, faces, config_dict)
        self._get_file_writer().add_summary(made, global_step, walltime)

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: torch.Tensor | None = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: Any = None,
    ) -> None:
        """Add points for the projector, in files of their own.

        Args:
            mat: The points, (points, dimensions).
            metadata: A label for each point, or a list of labels.
            label_img: An image for each point, (points, channels, height, width).
            global_step: The step they belong to.
            tag: Their name.
            metadata_header: The names of the labels, if a point has several.
        """
        folder = f"{str(0 if global_step is None else global_step).zfill(5)}/{tag}"
        _embedding.write(
            self.log_dir, folder, tag, torch.as_tensor(mat), metadata, label_img, metadata_header
        )

    def add_graph(self, model: Any, *args: Any, **kwargs: Any) -> None:
        """Raise an error: graphs are not written.

        Args:
            model: The module.
            *args: The inputs.
            **kwargs: Further settings.
        """
        raise NotImplementedError("SummaryWriter.add_graph is not supported")

    def add_onnx_graph(self, prototxt: Any) -> None:
        """Raise an error: graphs are not written.

        Args:
            prototxt: The file.
        """
        raise NotImplementedError("SummaryWriter.add_onnx_graph is not supported")

    def add_video(self, tag: str, vid_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Raise an error: videos are not written.

        Args:
            tag: The name.
            vid_tensor: The video.
            *args: Further settings.
            **kwargs: Further settings.
        """
        raise NotImplementedError("SummaryWriter.add_video is not supported")

    def add_image_with_boxes(self, tag: str, img_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Raise an error: boxes are not drawn.

        Args:
            tag: The name.
            img_tensor: The image.
            *args: The boxes, and further settings.
            **kwargs: Further settings.
        """
        raise NotImplementedError(
            "SummaryWriter.add_image_with_boxes is not supported; draw the boxes and use add_image"
        )

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
