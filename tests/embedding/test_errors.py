"""
What a host program may have to catch, it can import from where it imports the rest.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hvcore import embedding
from hvcore.embedding import (
    AlreadyDeletedError,
    HvcoreError,
    InvalidParametersError,
    PluginError,
    VideoNotFoundError,
    embed,
)
from hvcore.errors import HvError
from tests.embedding.conftest import ENVIRON, Host

RAISES = re.compile(r"^ *Raises:\n((?:\n| {4,}.*\n?)*)", re.MULTILINE)
NAME = re.compile(r"\b([A-Z]\w*Error)\b")


def documented() -> Iterator[tuple[str, str]]:
    """
    Yield each error that a docstring of the module names, and of what.
    """
    for name in embedding.__all__:
        public = getattr(embedding, name)
        members = inspect.getmembers(public) if inspect.isclass(public) else []
        for one in (public, *(member for _, member in members)):
            # Properties and functions of hvcore; what Python adds has no such section.
            for section in RAISES.findall(inspect.getdoc(one) or ""):
                for error in NAME.findall(section):
                    yield error, f"{name}: {one}"


def test_every_documented_error_is_exported() -> None:
    found = list(documented())

    assert {"ConfigError", "AlreadyDeletedError"} <= {error for error, _ in found}
    assert [one for one in found if one[0] not in embedding.__all__] == []


def test_errors_of_its_calls_are_those_that_it_exports(host: Host) -> None:
    shop = host.shop
    gone = shop.grant_upload(file_name="a.mp4").video_id
    shop.delete(gone)

    with pytest.raises(AlreadyDeletedError):
        shop.delete(gone)
    with pytest.raises(VideoNotFoundError):
        shop.page_address(gone)
    for names in (("A b",), ("shop", "A b")):
        with pytest.raises(InvalidParametersError, match="cannot be an identifier"):
            host.hv.environment(*names)


def test_a_plugin_that_is_not_there_is_an_error_that_can_be_caught(
    tmp_path: Path,
) -> None:
    environ = {**ENVIRON, "HV_STORAGE__BACKEND": "tape"}
    with (
        embed(tmp_path, environ=environ) as hv,
        pytest.raises(PluginError, match="tape") as raised,
    ):
        hv.migrate()

    # Nothing that a caller of the API is told.
    assert isinstance(raised.value, HvcoreError)
    assert not isinstance(raised.value, HvError)


@pytest.mark.parametrize(
    ("argument", "value", "says"),
    [
        ("file_name", "", "file_name must not be empty"),
        ("size_bytes", 0, "size_bytes must be from 1"),
        ("size_bytes", 6 * 1024**3, "size_bytes must be from 1"),
        ("content_type", "text/plain", "content_type must be one of video/mp4"),
        ("name", "x" * 1025, "name must have at most 1024 characters"),
        ("description", "x" * 5001, "description must have at most 5000 characters"),
    ],
)
def test_what_the_api_refuses_is_granted_to_nobody(
    host: Host, argument: str, value: object, says: str
) -> None:
    arguments: dict[str, Any] = {"file_name": "a.mp4", argument: value}

    with pytest.raises(InvalidParametersError, match=says):
        host.shop.grant_upload(**arguments)


def test_all_wrong_arguments_are_named_at_once(host: Host) -> None:
    with pytest.raises(InvalidParametersError) as raised:
        host.shop.grant_upload(file_name="", size_bytes=0, content_type="text/plain")

    for argument in ("file_name", "size_bytes", "content_type"):
        assert argument in str(raised.value)
