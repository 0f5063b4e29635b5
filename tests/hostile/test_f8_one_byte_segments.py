"""
Who asks for one byte of a segment again and again counts nothing that is billed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.hostile.counting_site import (
    SEGMENT,
    SHOWN_WITHIN_S,
    CountingSite,
    counting_site,
)
from tests.support.live import until

TIMES: Final = 1_852
HALF: Final = len(SEGMENT) // 2
TOO_LITTLE: Final = ("bytes=0-0", f"bytes=0-{HALF - 1}", f"bytes={HALF}-", "bytes=-1")
ENOUGH: Final = (
    *("bytes=0-", "bytes=1-", f"bytes=0-{HALF}"),
    *(f"bytes={HALF - 1}-", f"bytes=-{HALF + 1}"),
)


@pytest.fixture(params=["bare", pytest.param("edge", marks=pytest.mark.services)])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CountingSite]:
    with counting_site(tmp_path, request.param) as running:
        yield running


@pytest.mark.cases(1)
def test_requests_for_one_byte_are_counted_nowhere_but_in_explain(
    site: CountingSite,
) -> None:
    statuses = site.ask(site.attacked, [{"Range": "bytes=0-0"}] * TIMES)
    for asked in TOO_LITTLE:
        assert site.ask(site.attacked, [{"Range": asked}]) == [206]
    for asked in ENOUGH:
        assert site.ask(site.attacked, [{"Range": asked}]) == [206]
    assert site.ask(site.attacked, [{}]) == [200]

    assert statuses == [206] * TIMES
    few, enough = TIMES + len(TOO_LITTLE), len(ENOUGH) + 1
    until(
        lambda: (
            (site.counted(site.attacked), site.too_few(site.attacked)) == (enough, few)
        ),
        within_s=SHOWN_WITHIN_S,
        what=f"{enough} segments and {few} that were too little",
    )
