"""Entry point of the front end: `python setup.py COMMAND`. The code is in tools/setup_helpers."""

import gc
import os
import sys

if sys.version_info < (3, 11):  # in syntax that Python 2 can parse
    VERSION = sys.version.split()[0]
    sys.stderr.write("error: Python 3.11 or newer is needed; this is " + VERSION + "\n")
    sys.exit(3)

ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, ROOT)

# On a full disk, Python writes truncated bytecode, and every later import of that module fails.
DISK = os.statvfs(ROOT)
if DISK.f_bavail * DISK.f_frsize < 64 << 20:
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

from tools.setup_helpers.main import main  # noqa: E402

if __name__ == "__main__":
    code = main(ROOT, sys.argv[1:])
    gc.freeze()  # the process ends here, so a final garbage collection would be wasted
    sys.exit(code)
