"""The reference pages of settings, commands and others are what the code says now."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from hvcore.domain import limits
from hvcore.domain.videos.states import Trigger
from hvcore.domain.webhooks.events import EventKind
from hvcore.registry import Offer
from hvcore.settings import load, structure_options
from hvcore.wire.webhooks.events import EVENT_SENT
from tests.support.code_reference import (
    commands_pages,
    pages,
    settings_pages,
    since,
    texts_pages,
    variables,
)
from tests.support.code_reference.commands_pages import Command
from tests.support.code_reference.files import ROOT, gone, outdated
from tests.support.code_reference.settings_pages import EXAMPLES, OPTIONS, Setting

LIMIT = re.compile(r"^((?:MAX|MIN|MOST|LEAST|LONGEST)_\w+): Final", re.MULTILINE)
COMMAND = "run python -m tests.support.code_reference"
SETTINGS = [one for found in settings_pages.settings().values() for one in found]
OFFERS = settings_pages.offers()
OPTIONS_OF_BACKENDS = [one for o in OFFERS for one in settings_pages.options_of(o)]


@pytest.fixture(scope="module")
def written() -> Mapping[Path, str]:
    return pages.pages()


def test_every_page_is_what_the_code_says(written: Mapping[Path, str]) -> None:
    old = [str(file.relative_to(ROOT)) for file in outdated(written)]

    assert old == [], COMMAND


def test_no_page_is_of_a_section_or_a_command_that_is_gone(
    written: Mapping[Path, str],
) -> None:
    assert gone(written, pages.FOLDERS) == [], COMMAND


def test_every_name_of_the_reference_has_a_first_version() -> None:
    assert set(pages.names()) == set(since.known()), COMMAND


@pytest.mark.parametrize("one", [*SETTINGS, *OPTIONS_OF_BACKENDS], ids=lambda s: s.name)
def test_a_setting_says_what_it_means_and_has_an_example(one: Setting) -> None:
    assert one.meaning, f"describe it below Attributes of {one.cls.__name__}"
    # A sentence with its noun: the page shows it alone.
    assert one.meaning.endswith(".")
    assert not one.meaning.startswith(("Of ", "See ", "As ", "Where "))
    assert one.example is not None, f"give one in {EXAMPLES.name} or {OPTIONS.name}"


def test_the_examples_of_settings_are_a_settings_file(tmp_path: Path) -> None:
    loaded = load(config_path=EXAMPLES, environ={}, data_dir=tmp_path)

    assert loaded.settings.database.schema == "hv"


@pytest.mark.parametrize("offer", OFFERS, ids=lambda o: f"{o.kind}-{o.backend.name}")
def test_the_examples_of_options_make_a_backends_options(offer: Offer) -> None:
    for options in settings_pages.examples_of(offer):
        structure_options(options, offer.backend.options, path=offer.kind)


def test_no_example_is_of_a_setting_that_is_gone() -> None:
    examples = tomllib.loads(OPTIONS.read_text("utf-8"))
    named = {(kind, name) for kind, of_kind in examples.items() for name in of_kind}

    assert named == {(offer.kind, offer.backend.name) for offer in OFFERS}


def test_every_variable_that_the_code_reads_is_described() -> None:
    assert variables.read_variables() == set(variables.VARIABLES)


@pytest.mark.parametrize("one", commands_pages.commands(), ids=lambda c: c.name)
def test_a_command_says_what_it_does_and_what_each_option_means(one: Command) -> None:
    assert one.help
    assert [option.opts[0] for option in one.options if not option.help] == []


@pytest.mark.parametrize("name", [one.name for one in commands_pages.commands()])
def test_hv_understands_the_examples_of_a_command(name: str) -> None:
    lines = commands_pages.examples().get(name, ())

    assert lines, f"give one in docs/reference/commands/{commands_pages.EXAMPLES.name}"
    assert {commands_pages.parsed(line) for line in lines} == {name}


def test_no_example_is_of_a_command_that_is_gone() -> None:
    there = {one.name for one in commands_pages.commands()}

    assert set(commands_pages.examples()) - there == set()


@pytest.mark.parametrize("kind", texts_pages.STATES)
def test_every_state_has_a_meaning_and_a_move(kind: str) -> None:
    states = [state.value for state in texts_pages.STATES[kind]]
    moves = list(texts_pages.moves(kind))

    assert set(texts_pages.text("states")[kind]["states"]) == set(states)
    # The first one is where everything begins.
    reached = {after for _, after, _ in moves}
    assert {before for before, _, _ in moves} | reached == set(states)
    # A fetch begins there, too.
    assert reached >= set(states[1:]) - {"fetching"}


def test_every_trigger_of_a_video_has_a_meaning() -> None:
    triggers = texts_pages.text("states")["video"]["triggers"]

    assert set(triggers) == {trigger.value for trigger in Trigger}


def test_every_event_and_member_of_its_body_has_a_meaning() -> None:
    texts = texts_pages.text("events")

    assert set(texts["kinds"]) == {kind.value for kind in EventKind}
    assert set(texts["members"]) == set(EVENT_SENT["properties"])


def test_every_limit_of_the_domain_is_described_or_internal() -> None:
    domain = ROOT / "hvcore" / "domain"
    found = {
        f"{'.'.join(file.relative_to(ROOT).with_suffix('').parts)}:{name}"
        for file in domain.rglob("*.py")
        for name in LIMIT.findall(file.read_text("utf-8"))
    }
    found |= {f"{limits.__name__}:{name}" for name in vars(limits) if name.isupper()}

    described = {one.name for of in texts_pages.limits().values() for one in of}
    assert found - described == texts_pages.internal(), "describe it in limits.toml"
