"""Entry point of the front end: `python setup.py COMMAND`. The code is in tools/setup_helpers."""

import gc
import io
import os
import sys

ROOT = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))

# In syntax that Python 2 can run.
try:
    with io.open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as project:  # noqa: UP020
        LEAST = project.read().partition('requires-python = ">=')[2].partition('"')[0]
except (EnvironmentError, ValueError) as error:  # noqa: UP024
    sys.stderr.write("error: cannot read pyproject.toml: " + str(error) + "\n")
    sys.stderr.write("hint: restore it: git checkout -- pyproject.toml\n")
    sys.exit(3)
if list(sys.version_info[:2]) < [int(part) for part in LEAST.split(".") if part]:
    VERSION = sys.version.split()[0]
    sys.stderr.write("error: Python " + LEAST + " or newer is needed; this is " + VERSION + "\n")
    sys.exit(3)

sys.path.insert(0, ROOT)

# On a full disk, Python writes truncated bytecode, and every later import of that module fails.
DISK = os.statvfs(ROOT)
if DISK.f_bavail * DISK.f_frsize < 64 << 20:
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

if __name__ == "__main__":
    try:
        from tools.setup_helpers.main import main

        code = main(ROOT, sys.argv[1:])
    except KeyboardInterrupt:  # before main handles it, or a second one while it does
        sys.stderr.write("\ninterrupted\n")
        code = 130
    gc.freeze()  # the process ends here, so a final garbage collection would be wasted
    sys.exit(code)
