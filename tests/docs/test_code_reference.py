"""The reference pages of settings, commands and others are what the code says now."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from hvcore.registry import Offer
from hvcore.settings import load, structure_options
from tests.support.code_reference import pages, settings_pages, since, variables
from tests.support.code_reference.files import ROOT, gone, outdated
from tests.support.code_reference.settings_pages import EXAMPLES, OPTIONS, Setting

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
