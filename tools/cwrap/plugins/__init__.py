"""Plug-ins of cwrap: what each adds to a wrapper, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Sequence

from tools.cwrap.declarations import Argument, Declaration


class Plugin:
    """A plug-in that changes nothing; others override what they are about."""

    def process_argument(
        self, code: str, argument: Argument, index: int, declaration: Declaration
    ) -> str:
        """Return the expression that unpacks an argument; `code` is that of earlier plug-ins."""
        return code

    def process_call(self, code: str, declaration: Declaration) -> str:
        """Return the statements that call the C function."""
        return code

    def process_wrapper(self, code: str, declaration: Declaration) -> str:
        """Return the function whose body is `code`."""
        return code

    def process_all(self, code: str, declarations: Sequence[Declaration]) -> str:
        """Return the file whose functions are `code`."""
        return code
