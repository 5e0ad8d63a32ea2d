"""Shows how large the code of each GPU architecture is in finished objects and libraries.

    python benchmarks/cuda_sizes.py [torch/lib/libtorch_cuda.so | FILE.cu.o | FOLDER ...] [--docs FILE]

One build for several architectures gives the whole table. Reads the fatbins themselves, so neither a
toolkit nor a GPU is needed.

A fatbin is a header and entries, each with the code of one compilation for one architecture. NVIDIA does not
describe the format; tests/cuda/test_kernel_tables.py compares with what nvcc and cuobjdump make of it.
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

ROOT = Path(__file__).resolve().parents[1]
MARK = "CUDA sizes"
SECTION = ".nv_fatbin"
MAGIC = b"\x50\xed\x55\xba"
# Magic number, version, size of this header, size of the entries.
HEADER = struct.Struct("<4sHHQ")
# Kind, version, size of this header, size of the code and its padding, the same without padding if it is
# compressed, offset of the options, minor and major version of the format, architecture, offset and length of a
# name, flags, nothing, size before compression if it is compressed.
ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
PTX, MACHINE_CODE = 1, 2
ARCHITECTURE_SPECIFIC = 0x100000  # such as 9.0a


@dataclass(frozen=True)
class Code:
    """The code of one compilation for one architecture."""

    kind: int
    architecture: int
    specific: bool
    bytes: int
    uncompressed_bytes: int

    @property
    def name(self) -> str:
        """What TORCH_CUDA_ARCH_LIST calls the architecture."""
        major, minor = divmod(self.architecture, 10)
        suffix = "a" if self.specific else ""
        return f"{major}.{minor}{suffix}" + (" PTX" if self.kind == PTX else "")


class UnreadableFile(Exception):
    """A file is not what a compiler for this machine makes."""


def section_of(data: bytes, name: str) -> bytes:
    """Return a section of a 64-bit little-endian ELF file; nothing if it has no such section."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise UnreadableFile("is not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    # Name, type, flags, address, offset, size.
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    if not headers:
        return b""
    strings = headers[names][4]
    wanted = name.encode() + b"\0"
    for header in headers:
        if data.startswith(wanted, strings + header[0]):
            return data[header[4] : header[4] + header[5]]
    return b""


def codes_of(section: bytes) -> Iterator[Code]:
    """Yield what the fatbins of a section contain; a linker puts zeros between those of two objects."""
    position = section.find(MAGIC)
    while position >= 0:
        _, version, header_size, size = HEADER.unpack_from(section, position)
        if version != 1:
            raise UnreadableFile(f"has a fatbin of version {version}; only version 1 is known")
        entry, end = position + header_size, position + header_size + size
        if end > len(section):
            raise UnreadableFile("ends within a fatbin")
        while entry < end:
            kind, _, entry_size, code_size, stored, *_ = fields = ENTRY.unpack_from(section, entry)
            yield Code(
                kind,
                architecture=fields[8],
                specific=bool(fields[11] & ARCHITECTURE_SPECIFIC),
                bytes=stored or code_size,
                uncompressed_bytes=fields[13] or code_size,
            )
            entry += entry_size + code_size
        position = section.find(MAGIC, end)


def table(codes: Iterable[Code]) -> str:
    """Return the table in Markdown: a row for each architecture, and one for all of them."""
    rows: dict[tuple[int, bool, int], list[Code]] = defaultdict(list)
    for code in codes:
        rows[code.architecture, code.specific, -code.kind].append(code)
    named = {rows[key][0].name: rows[key] for key in sorted(rows)}
    if len(named) > 1:
        named[f"all {len(named)}"] = [code for found in rows.values() for code in found]
    return "\n".join(
        [
            "| architecture | compilations | code in the files, kB | before compression, kB |",
            "| --- | --- | --- | --- |",
            *(
                f"| {name} | {len(found)} | {sum(c.bytes for c in found) / 1e3:,.0f} |"
                f" {sum(c.uncompressed_bytes for c in found) / 1e3:,.0f} |"
                for name, found in named.items()
            ),
        ]
    )


def read(paths: Iterable[Path]) -> list[Code]:
    """Return the code in files, and in the objects of folders."""
    files = [f for p in paths for f in (sorted(p.rglob("*.cu.o")) if p.is_dir() else [p])]
    found = []
    for file in files:
        try:
            found += codes_of(section_of(file.read_bytes(), SECTION))
        except (OSError, UnreadableFile) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            sys.exit(f"{file}: {reason}")
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "paths", nargs="*", type=Path, default=[ROOT / "torch/lib/libtorch_cuda.so"]
    )
    parser.add_argument("--docs", type=Path, help="document to put the table into")
    options = parser.parse_args()
    document = options.docs.read_text(encoding="utf-8") if options.docs else ""
    if options.docs and (missing := marks_missing(document, [MARK])):
        parser.error(f"{options.docs} has no place for {missing}")
    codes = read(options.paths)
    if not codes:
        sys.exit("there is no code for GPUs in these files")
    text = table(codes)
    print(text)
    if options.docs:
        options.docs.write_text(put_table(document, MARK, text), encoding="utf-8")


if __name__ == "__main__":
    main()
