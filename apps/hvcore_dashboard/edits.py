"""
Save a person's changes in a form without undoing what others have changed meanwhile.

A form sends each of its fields twice: as the form showed it, and as the person left it.
A field with two equal values was not touched, and is not changed. The touched fields are
saved if nobody else has changed them since. Otherwise nothing is saved, and the person sees
both values.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

import attrs

from hvcore.errors import ConflictError, HvError, PreconditionFailedError
from hvcore.services.conditions import Condition
from hvcore_dashboard.forms import SHOWN, Form, form_to_edit

T = TypeVar("T")
Values = Mapping[str, str]
_MOST_TRIES: Final = 5
"""The most tries of a change while other requests change the same object."""
_DISPUTED: Final = (
    "Somebody else has changed this meanwhile. Save again to put yours in its place."
)


@attrs.frozen(kw_only=True)
class FormEdit:
    """
    A person's edit of named values in a form, compared with the values stored now.

    Attributes:
        shown: The values that the form showed.
        sent: The values that the person sent.
        stored: The values that are stored now.
        becomes: The values that the form would show once ``sent`` is stored.
    """

    shown: Values
    sent: Values
    stored: Values
    becomes: Values = attrs.field(
        default=attrs.Factory(lambda edit: edit.sent, takes_self=True)
    )

    @property
    def touched(self) -> Mapping[str, str | None]:
        """The values that the person has changed, by name; None for a value that was removed."""
        return {
            name: self.sent.get(name)
            for name in sorted({*self.shown, *self.sent})
            if self.sent.get(name) != self.shown.get(name)
        }

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The values that the person has changed and that are not stored like this yet."""
        return {
            name: value
            for name, value in self.touched.items()
            # Sent once more after a lost answer, it is there in its stored form.
            if self.stored.get(name) not in {value, self.becomes.get(name, value)}
        }

    @property
    def disputed(self) -> frozenset[str]:
        """The names of changed values that somebody else has changed to another value meanwhile."""
        return frozenset(
            name
            for name in self.changes
            if self.stored.get(name) != self.shown.get(name)
        )

    @property
    def merged(self) -> Values:
        """The stored values, with the person's changes in them."""
        return _present({**self.stored, **self.touched})


class DisputedEditError(ConflictError):
    """Somebody else has changed the same values meanwhile, so nothing was saved."""

    def __init__(self, edit: FormEdit) -> None:
        super().__init__(_DISPUTED)
        self.edit = edit


def sent_edit(
    form: Form,
    stored: Values,
    *,
    split: Callable[[Values], Values] = dict,
    stored_form: Callable[[Values], Values] = dict,
) -> FormEdit:
    """
    Return the edit that a form has sent.

    If a field comes without the value that the form showed, as from a page of an older
    version, it counts as changed by the person and by others: it is disputed unless the same
    value is stored already.

    Args:
        stored: The values that the form would show now, by field.
        split: Splits fields into values that are edited separately.
        stored_form: Returns fields as the form would show them once they are stored.
    """
    sent = {name: form.text(name) for name in stored if name in form.fields}
    shown = {
        name: form.text(f"{SHOWN}{name}")
        for name in sent
        if f"{SHOWN}{name}" in form.fields
    }
    return FormEdit(
        shown=split(shown),
        sent=split(sent),
        stored=split(stored),
        becomes=split(stored_form(sent)),
    )


def refused(
    form: Form, error: HvError, *, join: Callable[[Values], Values] = dict
) -> Form:
    """
    Return the form to show again after an error.

    If others have changed the same values, the form shows both values. When it is sent
    again, the person's values replace those of the others.

    Args:
        join: Puts values together into fields, the reverse of ``split`` in ``sent_edit``.
    """
    if not isinstance(error, DisputedEditError):
        return form.refused(error)
    edit = error.edit
    again = form_to_edit(join(edit.stored))
    # A field of which nothing is left, such as metadata without a key, is empty.
    joined = join(edit.merged)
    names = {*joined, *(one for one in again.fields if not one.startswith(SHOWN))}
    mine = {name: [joined.get(name, "")] for name in names}
    disputed = {name: edit.stored.get(name) for name in sorted(edit.disputed)}
    theirs = join({name: value or "" for name, value in disputed.items()})
    without = join(_present({**edit.merged, **disputed}))
    return attrs.evolve(
        again,
        fields={**again.fields, **mine},
        errors=dict.fromkeys(theirs, error.detail),
        stored=theirs,
        without={name: without.get(name, "") for name in theirs},
    )


def _present(values: Mapping[str, str | None]) -> Values:
    return {name: value for name, value in values.items() if value is not None}


def as_shown(
    form: Form, name: str, state_of: Callable[[T], str]
) -> Condition[T] | None:
    """
    Return a condition for a change: an object's state is still the one that the form has shown.

    Args:
        name: The field that holds the state; the form sends it with ``shown.`` before it.
        state_of: Returns the state that the form would show for an object now.

    Returns:
        A function that returns whether the state is the same; None if the form has not
        sent the state, as a page of an older version does not.
    """
    if not form.has_shown(name):
        return None
    shown = form.text(f"{SHOWN}{name}")
    return lambda found: state_of(found) == shown


def settle(
    read: Callable[[], T],
    edit_of: Callable[[T], FormEdit],
    write: Callable[[T, Mapping[str, str | None]], object],
) -> FormEdit:
    """
    Save a form's edit without undoing changes of others; try again if others change the object.

    Args:
        read: Returns the object to edit, as it is stored.
        edit_of: Returns the edit, compared with that object.
        write: Saves changes to that object; raises PreconditionFailedError if the object
            was changed since.

    Returns:
        The edit as it was saved.

    Raises:
        DisputedEditError: Somebody else has changed the same values; nothing is saved.
        ConflictError: Every attempt failed, because others changed the object each time.
    """
    for _ in range(_MOST_TRIES):
        found = read()
        edit = edit_of(found)
        if edit.disputed:
            raise DisputedEditError(edit)
        if not edit.changes:
            return edit
        try:
            write(found, edit.changes)
        except PreconditionFailedError:
            continue
        return edit
    raise ConflictError


def told(edit: FormEdit, *, saved: str = "Saved.") -> str:
    """Return the message about a saved edit: whether the person changed something, or others did."""
    if not edit.touched:
        return "Nothing was changed."
    others = {
        name
        for name in {*edit.shown, *edit.stored} - edit.touched.keys()
        if edit.shown.get(name) != edit.stored.get(name)
    }
    kept = " What others have changed meanwhile is kept." if others else ""
    return f"{saved}{kept}"
