"""Fixtures: a checkout of the tiny project with its own virtual environment."""

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
    """A checkout after `develop`, shared by the tests of a module. They must not change it."""
    folder = tmp_path_factory.mktemp("built")
    checkout = make_checkout(folder / "checkout", make_environment(folder / "environment"))
    checkout.setup("develop")
    return checkout
