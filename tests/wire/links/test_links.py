"""
Fields of edge keys, share links, changes and thumbnails.
"""

from datetime import UTC, datetime

import pytest

from hvcore.wire.converter import Null, read_document
from hvcore.wire.kinds import FieldKind, FieldRefusedError
from hvcore.wire.links.formats import DomainList, EmailAddress, Seconds, Timestamp
from hvcore.wire.links.links import ShareRequest
from hvcore.wire.videos.changes import VideoChangeRequest

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-02T12:00:00Z",
        "2026-01-02T12:00:00.000Z",
        # As .NET and Go write it.
        "2026-01-02T12:00:00.0000000Z",
        "2026-01-02T12:00:00.000000999+00:00",
        "2026-01-02T13:00:00+01:00",
        "2026-01-02T00:00:00-12:00",
    ],
)
def test_a_moment_is_read_in_utc(text: str) -> None:
    assert Timestamp().from_json(text) == NOON


@pytest.mark.parametrize(
    "value",
    [
        "",
        "2026-01-02",
        "2026-01-02 12:00:00Z",
        "2026-01-02T12:00:00",
        "2026-01-02T12:00Z",
        "2026-01-02T25:00:00Z",
        "2026-02-29T12:00:00Z",
        "٢٠٢٦-01-02T12:00:00Z",
        "2026-01-02T12:00:00+24:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        1767355200,
        None,
    ],
)
def test_a_malformed_moment_is_unreadable(value: object) -> None:
    with pytest.raises(FieldRefusedError) as caught:
        Timestamp().from_json(value)

    assert caught.value.status == 422


@pytest.mark.parametrize(
    "text",
    [
        "a@b.co",
        "first.last+tag@sub.example.com",
        "o'neill@example.com",
        "rené@bücher.example",
        "a@xn--bcher-kva.example",
        "用户@例子.公司",
        "x" * 64 + "@example.com",
        "a@" + "b" * 60 + ".com",
        "a@" + ("b" * 60 + ".") * 4 + "examples",
    ],
)
def test_addresses_that_exist_are_read_as_they_are(text: str) -> None:
    assert EmailAddress().from_json(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "@b.co",
        "a@",
        "a@b",
        "a@b..co",
        "a@.co",
        "a@b.co.",
        "a@-b.co",
        "a b@c.de",
        "a@b.co ",
        " a@b.co",
        "a@b.co\n",
        "a@@b.co",
        '"a b"@c.de',
        "Ann <a@b.co>",
        "a@b.co,c@d.co",
        "a\0@b.co",
        "a\u202e@b.co",
        "a\ud800@b.co",
        "x" * 65 + "@example.com",
        "a@" + "b." * 127 + "co",
    ],
)
def test_a_malformed_email_address_is_not_allowed(text: str) -> None:
    with pytest.raises(FieldRefusedError) as caught:
        EmailAddress().from_json(text)

    assert caught.value.status == 400


def test_a_long_address_is_refused_quickly() -> None:
    with pytest.raises(FieldRefusedError, match="at most 254"):
        EmailAddress().from_text("a@" + ("b" * 60 + ".") * 4 + "exampless")
    with pytest.raises(FieldRefusedError, match="at most 254"):
        EmailAddress().from_text("a@" + "b-" * 1_000_000)


def test_domains_are_read_from_both_forms() -> None:
    wanted = ("example.com", "*.example.org")

    assert DomainList().from_json(["Example.com", "*.example.org"]) == wanted
    assert DomainList().from_json("example.com,*.example.org:8443") == wanted
    assert DomainList().from_text("example.com, *.example.org") == wanted


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ([], 400),
        ([""], 400),
        (["a.test", None], 422),
        ({"a.test": 1}, 422),
        (True, 422),
        (["a.test/path"], 400),
        # One entry is one name.
        (["a.test,b.test"] * 17, 400),
    ],
)
def test_other_domains_are_refused(value: object, status: int) -> None:
    with pytest.raises(FieldRefusedError) as caught:
        DomainList().from_json(value)

    assert caught.value.status == status


def test_seconds_are_read_from_json_and_text() -> None:
    kind = Seconds(maximum=60)

    assert kind.from_json(5) == kind.from_json(5.0) == kind.from_text("5") == 5.0
    assert kind.from_text("0.125") == 0.125
    for value, status in ((60.1, 400), (-1, 400), (True, 422), ("5", 422)):
        with pytest.raises(FieldRefusedError) as caught:
            kind.from_json(value)
        assert caught.value.status == status
    for text in ("", "-1", "1e3", "nan", "٣", "1."):
        with pytest.raises(FieldRefusedError, match="a number of seconds"):
            kind.from_text(text)


@pytest.mark.parametrize(
    "kind", [Timestamp(), EmailAddress(), DomainList(), Seconds(maximum=60)]
)
def test_every_kind_has_a_schema(kind: FieldKind[object]) -> None:
    assert {"type", "anyOf"} & set(kind.schema())


def test_null_clears_a_description_and_nothing_else() -> None:
    nothing = read_document(VideoChangeRequest, {})
    cleared = read_document(
        VideoChangeRequest,
        {"description": None, "videoName": None, "allowPublicAccess": None},
    )

    assert nothing.description is None
    assert not nothing.changes().clears_description
    assert cleared.description is Null.NULL
    assert cleared.changes().clears_description
    assert cleared.changes().description is None
    assert cleared.name is None
    assert cleared.is_public is None


def test_null_is_absent_in_a_share_request() -> None:
    nulls = dict.fromkeys(("expirationHours", "maxViews", "viewerEmail"))

    assert read_document(ShareRequest, nulls) == read_document(ShareRequest, {})
