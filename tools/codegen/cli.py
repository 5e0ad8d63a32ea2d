"""The command line. User errors end here: a message on stderr and exit code 2."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tools.codegen.errors import InputError
from tools.codegen.facts import facts
from tools.codegen.generate import FAMILIES, generate
from tools.codegen.model import Operators
from tools.codegen.read import read_files
from tools.codegen.templates import Templates

_TEMPLATES = Path(__file__).parents[2] / "aten/src/ATen/templates"


@dataclass
class Pending:
    """Collects files in memory, so that nothing is written before everything is known."""

    files: dict[str, str] = field(default_factory=dict)

    def write(self, relative_path: str, text: str) -> None:
        if relative_path in self.files:
            raise ValueError(f"two writers of {relative_path}")
        self.files[relative_path] = text

    def flush(self, root: Path) -> int:
        """Write the files that changed, each atomically; the number written."""
        written = 0
        folders: set[Path] = set()
        for relative_path, text in self.files.items():
            path, data = root / relative_path, text.encode()
            try:
                if path.read_bytes() == data:
                    continue
            except FileNotFoundError:
                pass
            if path.parent not in folders:
                path.parent.mkdir(parents=True, exist_ok=True)
                folders.add(path.parent)
            temporary = path.with_name(path.name + ".tmp")
            temporary.write_bytes(data)
            temporary.replace(path)
            written += 1
        return written


def main(arguments: list[str]) -> int:
    """Run one command; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        operators = read_files(options.native_functions, options.tags)
        run = _facts if options.command == "facts" else _generate
        return run(options, operators)
    except InputError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"tools.codegen: {error.strerror}: {error.filename}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.codegen", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    inputs = argparse.ArgumentParser(add_help=False)
    inputs.add_argument("--native-functions", type=Path, required=True, metavar="FILE")
    inputs.add_argument("--tags", type=Path, required=True, metavar="FILE")
    generate_parser = commands.add_parser(
        "generate", parents=[inputs], help="write the generated C++"
    )
    generate_parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    generate_parser.add_argument("--only", choices=sorted(FAMILIES), metavar="FAMILY")
    generate_parser.add_argument(
        "--everything", action="store_true", help="also write the files for people to read"
    )
    facts_parser = commands.add_parser("facts", parents=[inputs], help="write facts as JSON")
    facts_parser.add_argument("-o", dest="output", type=Path, required=True, metavar="FILE")
    return parser


def _facts(options: argparse.Namespace, operators: Operators) -> int:
    text = json.dumps(facts(operators), indent=1, sort_keys=True)
    options.output.write_text(text + "\n", encoding="utf-8")
    return 0


def _generate(options: argparse.Namespace, operators: Operators) -> int:
    templates = Templates(lambda name: (_TEMPLATES / name).read_text(encoding="utf-8"))
    pending = Pending()
    generate(operators, templates, pending, options.only, everything=options.everything)
    written = pending.flush(options.out)
    print(f"{len(operators.functions)} operators: {len(pending.files)} files, {written} written")
    return 0
