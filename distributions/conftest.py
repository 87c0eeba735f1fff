"""What tests of the distributions share with those of the package."""

from tests.conftest import *  # noqa: F403
