"""`python setup.py COMMAND`: the way in, and the one place where errors end."""

from __future__ import annotations

import gc
import os
import sys

# New objects before garbage is looked for. What a run makes it mostly keeps, and looking took a tenth
# of a short one.
_FEW_COLLECTIONS = 100_000


def main(root: str, arguments: list[str]) -> int:
    """Returns the exit code. The no-op path of `develop` is tried before anything is imported."""
    gc.set_threshold(_FEW_COLLECTIONS)
    try:
        _use_own_environment(root, arguments)
        if arguments[:1] == ["develop"] and _nothing_to_do(root, arguments[1:]):
            return 0
        from .commands import run_command

        return run_command(root, arguments)
    except KeyboardInterrupt as interrupt:
        _say("\n" + ": ".join(["interrupted", *interrupt.args]))
        return getattr(interrupt, "exit_code", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        return _report(error, arguments)


def _say(text: str) -> None:
    from contextlib import suppress

    with suppress(OSError):  # it may be the terminal that went
        print(text, file=sys.stderr)


def _nothing_to_do(root: str, arguments: list[str]) -> bool:
    from .tree.lock import BuildLock, command_line
    from .tree.noop import QUIET, nothing_to_do

    build_dir = os.path.join(root, "build")
    quiet = any(argument in QUIET for argument in arguments)
    if not os.path.exists(os.path.join(build_dir, "state.json")):
        return False
    try:
        with BuildLock(build_dir, command_line()):
            same = nothing_to_do(root, build_dir, arguments, dict(os.environ))
    except OSError:
        return False  # a read-only tree is the full path's to explain
    if same and not quiet:
        print("up to date")
    return same


def _use_own_environment(root: str, arguments: list[str]) -> None:
    """Outside a virtual environment, run in the checkout's own one once it has been made."""
    if sys.prefix != sys.base_prefix or "--system" in arguments:
        return
    own = os.path.join(root, ".venv", "bin", "python")
    if os.path.exists(own) and os.path.exists(os.path.join(root, ".venv", "made-by-setup")):
        os.environ.setdefault("VIRTUAL_ENV", os.path.join(root, ".venv"))
        os.execv(own, [own, os.path.join(root, "setup.py"), *arguments])


def _report(error: Exception, arguments: list[str]) -> int:
    from .errors import BUILD_FAILED, ENVIRONMENT, BuildError
    from .terminal.printing import print_error

    if "--traceback" in arguments:
        import traceback

        traceback.print_exc()
    if isinstance(error, BuildError):
        print_error(error)
        return error.exit_code
    if isinstance(error, OSError):
        what = f"{error.strerror or error}" + (f": {error.filename}" if error.filename else "")
        hint = "`python setup.py doctor` looks for the reason and for what mends it"
        print_error(BuildError(what, hint=hint, exit_code=ENVIRONMENT))
        return ENVIRONMENT
    if "--traceback" not in arguments:
        text = f"{type(error).__name__}: {error}"
        print_error(
            BuildError(
                "the front end itself failed", text, "run again with --traceback and report it"
            )
        )
    return BUILD_FAILED
