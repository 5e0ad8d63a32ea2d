"""Compare models of other libraries with PyTorch: forward and training step, and the import of each library.

    TORCH_PEER=/path/to/python python benchmarks/model_bench.py --libraries FOLDER

FOLDER holds the libraries of the dependency group `ecosystem`, installed with --no-deps. Each number is the
median of several rounds, in which the two sides take turns; PyTorch's time is 1.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODELS = ("resnet18", "vit_tiny", "bert", "llama", "pyro_svi")
IMPORTS = (
    "timm",
    "transformers.models.bert.modeling_bert",
    "transformers.models.llama.modeling_llama",
)
IMPORTS += (
    "torchvision",
    "torchmetrics",
    "accelerate",
    "peft",
    "lightning",
    "pyro",
    "einops.layers.torch",
)
ROUNDS = 5


# ---- one side ------------------------------------------------------------------------------------
def vision_model(name: str) -> tuple[Any, Callable[[Any], Any]]:
    """Return a model of timm and a function that computes a loss with it."""
    import timm

    import torch

    found = {"resnet18": "resnet18", "vit_tiny": "vit_tiny_patch16_224"}[name]
    model = timm.create_model(found, num_classes=100)
    images, labels = torch.rand(4, 3, 224, 224), torch.arange(4)
    return model, lambda m: torch.nn.functional.cross_entropy(m(images), labels)


def text_model(name: str) -> tuple[Any, Callable[[Any], Any]]:
    """Return a model of transformers with two layers and a function that computes a loss with it."""
    import transformers

    import torch

    sizes = {
        "vocab_size": 1000,
        "hidden_size": 256,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
    }
    words = torch.randint(0, 1000, (4, 64))
    if name == "bert":
        config = transformers.BertConfig(intermediate_size=1024, **sizes)
        model = transformers.BertForMaskedLM(config)
    else:
        config = transformers.LlamaConfig(intermediate_size=1024, num_key_value_heads=2, **sizes)
        model = transformers.LlamaForCausalLM(config)
    return model, lambda m: m(words, labels=words).loss


def inference_steps() -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return functions that draw from a model of pyro, and that take a step of its inference."""
    import pyro
    from pyro import distributions as dist
    from pyro.infer.autoguide import AutoDiagonalNormal

    import torch

    x = torch.randn(256, 8)

    def model(x: Any, y: Any = None) -> Any:
        weight = pyro.sample("weight", dist.Normal(torch.zeros(8), 1.0).to_event(1))
        with pyro.plate("data", len(x)):
            return pyro.sample("y", dist.Normal(x @ weight, 0.1), obs=y)

    guide, elbo = AutoDiagonalNormal(model), pyro.infer.Trace_ELBO()
    svi = pyro.infer.SVI(model, guide, pyro.optim.Adam({"lr": 0.01}), elbo)
    return lambda: svi.evaluate_loss(x, x.sum(1)), lambda: svi.step(x, x.sum(1))


def measure(function: Callable[[], Any]) -> float:
    """Return the median time of a call, over about half a second."""
    function()
    times: list[float] = []
    while len(times) < 3 or sum(times) < 0.5:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def run_model(name: str, threads: int) -> dict[str, float]:
    """Return the times of a model's rows."""
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    if name == "pyro_svi":
        forward, step = inference_steps()
        return {"forward": measure(forward), "step": measure(step)}
    model, loss_of = (text_model if name in ("bert", "llama") else vision_model)(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def train() -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()

    def infer() -> None:
        with torch.no_grad():
            loss_of(model)

    step_time = measure(train)
    model.eval()
    return {"forward": measure(infer), "step": step_time}


def process_start() -> float:
    """Return when this process began, in seconds since the machine started."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


# ---- both sides ----------------------------------------------------------------------------------
def ask(python: str, libraries: Path, *arguments: str) -> Any:
    """Run this file on one side and return what it printed."""
    paths = [str(libraries)]
    if python == os.environ["TORCH_PEER"]:
        paths.insert(0, str(Path(__file__).parents[1] / "tests" / "ecosystem" / "peer"))
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "HF_HUB_OFFLINE": "1"}
    command = [python, "-W", "ignore", __file__, *arguments]
    printed = subprocess.run(command, env=environ, cwd="/", check=True, capture_output=True).stdout
    return json.loads(printed.splitlines()[-1])


def compare(libraries: Path, *arguments: str) -> dict[str, tuple[float, float]]:
    """Return the median times of both sides for each row of a run."""
    rounds = [
        [
            ask(python, libraries, *arguments)
            for python in (sys.executable, os.environ["TORCH_PEER"])
        ]
        for _ in range(ROUNDS)
    ]
    return {
        row: tuple(statistics.median(times[side][row] for times in rounds) for side in (0, 1))
        for row in rounds[0][0]
    }


def geometric_mean(ratios: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def print_rows(title: str, rows: dict[str, tuple[float, float]]) -> None:
    """Print a table, its geometric mean and its worst row."""
    print(f"\n| {title} | Torchsmith, ms | PyTorch, ms | ratio |\n| --- | ---: | ---: | ---: |")
    for name, (ours, theirs) in rows.items():
        print(f"| {name} | {ours * 1e3:.2f} | {theirs * 1e3:.2f} | {ours / theirs:.2f} |")
    ratios = {name: ours / theirs for name, (ours, theirs) in rows.items()}
    worst = max(ratios, key=ratios.__getitem__)
    mean = geometric_mean(list(ratios.values()))
    print(f"\nGeometric mean {mean:.2f}; worst row {worst}: {ratios[worst]:.2f}")


def main() -> None:
    """Compare all rows, or measure those of one side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", type=Path, help="the folder with the libraries")
    parser.add_argument("--model", choices=MODELS, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--import", dest="imported", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.imported:
        __import__(options.imported)
        # Since the process began: the other side may have loaded torch before this file.
        print(json.dumps({"import": time.clock_gettime(time.CLOCK_BOOTTIME) - process_start()}))
    elif options.model:
        print(json.dumps(run_model(options.model, options.threads)))
    else:
        rows = {}
        for threads in (1, 2):
            for name in MODELS:
                found = compare(options.libraries, "--model", name, "--threads", str(threads))
                rows |= {f"{name}, {row}, {threads} threads": t for row, t in found.items()}
        print_rows("model", rows)
        imports = {n: compare(options.libraries, "--import", n)["import"] for n in IMPORTS}
        print_rows("import", imports)


if __name__ == "__main__":
    main()
