"""A checkout of the tiny project, and an environment of its own, for each test that wants one."""

from __future__ import annotations

import pytest

from checkout import Checkout, Environment, make_checkout, make_environment


@pytest.fixture
def environment(tmp_path) -> Environment:
    return make_environment(tmp_path / "environment")


@pytest.fixture
def checkout(tmp_path, environment) -> Checkout:
    return make_checkout(tmp_path / "checkout", environment)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Checkout:
    """One `develop` for all tests of a module; they leave it as they found it."""
    folder = tmp_path_factory.mktemp("built")
    checkout = make_checkout(folder / "checkout", make_environment(folder / "environment"))
    checkout.setup("develop")
    return checkout
