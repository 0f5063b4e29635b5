"""The pages of ports, hooks, values and embedding are what the code says now."""

import enum
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hvcore import embedding, plugin_api
from hvcore.registry import KINDS
from tests.support.plugin_reference import embedding_page, pages, subjects, values_page
from tests.support.plugin_reference.source import constant_of, members_of

MOST_WORDS = 2500
COMMAND = "run python -m tests.support.plugin_reference"


@pytest.fixture(scope="module")
def written() -> Mapping[Path, str]:
    return pages.pages()


def test_every_page_is_what_the_code_says(written: Mapping[Path, str]) -> None:
    old = [
        str(file.relative_to(pages.ROOT))
        for file, text in written.items()
        if not file.exists() or file.read_text("utf-8") != text
    ]

    assert old == [], COMMAND


def test_no_page_is_of_a_port_or_hook_that_is_gone(written: Mapping[Path, str]) -> None:
    there = {
        file
        for folder in pages.GENERATED
        for file in (pages.REFERENCE / folder).glob("*.md")
    }

    assert there - written.keys() == set(), COMMAND


def test_every_port_has_an_example_and_a_kit_or_the_reason_for_none() -> None:
    assert subjects.PORTS.keys() == subjects.ports().keys()
    assert all(bool(one.kits) != bool(one.unproven) for one in subjects.PORTS.values())


def test_every_kit_stands_on_the_page_of_a_port() -> None:
    named = {kit for one in subjects.PORTS.values() for kit in one.kits}

    assert named == subjects.kits_by_name().keys()


@pytest.mark.parametrize("kind", KINDS)
def test_every_hook_has_an_example_that_runs(kind: str) -> None:
    assert KINDS[kind].hook in subjects.hook_example(kind).code


def undocumented(name: str, found: object) -> Iterator[str]:
    """Yield the names that a class, function or constant leaves without a docstring."""
    if isinstance(found, type) or inspect.isfunction(found):
        if not found.__doc__ or found.__doc__.startswith(f"{name}("):
            yield name
    elif not constant_of(name, plugin_api)[1]:
        yield name
    if isinstance(found, type) and not issubclass(found, enum.Enum):
        yield from (
            f"{name}.{member.name}" for member in members_of(found) if not member.doc
        )


def test_every_name_of_the_plugin_api_says_what_it_promises() -> None:
    lacking = [
        one
        for name in plugin_api.__all__
        for one in undocumented(name, getattr(plugin_api, name))
    ]

    assert lacking == []


def test_every_class_and_method_for_embedding_says_what_it_promises() -> None:
    named = {name: getattr(embedding, name) for name in embedding.__all__}
    lacking = [
        one
        for name, found in named.items()
        if isinstance(found, type) or inspect.isfunction(found)
        for one in undocumented(name, found)
    ]

    assert lacking == []


def test_every_name_for_embedding_stands_on_one_page() -> None:
    placed = [
        name
        for subject in embedding_page.SUBJECTS.values()
        if subject.package is embedding
        for name in subject.names
    ]

    assert sorted(placed) == sorted(embedding.__all__)


def test_a_class_for_embedding_shows_inherited_methods_and_fields(
    written: Mapping[Path, str],
) -> None:
    folder = pages.REFERENCE / "embedding"

    assert "\n### EmbeddedEnvironment.grant_upload\n" in written[folder / "videos.md"]
    assert (
        "\n### EnvironmentInTransaction.grant_upload\n"
        in written[folder / "transactions.md"]
    )
    assert "[ListedVideo](videos.md#listedvideo)" in written[folder / "videos.md"]


@pytest.mark.parametrize("subject", ["README", *embedding_page.SUBJECTS])
def test_a_reference_page_for_embedding_can_be_read_in_one_go(
    subject: str, written: Mapping[Path, str]
) -> None:
    page = written[pages.REFERENCE / "embedding" / f"{subject}.md"]

    assert len(page.split()) <= MOST_WORDS


def test_every_name_of_the_plugin_api_has_a_page(written: Mapping[Path, str]) -> None:
    values = written[pages.REFERENCE / "plugin-values.md"]
    records = {kind.record.__name__ for kind in KINDS.values()}
    others = {*plugin_api.__all__} - subjects.ports().keys() - records

    assert others == {*values_page.names()}
    assert [name for name in others if f"\n### {name}\n" not in values] == []
    for kind in KINDS.values():
        page = written[pages.REFERENCE / "hooks" / f"{kind.hook}.md"]
        assert f"\n## {kind.record.__name__}\n" in page


def test_a_page_has_promise_signature_example_users_and_faults(
    written: Mapping[Path, str],
) -> None:
    page = written[pages.REFERENCE / "ports" / "Storage.md"]

    assert (
        "def open(self, path: str, *, start: int = 0, end: int | None = None)" in page
    )
    # Where the errors of a method are, whatever their sentences say.
    assert "\n- `ObjectNotFoundError`: " in page
    assert "class Files(Storage):" in page
    assert "- `LocalStorage` in `plugins/hvcore_storage_fsspec/local.py`" in page
    assert "- `hvcore/services/videos`" in page
    assert "- A killed writer leaves the old object (A killed writer" in page
