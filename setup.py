"""The front end's way in: `python setup.py COMMAND`. Everything it does lives in tools/setup_helpers."""

import gc
import os
import sys

if sys.version_info < (3, 11):
    sys.exit(f"error: Python 3.11 or newer is needed; this is {sys.version.split()[0]}")

ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, ROOT)

# A full disk cuts bytecode short as Python writes it, and every later import of that module fails.
DISK = os.statvfs(ROOT)
if DISK.f_bavail * DISK.f_frsize < 64 << 20:
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

from tools.setup_helpers.main import main  # noqa: E402

if __name__ == "__main__":
    code = main(ROOT, sys.argv[1:])
    gc.freeze()  # the process ends: what is left goes with it, unexamined
    sys.exit(code)
