"""
What each kind of field takes and refuses, and with which status.
"""

from datetime import date
from enum import Enum

import pytest

from hvcore.wire.formats import Day, Domains
from hvcore.wire.kinds import (
    Cap,
    FieldKind,
    FieldRefusedError,
    Flag,
    Integer,
    OneOf,
    Text,
    member_of,
)
from hvcore.wire.videos.labels import Tags


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


NUMBER = Integer(minimum=1, maximum=100)
CAP = Cap(name="Cap", allowed=range(1, 241), described="from 1 to 240")
TEXT = Text(max_chars=5)
LABEL = "a" * 63
LONGEST = ".".join([LABEL, LABEL, LABEL, "a" * 61])


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (NUMBER, 1, 1),
        (NUMBER, 100, 100),
        (CAP, -1, None),
        (CAP, 240, 240),
        (Flag(), True, True),
        (Flag(), False, False),
        (TEXT, "hello", "hello"),
        (TEXT, "日本語です", "日本語です"),
        (Text(min_chars=0, max_chars=5), "", ""),
        (member_of(Colour), "red", Colour.RED),
        (OneOf("Expiration", {"1h": 3600}), "1h", 3600),
        (Day(), "2024-02-29", date(2024, 2, 29)),
        (Domains(), "a.example", ("a.example",)),
        # Once, as it stands first; case counts.
        (
            Tags(),
            ["\u00e9t\u00e9", "sea", "e\u0301te\u0301", "Sea", "sea"],
            ("\u00e9t\u00e9", "sea", "Sea"),
        ),
    ],
)
def test_a_json_value_is_read(
    kind: FieldKind[object], value: object, read: object
) -> None:
    assert kind.from_json(value) == read


@pytest.mark.parametrize(
    ("kind", "value", "status"),
    [
        (NUMBER, 0, 400),
        (NUMBER, 101, 400),
        (NUMBER, 2**64, 400),
        (NUMBER, -(2**64), 400),
        (NUMBER, True, 422),
        (NUMBER, "1", 422),
        (NUMBER, 1.0, 422),
        (NUMBER, 1e3, 422),
        (NUMBER, [], 422),
        (CAP, 0, 400),
        (CAP, -2, 400),
        (CAP, 241, 400),
        (CAP, False, 422),
        (CAP, "auto", 422),
        (Flag(), "true", 422),
        (Flag(), 1, 422),
        (Flag(), 0, 422),
        (TEXT, "", 400),
        (TEXT, "too long", 400),
        (TEXT, "a\x00b", 400),
        (TEXT, "a\ud800", 400),
        (TEXT, 1, 422),
        (TEXT, ["a"], 422),
        (TEXT, {"a": 1}, 422),
        (member_of(Colour), "RED", 400),
        (member_of(Colour), " red", 400),
        (member_of(Colour), "", 400),
        (member_of(Colour), 1, 422),
        (Day(), "2023-02-29", 422),
        (Day(), "2023-2-9", 422),
        (Day(), "20230209", 422),
        (Day(), "2023-W01-1", 422),
        (Day(), "٢٠٢٣-٠٢-٠٩", 422),
        (Day(), 20230209, 422),
    ],
)
def test_a_json_value_is_refused(
    kind: FieldKind[object], value: object, status: int
) -> None:
    with pytest.raises(FieldRefusedError) as refused:
        kind.from_json(value)

    assert refused.value.status == status


@pytest.mark.parametrize(
    ("kind", "text", "read"),
    [
        (NUMBER, "20", 20),
        (CAP, "-1", None),
        (CAP, "30", 30),
        (Flag(), "true", True),
        (Flag(), "false", False),
    ],
)
def test_a_query_text_is_read(kind: FieldKind[object], text: str, read: object) -> None:
    assert kind.from_text(text) == read


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("0", 400),
        ("-5", 400),
        ("101", 400),
        ("9" * 30, 400),
        ("9" * 5000, 400),
        ("-" + "9" * 5000, 400),
        ("", 422),
        (" 20", 422),
        ("20 ", 422),
        ("+20", 422),
        ("020", 422),
        ("2_0", 422),
        ("1e3", 422),
        ("20.0", 422),
        ("0x14", 422),
        ("٣", 422),
        ("\uff12\uff10", 422),
        ("20\n", 422),
        ("--1", 422),
        ("twenty", 422),
    ],
)
@pytest.mark.parametrize(
    "kind", [NUMBER, Cap(name="Cap", allowed=(), described="nothing")]
)
def test_query_integers_are_strict(
    kind: FieldKind[object], text: str, status: int
) -> None:
    with pytest.raises(FieldRefusedError) as refused:
        kind.from_text(text)

    assert refused.value.status == status


@pytest.mark.parametrize("text", ["", "True", "1", "yes"])
def test_query_flags_are_strict(text: str) -> None:
    with pytest.raises(FieldRefusedError, match="true or false"):
        Flag().from_text(text)


@pytest.mark.parametrize(
    ("text", "domains"),
    [
        ("example.com", ("example.com",)),
        ("*.example.com", ("*.example.com",)),
        ("a.example, b.example", ("a.example", "b.example")),
        ("Example.COM", ("example.com",)),
        ("a.example,a.example", ("a.example",)),
        ("localhost", ("localhost",)),
        ("127.0.0.1", ("127.0.0.1",)),
        ("xn--bcher-kva.example", ("xn--bcher-kva.example",)),
        (LONGEST, (LONGEST,)),
        (
            ",".join(f"h{n}.example" for n in range(32)),
            tuple(f"h{n}.example" for n in range(32)),
        ),
        ("example.com:8080,example.com", ("example.com",)),
    ],
)
def test_domains_are_host_names_in_lower_case(
    text: str, domains: tuple[str, ...]
) -> None:
    assert Domains().from_text(text) == domains


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ",",
        "a.example,",
        "*",
        "*.",
        "*example.com",
        "a.*.example",
        "*.*.example",
        "https://example.com",
        "example.com/path",
        "user@example.com",
        "example.com.",
        ".example.com",
        "a..example",
        "-a.example",
        "a-.example",
        "a_b.example",
        "bücher.example",
        "exa mple.com",
        "example.com\n",
        "example.com\r\nX: y",
        "[::1]",
        "a" * 64 + ".example",
        LONGEST + "a",
        ",".join(f"h{n}.example" for n in range(33)),
    ],
)
def test_malformed_domains_are_not_allowed(text: str) -> None:
    with pytest.raises(FieldRefusedError) as refused:
        Domains().from_text(text)

    assert refused.value.status == 400
