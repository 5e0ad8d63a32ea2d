"""The command line. User errors end here: a message on stderr and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tools.setup_helpers.errors import BuildError
from tools.setup_helpers.file_manager import FileManager
from tools.setup_helpers.generation import Generation, Record, read_records, write_records
from tools.setup_helpers.globs import find_files

_ROOT = Path(__file__).parents[2]
_SOURCES = (
    "tools/codegen/**/*.py",
    "tools/autograd/*.py",
    "tools/autograd/templates/*",
    "tools/pyi/*",
    "aten/src/ATen/templates/*",
)
"""What generated files depend on besides the operator files, relative to the checkout."""


def main(arguments: list[str]) -> int:
    """Run one command; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _facts(options) if options.command == "facts" else _generate(options)
    except BuildError as error:
        print(f"tools.codegen: {error}", file=sys.stderr)
    except OSError as error:
        print(f"tools.codegen: {error.strerror}: {error.filename}", file=sys.stderr)
    except Exception as error:
        # Importing the class would cost what a run with nothing to do saves.
        if type(error).__name__ != "InputError":
            raise
        print(error, file=sys.stderr)
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
    generate_parser.add_argument(
        "--only", metavar="FAMILY", help="one family, whatever was generated before"
    )
    generate_parser.add_argument(
        "--everything", action="store_true", help="also write the files for people to read"
    )
    facts_parser = commands.add_parser("facts", parents=[inputs], help="write facts as JSON")
    facts_parser.add_argument("-o", dest="output", type=Path, required=True, metavar="FILE")
    return parser


def _facts(options: argparse.Namespace) -> int:
    import json

    from tools.codegen.facts import facts
    from tools.codegen.read import OperatorFile, build_operators

    native_functions = OperatorFile.read(options.native_functions)
    operators = build_operators(native_functions, OperatorFile.read(options.tags))
    text = json.dumps(facts(operators), indent=1, sort_keys=True)
    options.output.write_text(text + "\n", encoding="utf-8")
    return 0


def _generate(options: argparse.Namespace) -> int:
    if options.only is not None:
        return _generate_family(options)
    records = read_records(options.out)
    record = records.get("generate", {})
    generation = _look(options, record)
    reason = generation.reason()
    if not reason:
        print(f"{len(record['outputs'])} files are up to date")
        return 0
    files = FileManager(options.out, "")
    if generation.reusable:
        files.reusable, files.last_meaning = record["outputs"], record["meaning"]
    _make(options, files)
    changed, gone = files.commit(record.get("outputs", {}))
    write_records(options.out, {"generate": generation.record(files.entries(), files.meaning)})
    removed = f", {len(gone)} removed" if gone else ""
    print(f"{reason}: {len(files.outputs)} files, {len(changed)} written{removed}")
    return 0


def _look(options: argparse.Namespace, record: Record) -> Generation:
    native_functions = os.path.abspath(options.native_functions)
    inputs = [native_functions, os.path.abspath(options.tags), *find_files(_ROOT, _SOURCES)]
    settings = [str(options.everything)]
    return Generation.look(
        str(_ROOT), str(options.out), record, inputs, settings, [native_functions]
    )


def _make(options: argparse.Namespace, files: FileManager) -> None:
    """Collect the files, unless the operators are what they were at the last run."""
    from tools.codegen.generate import generate
    from tools.codegen.read import OperatorFile, build_operators

    native_functions = OperatorFile.read(options.native_functions)
    if options.only is None and files.unchanged(native_functions.meaning):
        return
    operators = build_operators(native_functions, OperatorFile.read(options.tags))
    generate(operators, files, options.only, everything=options.everything)
    files.make()


def _generate_family(options: argparse.Namespace) -> int:
    """Write one family; records and the files of others stay as they are."""
    from tools.codegen.generate import FAMILIES

    if options.only not in FAMILIES:
        known = ", ".join(sorted(FAMILIES))
        print(f"tools.codegen: no family {options.only!r}; there are: {known}", file=sys.stderr)
        return 2
    files = FileManager(options.out, "")
    _make(options, files)
    changed, _ = files.commit(())
    print(f"{options.only}: {len(files.outputs)} files, {len(changed)} written")
    return 0
