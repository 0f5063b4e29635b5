"""
The page on the local MediaConvert knows its options, operations and error codes.
"""

from pathlib import Path
from typing import Final

import pytest

from hvcore_mediaconvert_local.command import hv_mediaconvert
from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.errors import ERROR_CODES
from hvcore_mediaconvert_local.local_service import LocalMediaConvert
from hvcore_mediaconvert_local.web.app import handlers_of

PAGE: Final = (
    Path(__file__).parents[3] / "docs" / "reference" / "mediaconvert-local.md"
).read_text(encoding="utf-8")


@pytest.mark.parametrize("option", [one.opts[0] for one in hv_mediaconvert.params])
def test_every_option_is_documented(option: str) -> None:
    assert f"`{option}" in PAGE


def test_the_page_names_the_operations_that_are_offered_and_no_others() -> None:
    rows = PAGE.partition("## What it offers")[2].partition("The other operations")[0]

    service = LocalMediaConvert(LocalMediaConvertConfig())
    offered = {*handlers_of(service), "DescribeEndpoints"}
    service.close()
    assert set(rows.split("`")[1::2]) == offered


def test_the_page_has_every_error_code_and_its_cause() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.splitlines()
        if line.startswith("| ") and line[2:6].isdigit()
    ]

    assert [int(code) for code, _, _ in rows] == sorted(ERROR_CODES)
    assert {int(code) for code, _, cause in rows if cause} == {
        code for code, found in ERROR_CODES.items() if found.made_by
    }
