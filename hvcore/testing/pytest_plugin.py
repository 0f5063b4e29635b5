"""The options of kits, for pytest: it is loaded by every pytest beside hvcore."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of kits to those of pytest."""
    parser.getgroup("hvcore").addoption(
        "--hv-large",
        action="store_true",
        help="kits try objects over 4 GiB and ten thousand of them, which takes minutes",
    )
