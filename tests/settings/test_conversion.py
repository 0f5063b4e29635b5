"""
Values of settings become what the setting is, from texts and from TOML; all others are named.
"""

from typing import Annotated

import attrs
import pytest
from cattrs.errors import BaseValidationError

from hvcore.errors import ConfigError
from hvcore.settings.conversion import (
    CONVERTER,
    MOST_REQUESTS,
    OTHER_OPTIONS,
    Origins,
    RequestCount,
    comma_separated,
    env_name,
    explained,
    structure_options,
    unknown_name,
    where_to_set,
)


@attrs.frozen(kw_only=True)
class Everything:
    """
    One setting of each kind.
    """

    switch: bool = False
    number: int = 0
    rate: RequestCount = 1
    seconds: float = 0.0
    text: str = ""
    texts: tuple[str, ...] = ()
    origins: Origins = ()
    anything: object = None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("switch", True, True),
        ("switch", " YES ", True),
        ("switch", "0", False),
        ("number", 0, 0),
        ("number", " -7 ", -7),
        ("rate", 1, 1),
        ("rate", str(MOST_REQUESTS), MOST_REQUESTS),
        ("seconds", 1, 1.0),
        ("seconds", "0.5", 0.5),
        ("text", "", ""),
        ("text", " a ", " a "),
        ("texts", "", ()),
        ("texts", " a ,, b", ("a", "b")),
        ("texts", ["a", " b"], ("a", " b")),
        ("texts", [], ()),
        (
            "origins",
            "https://a.example/, http://b:1",
            ("https://a.example", "http://b:1"),
        ),
        ("origins", ["https://A.example"], ("https://A.example",)),
        ("anything", {"a": [1]}, {"a": [1]}),
    ],
)
def test_a_value_becomes_what_the_setting_is(
    name: str, value: object, expected: object
) -> None:
    found = getattr(CONVERTER.structure({name: value}, Everything), name)

    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("switch", "", "true or false"),
        ("switch", 2, "true or false"),
        ("number", True, "a whole number"),
        ("number", 1.5, "a whole number"),
        ("number", "1.5", "a whole number"),
        ("number", [1], "a whole number"),
        ("rate", 0, "from 1 to 1,000,000,000"),
        ("rate", MOST_REQUESTS + 1, "from 1 to 1,000,000,000"),
        ("rate", "x", "a whole number"),
        ("seconds", True, "a number"),
        ("seconds", [1.5], "a number"),
        ("seconds", "soon", "could not convert"),
        ("text", 1, "text"),
        ("text", None, "text"),
        ("texts", 1, "a list of texts"),
        ("texts", {"a": 1}, "a list of texts"),
        ("texts", ["a", 1], "text, not 1"),
        ("origins", "https://a.example/path", "origins such as"),
        ("origins", 1, "a list of texts"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_setting(
    name: str, value: object, why: str
) -> None:
    with pytest.raises(BaseValidationError) as refused:
        CONVERTER.structure({name: value}, Everything)

    (told,) = explained(refused.value, path="section")
    assert why in told
    assert f"section.{name}" in told


def test_settings_that_are_unknown_or_lack_are_all_told() -> None:
    @attrs.frozen(kw_only=True)
    class Options:
        url: str
        size: int
        region: str = "here"

    with pytest.raises(ConfigError, match="Unknown setting") as refused:
        structure_options({"sizes": 1, "URL": "x"}, Options, path="storage.options")

    assert str(refused.value).splitlines() == [
        "Unknown setting storage.options.sizes; did you mean storage.options.size?",
        "Unknown setting storage.options.URL.",
        "storage.options.url is required; set HV_STORAGE__OPTIONS__URL.",
        "storage.options.size is required; set HV_STORAGE__OPTIONS__SIZE.",
    ]


def test_an_option_that_does_not_fit_is_told_with_its_setting() -> None:
    @attrs.frozen(kw_only=True)
    class Options:
        size: int

    with pytest.raises(
        ConfigError, match=r"whole number, not 'x' @ storage.options.size"
    ):
        structure_options({"size": "x"}, Options, path="storage.options")


def test_options_of_a_library_go_where_they_are_taken_and_named_ones_win() -> None:
    @attrs.frozen(kw_only=True)
    class Options:
        url: str = ""
        rest: Annotated[dict[str, object], "of the library"] = attrs.field(
            factory=dict, metadata={OTHER_OPTIONS: True}
        )

    found = structure_options(
        {"url": "x", "a": 1, "b": 2, "rest": {"b": 3}}, Options, path="o"
    )

    assert found == Options(url="x", rest={"a": 1, "b": 3})


@pytest.mark.parametrize(
    ("path", "name", "known", "told"),
    [
        ("", "quaue", ["queue"], "Unknown setting quaue; did you mean queue?"),
        ("queue", "x", ["backend"], "Unknown setting queue.x."),
    ],
)
def test_an_unknown_setting_is_told_with_the_nearest(
    path: str, name: str, known: list[str], told: str
) -> None:
    assert unknown_name(path, name, known) == told


def test_the_place_of_a_setting_is_told() -> None:
    assert env_name("a.b_c.d") == "A__B_C__D"
    assert where_to_set("a.b", "c_d") == "HV_A__B__C_D"


@pytest.mark.parametrize(
    ("text", "parts"), [(None, None), ("", ()), (" , ", ()), ("a, b ,", ("a", "b"))]
)
def test_a_list_stands_between_commas(
    text: str | None, parts: tuple[str, ...] | None
) -> None:
    assert comma_separated(text) == parts
