"""Arguments that setup.py answers without a command: the version, the name, and help."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tools.base.programs import Programs

from .env.options import Options, environment_requests
from .env.resolver import assume_found, resolve
from .package.identity import distribution_version, identity_of
from .table.config import Config
from .table.config_reader import load

VERSION = ("--version", "-V")
NAME = ("--name",)
HELP = ("-h", "--help")
ALL_HELP = (*HELP, "help", "--help-commands")


def describe_identity(root: Path, question: str) -> str:
    """Return the name or version that a wheel built now would have."""
    config = load(root)
    options = _options(config)
    try:
        identity = identity_of(config, options)
    except ImportError:  # a Python without the build requirements
        name = options.role("package_name") or config.project.distribution
        version = options.role("version"), options.role("version_number")
        return name if question in NAME else distribution_version(config.version, *version)
    return identity.name if question in NAME else identity.version


def _options(config: Config) -> Options:
    """Resolve options without probing: no name or version depends on the machine."""
    requests = environment_requests(config, os.environ)
    return resolve(config, requests, Programs(os.environ), sys.executable, assume_found)


def misplaced(arguments: list[str], commands: list[str]) -> str:
    """Return the command line with its arguments after the command; empty when it has no command."""
    command = next((argument for argument in arguments if argument in commands), "")
    others = [argument for argument in arguments if argument != command]
    return " ".join(["python setup.py", command, *others]) if command else ""
