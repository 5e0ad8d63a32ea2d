"""Run `python setup.py COMMAND`, and turn every error into a message and an exit code."""

from __future__ import annotations

import gc
import os
import sys

from .own_environment import (
    in_virtual_environment,
    is_whole,
    name_interpreter,
    own_environment,
    python_of,
    run_in,
    variables_of,
)

# New objects between garbage collections. A run keeps most of its objects, and collections took a tenth
# of a short run.
_OBJECTS_PER_COLLECTION = 100_000


def main(root: str, arguments: list[str]) -> int:
    """Run a command and return the exit code.

    Whether `develop` is up to date is checked before anything else is imported.
    """
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    _open_standard_streams()
    if sys.getfilesystemencoding() != "utf-8":
        _run_in_utf8_mode()
    try:
        own = _own_environment(root, arguments)
        if not own:
            name_interpreter()
        if arguments[:1] == ["develop"] and _is_up_to_date(root, arguments[1:], own):
            return 0
        if own:
            run_in(own, root, arguments)
        from .commands import run_command

        return run_command(root, arguments)
    except KeyboardInterrupt as interrupt:
        _say("\n" + ": ".join(["interrupted", *interrupt.args]))
        return getattr(interrupt, "exit_code", 130)
    except BrokenPipeError:
        from tools.base.console import discard_output

        discard_output()
        return 1
    except Exception as error:
        return _report(error, arguments)


def _run_in_utf8_mode() -> None:
    """Start again in Python's UTF-8 mode: a locale has another encoding, but CMake's and Ninja's files do not."""
    os.environ["PYTHONUTF8"] = "1"  # for each Python that the build starts
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _open_standard_streams() -> None:
    """Open standard streams that the caller closed (`>&-`), to discard what is written to them.

    Otherwise the next file that is opened, such as the lock, gets the number of a stream, and every
    program that runs would write its output into that file.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    number = 0
    while number < 3:  # the lowest number that is free is used next
        number = os.open(os.devnull, os.O_RDWR)
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def _say(text: str) -> None:
    from contextlib import suppress

    with suppress(OSError):  # the terminal itself may be gone
        print(text, file=sys.stderr)


def _is_up_to_date(root: str, arguments: list[str], own: str) -> bool:
    """Whether `develop` has nothing to do; with `own`, in that environment, which need not be started then."""
    from .state.lock import BuildLock, command_line
    from .state.noop import QUIET, WAIT, build_directories, nothing_to_do

    environ = {**os.environ, **variables_of(own)} if own else dict(os.environ)
    python = python_of(own) if own else sys.executable
    for build_dir in build_directories(root, arguments, environ):
        try:
            with BuildLock(build_dir, command_line(), wait=WAIT in arguments):
                same = nothing_to_do(root, build_dir, arguments, environ, python)
        except OSError:
            return False  # the full build explains what is wrong, such as a read-only tree
        if same:
            if not any(argument in QUIET for argument in arguments):
                print("up to date", flush=True)
            return True
    return False


def _own_environment(root: str, arguments: list[str]) -> str:
    """Return the checkout's own environment, in which a command runs outside any other; "" if there is none."""
    if in_virtual_environment() or "--system" in arguments:
        return ""
    own = own_environment(root)
    return own if is_whole(own) else ""


def _report(error: Exception, arguments: list[str]) -> int:
    from tools.base.console import print_error, report
    from tools.base.errors import BUILD_FAILED, BuildError

    if "--traceback" in arguments:
        import traceback

        traceback.print_exc()
    if isinstance(error, (BuildError, OSError)):
        return report(error)
    if "--traceback" not in arguments:
        text = f"{type(error).__name__}: {error}"
        print_error(
            BuildError(
                "the front end itself failed", text, "run again with --traceback and report it"
            )
        )
    return BUILD_FAILED
