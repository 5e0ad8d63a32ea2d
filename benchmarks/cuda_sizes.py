"""Measures the code for GPUs in libraries or objects, by architecture.

    python benchmarks/cuda_sizes.py FILE... [--docs FILE]

FILE is what nvcc made, such as libtorch_cuda.so. No toolkit is needed: cuobjdump shows the code, but not the
size that it has in the file, where it is compressed.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from documents import marks_missing, put_table

TABLE = "CUDA code"
# A fat binary is a header and an entry for each architecture, each of which is a header and its code. Headers
# give their own size and that of what follows.
_MAGIC = b"\x50\xed\x55\xba"
_FILE = struct.Struct("<4sHHQ")  # magic, version, size of the header, size of the entries
_ENTRY = struct.Struct("<HHIQ12xI24xQ")  # kind, version, header, code, architecture, decompressed
_KINDS = {1: "PTX", 2: "machine code"}


@dataclass(frozen=True)
class Code:
    """What one entry has, in bytes."""

    kind: str
    architecture: int
    """The compute capability times ten."""
    stored: int
    unpacked: int


def entries(data: bytes) -> Iterator[Code]:
    """Yield the entries of all fat binaries in a file, one for each object that was linked."""
    start = data.find(_MAGIC)
    while start >= 0:
        _, version, header, size = _FILE.unpack_from(data, start)
        end = start + header + size
        if version != 1 or end > len(data):  # the number occurs in other data
            start = data.find(_MAGIC, start + 1)
            continue
        place = start + header
        while place < end:
            kind, _, header, stored, architecture, unpacked = _ENTRY.unpack_from(data, place)
            yield Code(_KINDS.get(kind, f"kind {kind}"), architecture, stored, unpacked or stored)
            place += header + stored
        start = data.find(_MAGIC, end)


def table(found: Iterable[Code]) -> str:
    """Return the table in Markdown, with a row for each architecture."""
    rows: dict[tuple[int, str], list[Code]] = defaultdict(list)
    for code in found:
        rows[code.architecture, code.kind].append(code)
    lines = [
        "| architecture | kind | parts | in the file, MB | unpacked, MB |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for (architecture, kind), codes in sorted(rows.items()):
        sizes = (sum(x.stored for x in codes) / 1e6, sum(x.unpacked for x in codes) / 1e6)
        lines.append(
            f"| {architecture / 10:.1f} | {kind} | {len(codes)} | {sizes[0]:.2f} | {sizes[1]:.2f} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Print the table, or put it into a document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--docs", type=Path, help="put the table into this document")
    options = parser.parse_args()
    if options.docs and marks_missing(options.docs.read_text(), [TABLE]):
        parser.error(f"{options.docs} has no place for {TABLE}")
    found = [code for file in options.files for code in entries(file.read_bytes())]
    if not found:
        sys.exit("there is no code for GPUs in the files")
    text = table(found)
    print(text)
    if options.docs:
        options.docs.write_text(put_table(options.docs.read_text(), TABLE, text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
