"""Write ATenOp: `python caffe2/contrib/aten/gen_op.py --install_dir DIR`; see --help."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[3])  # the checkout, where `tools` is

from tools.drivers.caffe2 import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
