"""
Edits of one person beside those of others.
"""

from collections.abc import Mapping

import attrs
import pytest

from hvcore.errors import ConflictError, PreconditionFailedError
from hvcore_dashboard.edits import (
    DisputedEditError,
    FormEdit,
    as_shown,
    refused,
    sent_edit,
    settle,
    told,
)
from hvcore_dashboard.forms import Form, form_to_edit
from hvcore_dashboard.pages.video.labels import join_metadata, split_metadata

SHOWN = {"name": "a", "access": "public"}


def sent(**changed: str) -> Form:
    form = form_to_edit(SHOWN)
    fields = {name: [value] for name, value in changed.items()}
    return Form(fields={**form.fields, **fields})


def edit(stored: Mapping[str, str], **changed: str) -> FormEdit:
    return sent_edit(sent(**changed), {**SHOWN, **stored})


@pytest.mark.parametrize(
    ("stored", "changed", "changes", "disputed"),
    [
        ({}, {}, {}, set()),
        ({}, {"name": "b"}, {"name": "b"}, set()),
        ({"access": "private"}, {"name": "b"}, {"name": "b"}, set()),
        ({"name": "b"}, {"name": "b"}, {}, set()),
        ({"name": "c"}, {"name": "b"}, {"name": "b"}, {"name"}),
        ({"name": "c"}, {"access": "private"}, {"access": "private"}, set()),
    ],
)
def test_an_edit_changes_what_its_person_touched(
    stored: dict[str, str],
    changed: dict[str, str],
    changes: dict[str, str],
    disputed: set[str],
) -> None:
    found = edit(stored, **changed)

    assert found.changes == changes
    assert found.disputed == disputed


def test_a_field_that_tells_not_what_it_has_shown_is_disputed() -> None:
    form = Form(fields={"name": ["b"], "access": ["public"]})

    found = sent_edit(form, {"name": "c", "access": "public"})

    assert found.disputed == {"name"}


def test_a_field_that_was_not_sent_is_not_touched() -> None:
    form = Form(fields={"shown.name": ["b"]})

    assert sent_edit(form, {"name": "c", "access": "public"}).touched == {}


def test_a_disputed_form_shows_both_values_and_is_sent_over_the_others() -> None:
    stored = {"name": "theirs", "access": "private"}
    found = sent_edit(sent(name="mine"), stored)

    again = refused(sent(name="mine"), DisputedEditError(found))

    assert again.text("name") == "mine"
    assert again.text("access") == "private"
    assert again.stored == again.without == {"name": "theirs"}
    assert set(again.errors) == {"name"}
    assert sent_edit(again, stored).changes == {"name": "mine"}
    assert not sent_edit(again, stored).disputed


def test_a_key_in_dispute_leaves_the_others_of_its_field() -> None:
    form = form_to_edit({"metadata": "order: 1"})
    fields = {**form.fields, "metadata": ["order: 2\nmine: 1"]}
    stored = {"metadata": "order: 3\ntheirs: 1"}
    found = sent_edit(Form(fields=fields), stored, split=split_metadata)

    again = refused(form, DisputedEditError(found), join=join_metadata)

    assert again.text("metadata") == "order: 2\ntheirs: 1\nmine: 1"
    assert again.stored == {"metadata": "order: 3"}
    assert again.without == {"metadata": "order: 3\ntheirs: 1\nmine: 1"}


def test_an_edit_is_made_again_beside_what_came_between() -> None:
    states = iter(
        [{"name": "a", "access": "public"}, {"name": "a", "access": "private"}]
    )
    written = []

    def write(found: Mapping[str, str], changes: Mapping[str, str | None]) -> None:
        if found["access"] == "public":
            raise PreconditionFailedError
        written.append(changes)

    saved = settle(
        lambda: next(states), lambda found: sent_edit(sent(name="b"), found), write
    )

    assert written == [{"name": "b"}]
    assert told(saved) == "Saved. What others have changed meanwhile is kept."


def test_an_edit_that_others_never_let_in_is_refused() -> None:
    def write(_found: Mapping[str, str], _changes: Mapping[str, str | None]) -> None:
        raise PreconditionFailedError

    with pytest.raises(ConflictError, match="Another request is changing"):
        settle(lambda: SHOWN, lambda found: sent_edit(sent(name="b"), found), write)


@pytest.mark.parametrize(
    ("stored", "changed", "says"),
    [
        ({}, {}, "Nothing was changed."),
        ({"access": "private"}, {}, "Nothing was changed."),
        ({}, {"name": "b"}, "Saved."),
        ({"name": "b"}, {"name": "b"}, "Saved."),
        (
            {"access": "private"},
            {"name": "b"},
            "Saved. What others have changed meanwhile is kept.",
        ),
    ],
)
def test_the_message_says_who_has_changed_something(
    stored: dict[str, str], changed: dict[str, str], says: str
) -> None:
    assert told(edit(stored, **changed)) == says


def test_a_form_that_is_refused_for_another_reason_shows_what_was_sent() -> None:
    form = sent(name="b")
    error = ConflictError("Try again.")

    again = refused(form, error)

    assert again.text("name") == "b"
    assert again == form.refused(error)


def test_a_dispute_names_its_fields_in_order_and_one_that_is_gone_is_empty() -> None:
    names = ("d", "b", "a", "c")
    shown, mine = dict.fromkeys(names, "1"), dict.fromkeys(names, "2")
    form = form_to_edit(shown)
    form = Form(fields={**form.fields, **{name: [mine[name]] for name in names}})
    found = sent_edit(form, dict.fromkeys(names, "3"))
    stored = {name: value for name, value in found.stored.items() if name != "b"}
    gone = attrs.evolve(found, stored=stored)

    again = refused(form, DisputedEditError(gone))

    assert list(again.errors) == ["a", "b", "c", "d"]
    assert again.stored == {"a": "3", "b": "", "c": "3", "d": "3"}


def test_a_state_is_as_the_form_has_shown_it_or_nobody_knows() -> None:
    shown = form_to_edit({"state": "on"})

    is_same = as_shown(shown, "state", str)

    assert is_same is not None
    assert [is_same("on"), is_same("off")] == [True, False]
    assert as_shown(Form(fields={"state": ["on"]}), "state", str) is None


def test_a_disputed_edit_writes_nothing_and_one_without_changes_neither() -> None:
    def write(_found: Mapping[str, str], _changes: Mapping[str, str | None]) -> None:
        pytest.fail("nothing is to be written")

    with pytest.raises(DisputedEditError) as raised:
        settle(
            lambda: {**SHOWN, "name": "c"},
            lambda found: sent_edit(sent(name="b"), found),
            write,
        )
    assert raised.value.edit.disputed == {"name"}
    unchanged = settle(lambda: SHOWN, lambda found: sent_edit(sent(), found), write)
    assert told(unchanged) == "Nothing was changed."
