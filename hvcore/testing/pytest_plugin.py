"""The pytest plugin that adds the options of the kits; pytest loads it wherever hvcore is installed."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the kits, such as ``--hv-large``, to pytest's command line."""
    parser.getgroup("hvcore").addoption(
        "--hv-large",
        action="store_true",
        help="kits try objects over 4 GiB and ten thousand of them, which takes minutes",
    )
