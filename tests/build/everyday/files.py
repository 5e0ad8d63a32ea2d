"""Edits of what is compiled or packed as it is: kernels, sources, headers, Python files, modes."""

from __future__ import annotations

import os
import re

from .edit import NOTHING, SOURCES, Desk, Due, Edit, insert_line
from .entries import KEPT, PHRASES, comment, kernels

KERNEL = """#include "kernel.h"
#include "phrases/ops/{kept}.h"

int tiny_kernel_{name}(const char* text, char* out, int size) {{
  return *text ? tiny_copy("{name}: %s", text, out, size) : tiny_say_{kept}(out, size);
}}
"""


def unused_kernels(desk: Desk) -> list[str]:
    text = (desk.root / PHRASES).read_text(encoding="utf-8")
    used = {*re.findall(r"kernel: (\w+)", text), "plain", "twice"}
    return [name for name in kernels(desk) if name not in used]


def extra_headers(desk: Desk) -> bool:
    return any((desk.root / "src").glob("extra_*.h"))


def extra_modules(desk: Desk) -> bool:
    return any((desk.root / "tiny").glob("extra_*.py"))


def change_code(desk: Desk, pattern: str) -> Due:
    """A comment, or something that reaches the bytes."""
    number = desk.number()
    line = desk.chosen.choice([f"/* note {number} */\n", f"extern int tiny_unused_{number};\n"])
    path = desk.pick(pattern)
    if path.suffix == ".c" and desk.chosen.random() < 0.5:
        line = f"int tiny_number_{number} = {number};\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(line)
    desk.note(line.strip())
    return SOURCES


def add_kernel(desk: Desk) -> Due:
    name = f"k{desk.number()}"
    text = KERNEL.format(name=name, kept=KEPT)
    (desk.root / f"src/kernels/{name}.c").write_text(text, encoding="utf-8")
    desk.note(name)
    return SOURCES


def move_kernel(desk: Desk) -> Due:
    path = desk.pick("src/kernels/*.c")
    path.rename(path.with_name(f"moved_{desk.number()}.c"))
    return SOURCES


def delete_kernel(desk: Desk) -> Due:
    name = desk.chosen.choice(unused_kernels(desk))
    kernels(desk)[name].unlink()
    desk.note(name)
    return SOURCES


def change_header(desk: Desk) -> Due:
    path = desk.pick(desk.chosen.choice(["src/greet.h", "src/kernels/kernel.h"]))
    number = desk.number()
    line = desk.chosen.choice([f"/* note {number} */\n", f"#define TINY_NOTE_{number} 1\n"])
    insert_line(desk, path, line, before="\n")
    return SOURCES


def add_lone_header(desk: Desk) -> Due:
    number = desk.number()
    path = desk.root / f"src/extra_{number}.h"
    path.write_text(f"#define TINY_EXTRA_{number} {number}\n", encoding="utf-8")
    desk.note(path)
    return NOTHING


def change_lone_header(desk: Desk) -> Due:
    path = desk.pick(desk.chosen.choice(["src/sizes.h", "src/extra_*.h"]))
    insert_line(desk, path, f"/* note {desk.number()} */\n")
    return NOTHING


def delete_lone_header(desk: Desk) -> Due:
    desk.pick("src/extra_*.h").unlink()
    return NOTHING


def restore_lone_header(desk: Desk) -> Due:
    """Deleted or edited, built without it, and there again as it was."""
    path = desk.pick("src/extra_*.h")
    text = path.read_text(encoding="utf-8")
    if desk.chosen.random() < 0.5:
        path.unlink()
    else:
        path.write_text("/* all gone */\n", encoding="utf-8")
    desk.build(desk.draw_way())
    path.write_text(text, encoding="utf-8")
    return NOTHING


def touch(desk: Desk) -> Due:
    """Newer, with the same bytes."""
    patterns = ["*.yaml", "src/*.[ch]", "src/kernels/*", "generator/*.py", "templates/*"]
    patterns += ["CMakeLists.txt", "build_config.toml", "tiny/*.py"]
    for _ in range(desk.chosen.randrange(1, 4)):
        os.utime(desk.pick(desk.chosen.choice(patterns)))
    return NOTHING


def add_module(desk: Desk) -> Due:
    path = desk.root / f"tiny/extra_{desk.number()}.py"
    path.write_text('"""One more module."""\n', encoding="utf-8")
    desk.note(path)
    return NOTHING


def change_module(desk: Desk) -> Due:
    insert_line(desk, desk.pick("tiny/[!_]*.py"), f"# note {desk.number()}\n")
    return NOTHING


def delete_module(desk: Desk) -> Due:
    desk.pick("tiny/extra_*.py").unlink()
    return NOTHING


def change_mode(desk: Desk) -> Due:
    """Executable, and not any more."""
    patterns = ["src/*.h", "src/kernels/*", "tiny/*.py", "*.yaml", "src/*.c"]
    path = desk.pick(desk.chosen.choice(patterns))
    path.chmod(path.stat().st_mode ^ 0o111)
    return NOTHING


EDITS = (
    Edit("kernel edited", lambda desk: change_code(desk, "src/kernels/*.c")),
    Edit("kernel added", add_kernel),
    Edit("kernel moved", move_kernel),
    Edit("kernel deleted", delete_kernel, lambda desk: bool(unused_kernels(desk))),
    Edit("source edited", lambda desk: change_code(desk, "src/*.c")),
    Edit("header edited", change_header),
    Edit("header that nothing compiles added", add_lone_header),
    Edit("header that nothing compiles edited", change_lone_header, extra_headers),
    Edit("header that nothing compiles deleted", delete_lone_header, extra_headers),
    Edit("header that nothing compiles restored", restore_lone_header, extra_headers),
    Edit("touched without a change", touch),
    Edit("Python file added", add_module),
    Edit("Python file edited", change_module, extra_modules),
    Edit("Python file deleted", delete_module, extra_modules),
    Edit("mode of a file changed", change_mode),
    comment("CMakeLists.txt"),
)
