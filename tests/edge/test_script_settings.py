"""
What the edge's script must do as the service does is written down once, in Python.
"""

import math
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Final

import pytest

from hvcore_edge.config import SERVICE_NUMBERS, script_names
from hvcore_edge.script_settings import SCRIPT_SETTINGS, script_settings

# What is the script's own business: the service has no such number, or, as of memory
# and of what is read, another one for another reason.
OWN_NUMBERS: Final[Mapping[str, frozenset[str]]] = {
    "hv_edge.lua": frozenset({"MAX_AUTHORIZATIONS_BYTES"}),
    "hv_edge_changes.lua": frozenset({"O_RDONLY", "O_CLOEXEC"}),
    "hv_edge_domains.lua": frozenset({"MAX_LISTS"}),
    "hv_edge_cache.lua": frozenset({"PATIENCE_S", "ENTRY_BYTES"}),
    "hv_edge_pages.lua": frozenset({"MAX_PAGES", "MAX_PAGE_BYTES", "MAX_HOSTS"}),
    "hv_edge_paths.lua": frozenset({"MAX_PATHS", "MAX_PATH_BYTES"}),
    "hv_edge_renewals.lua": frozenset({"SOON_S", "MAX_LIST_BYTES", "ALONE_S"}),
    "hv_edge_room.lua": frozenset({"LOOKED_AT_EVERY_S"}),
    "hv_edge_requests.lua": frozenset(
        {"IDS_AT_ONCE", "ID_BYTES", "ID_DIGITS", "MAX_HEADERS"}
    ),
    "hv_edge_tally.lua": frozenset(
        {
            *("O_RDWR", "O_CREAT", "O_EXCL", "O_CLOEXEC", "OWNER_ONLY", "F_OK"),
            *("LOCK_EX", "LOCK_NB", "PROT_READ_WRITE", "MAP_SHARED"),
            *("MAX_TEXT_BYTES", "KEPT_FOR_S", "LOOKED_AT_EVERY_S"),
            *("TRIED_AGAIN_AFTER_S", "MINUTE_S", "NAME_BYTES"),
        }
    ),
    "hv_edge_texts.lua": frozenset(
        {
            *("MAX_BYTES", "MAX_TEXT_BYTES", "MAX_AT_ONCE_BYTES"),
            *("PATIENCE_S", "PIECE_BYTES", "PIECES_PER_TURN"),
        }
    ),
    "hv_edge_tokens.lua": frozenset(
        {"ED25519", "HMAC_BYTES", "TAG_CHARS", "TAIL_BYTES"}
    ),
    "hv_edge_viewers.lua": frozenset({"DAY_S"}),
}
SMALL: Final = 100
"""Whole numbers below it mean something else in most places."""

# Comments, and what is C.
_NOT_LUA: Final = re.compile(r"--[^\n]*|\[\[.*?\]\]", re.DOTALL)
_CONSTANTS: Final = re.compile(r"^local ([A-Z][A-Z0-9_, ]*) =([^\n]*)\n", re.MULTILINE)
_NUMBER: Final = re.compile(
    r"(?<![\w.])(0x[0-9a-fA-F]+|[0-9][0-9.]*(?: \* [0-9][0-9.]*)*)"
)


def shipped(name: str) -> str:
    return (resources.files("hvcore_edge") / "nginx" / name).read_text(encoding="utf-8")


def code_of(name: str) -> str:
    return _NOT_LUA.sub("", shipped(name))


def constants_with_numbers(code: str) -> Iterator[str]:
    """
    Return the names of the constants whose numbers stand in the code itself.
    """
    for match in _CONSTANTS.finditer(code):
        names, values = match[1].split(", "), match[2].split(", ")
        if len(names) == len(values):
            pairs = zip(names, values, strict=True)
            yield from (
                name for name, value in pairs if _NUMBER.fullmatch(value.strip())
            )


def without_constants(code: str) -> str:
    """
    Return the code without the lines that :func:`constants_with_numbers` finds.
    """
    return _CONSTANTS.sub(
        lambda line: "" if any(constants_with_numbers(line[0])) else line[0], code
    )


def numbers_in(code: str) -> set[float]:
    return {
        math.prod(float.fromhex(part) if "x" in part else float(part) for part in parts)
        for parts in (match[1].split(" * ") for match in _NUMBER.finditer(code))
    }


def telling(values: Mapping[str, int | float | str]) -> Mapping[float, str]:
    """
    Return the numbers that mean nothing else wherever they stand.
    """
    return {
        float(value): name
        for name, value in values.items()
        if not isinstance(value, str) and (value >= SMALL or value != int(value))
    }


@pytest.mark.parametrize("name", script_names())
def test_a_number_of_the_script_is_handed_over_or_its_own(name: str) -> None:
    code = code_of(name)

    assert set(constants_with_numbers(code)) == OWN_NUMBERS.get(name, frozenset())


@pytest.mark.parametrize("name", script_names())
def test_the_script_writes_no_number_of_the_service_by_hand(name: str) -> None:
    handed_over = telling({**SCRIPT_SETTINGS, **SERVICE_NUMBERS})

    elsewhere = numbers_in(without_constants(code_of(name)))

    assert {handed_over[value] for value in elsewhere & handed_over.keys()} == set()


def test_nginx_is_given_the_numbers_of_the_service() -> None:
    template = shipped("nginx.conf.template") + shipped("api.conf.template")
    words = {float(word) for word in re.findall(r"(?<![\w.])[0-9]+", template)}

    by_hand = words & telling(SERVICE_NUMBERS).keys()

    assert by_hand == set()
    for name in SERVICE_NUMBERS:
        assert f"@{name}@" in template


def test_the_script_uses_all_that_it_is_given() -> None:
    used = {
        name
        for script in script_names()
        for name in re.findall(r"\bsettings\.(\w+)", code_of(script))
    }

    assert used == SCRIPT_SETTINGS.keys()


def test_each_setting_of_the_script_is_written_down() -> None:
    lines = script_settings().splitlines()

    assert "    leeway_s = 5," in lines
    for name in SCRIPT_SETTINGS:
        assert sum(line.startswith(f"    {name} = ") for line in lines) == 1
