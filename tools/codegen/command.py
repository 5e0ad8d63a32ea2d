"""Runs a command of a generator, whose user's mistakes end in a message instead of a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tools.base.errors import USAGE, BuildError
from tools.codegen.errors import InputError


def run_command(name: str, action: Callable[[], None]) -> int:
    """Run the action of a command and return the exit code, which is 0 unless the action fails.

    Mistakes in inputs, and files that cannot be read or written, are printed after the command's name.
    """
    try:
        action()
    except InputError as error:
        print(error, file=sys.stderr)
    except BuildError as error:
        print("\n".join(filter(None, [f"{name}: {error}", error.cause])), file=sys.stderr)
        return error.exit_code
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"{name}: {where}{error.strerror}", file=sys.stderr)
    else:
        return 0
    return USAGE
