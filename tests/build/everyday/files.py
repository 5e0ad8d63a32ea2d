"""Edits to files that are not generated: C sources, headers, Python files, modes."""

from __future__ import annotations

import os
import re

from .edit import NOTHING, SOURCES, Edit, Limits, Workspace, insert_line
from .entries import KEPT_PHRASE, PHRASES, comment, kernels

KERNEL = """#include "kernel.h"
#include "phrases/ops/{kept}.h"

int tiny_kernel_{name}(const char* text, char* out, int size) {{
  return *text ? tiny_copy("{name}: %s", text, out, size) : tiny_say_{kept}(out, size);
}}
"""


def unused_kernels(workspace: Workspace) -> list[str]:
    text = (workspace.root / PHRASES).read_text(encoding="utf-8")
    used = {*re.findall(r"kernel: (\w+)", text), "plain", "twice"}
    return [name for name in kernels(workspace) if name not in used]


def extra_headers(workspace: Workspace) -> bool:
    return any((workspace.root / "src").glob("extra_*.h"))


def extra_modules(workspace: Workspace) -> bool:
    return any((workspace.root / "tiny").glob("extra_*.py"))


def change_code(workspace: Workspace, pattern: str) -> Limits:
    """Append a comment or a declaration, or a definition that changes the compiled bytes."""
    number = workspace.number()
    line = workspace.rng.choice([f"/* note {number} */\n", f"extern int tiny_unused_{number};\n"])
    path = workspace.pick(pattern)
    if path.suffix == ".c" and workspace.rng.random() < 0.5:
        line = f"int tiny_number_{number} = {number};\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(line)
    workspace.note(line.strip())
    return SOURCES


def add_kernel(workspace: Workspace) -> Limits:
    name = f"k{workspace.number()}"
    text = KERNEL.format(name=name, kept=KEPT_PHRASE)
    (workspace.root / f"src/kernels/{name}.c").write_text(text, encoding="utf-8")
    workspace.note(name)
    return SOURCES


def move_kernel(workspace: Workspace) -> Limits:
    path = workspace.pick("src/kernels/*.c")
    path.rename(path.with_name(f"moved_{workspace.number()}.c"))
    return SOURCES


def delete_kernel(workspace: Workspace) -> Limits:
    name = workspace.rng.choice(unused_kernels(workspace))
    kernels(workspace)[name].unlink()
    workspace.note(name)
    return SOURCES


def change_header(workspace: Workspace) -> Limits:
    path = workspace.pick(workspace.rng.choice(["src/greet.h", "src/kernels/kernel.h"]))
    number = workspace.number()
    line = workspace.rng.choice([f"/* note {number} */\n", f"#define TINY_NOTE_{number} 1\n"])
    insert_line(workspace, path, line, before="\n")
    return SOURCES


def add_unused_header(workspace: Workspace) -> Limits:
    number = workspace.number()
    path = workspace.root / f"src/extra_{number}.h"
    path.write_text(f"#define TINY_EXTRA_{number} {number}\n", encoding="utf-8")
    workspace.note(path)
    return NOTHING


def change_unused_header(workspace: Workspace) -> Limits:
    path = workspace.pick(workspace.rng.choice(["src/sizes.h", "src/extra_*.h"]))
    insert_line(workspace, path, f"/* note {workspace.number()} */\n")
    return NOTHING


def delete_unused_header(workspace: Workspace) -> Limits:
    workspace.pick("src/extra_*.h").unlink()
    return NOTHING


def restore_unused_header(workspace: Workspace) -> Limits:
    """Delete or change a header, build, and restore it."""
    path = workspace.pick("src/extra_*.h")
    text = path.read_text(encoding="utf-8")
    if workspace.rng.random() < 0.5:
        path.unlink()
    else:
        path.write_text("/* replaced */\n", encoding="utf-8")
    workspace.build(workspace.choose_method())
    path.write_text(text, encoding="utf-8")
    return NOTHING


def touch(workspace: Workspace) -> Limits:
    """Give a few files a newer time and keep their bytes."""
    patterns = ["*.yaml", "src/*.[ch]", "src/kernels/*", "generator/*.py", "templates/*"]
    patterns += ["CMakeLists.txt", "build_config.toml", "tiny/*.py"]
    for _ in range(workspace.rng.randrange(1, 4)):
        os.utime(workspace.pick(workspace.rng.choice(patterns)))
    return NOTHING


def add_module(workspace: Workspace) -> Limits:
    path = workspace.root / f"tiny/extra_{workspace.number()}.py"
    path.write_text('"""One more module."""\n', encoding="utf-8")
    workspace.note(path)
    return NOTHING


def change_module(workspace: Workspace) -> Limits:
    insert_line(workspace, workspace.pick("tiny/[!_]*.py"), f"# note {workspace.number()}\n")
    return NOTHING


def delete_module(workspace: Workspace) -> Limits:
    workspace.pick("tiny/extra_*.py").unlink()
    return NOTHING


def change_mode(workspace: Workspace) -> Limits:
    """Make a file executable, or not executable if it was."""
    patterns = ["src/*.h", "src/kernels/*", "tiny/*.py", "*.yaml", "src/*.c"]
    path = workspace.pick(workspace.rng.choice(patterns))
    path.chmod(path.stat().st_mode ^ 0o111)
    return NOTHING


EDITS = (
    Edit("kernel edited", lambda workspace: change_code(workspace, "src/kernels/*.c")),
    Edit("kernel added", add_kernel),
    Edit("kernel moved", move_kernel),
    Edit("kernel deleted", delete_kernel, lambda workspace: bool(unused_kernels(workspace))),
    Edit("source edited", lambda workspace: change_code(workspace, "src/*.c")),
    Edit("header edited", change_header),
    Edit("header that nothing compiles added", add_unused_header),
    Edit("header that nothing compiles edited", change_unused_header, extra_headers),
    Edit("header that nothing compiles deleted", delete_unused_header, extra_headers),
    Edit("header that nothing compiles restored", restore_unused_header, extra_headers),
    Edit("touched without a change", touch),
    Edit("Python file added", add_module),
    Edit("Python file edited", change_module, extra_modules),
    Edit("Python file deleted", delete_module, extra_modules),
    Edit("mode of a file changed", change_mode),
    comment("CMakeLists.txt"),
)
