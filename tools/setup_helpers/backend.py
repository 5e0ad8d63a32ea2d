"""The build backend that pyproject.toml names (PEP 517 and PEP 660).

pip imports this module under any Python and checks `requires-python` only after it has asked for
metadata, so this module and `old_python` use only the syntax and library of Python 3.8.
"""

from __future__ import annotations

from importlib import import_module

from .old_python import is_too_old

_hooks = import_module(f"{__package__}.{'old_python' if is_too_old() else 'build_hooks'}")

build_editable = _hooks.build_editable
build_sdist = _hooks.build_sdist
build_wheel = _hooks.build_wheel
get_requires_for_build_editable = _hooks.get_requires_for_build_editable
get_requires_for_build_sdist = _hooks.get_requires_for_build_sdist
get_requires_for_build_wheel = _hooks.get_requires_for_build_wheel
prepare_metadata_for_build_editable = _hooks.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = _hooks.prepare_metadata_for_build_wheel
