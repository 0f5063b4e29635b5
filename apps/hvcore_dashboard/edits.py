"""
Edits: what a person changes in a form, beside what others have changed meanwhile.

A form sends each of its fields as it was shown and as its person left it. What is the
same was not touched and is not changed. What was touched is changed if nobody else
has changed it since; else nothing is, and the person sees both values.
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
"""Of a change between which and what it was made for others get in."""
_DISPUTED: Final = (
    "Somebody else has changed this meanwhile. Save again to put yours in its place."
)


@attrs.frozen(kw_only=True)
class FormEdit:
    """
    An edit of values that have names.

    Attributes:
        shown: What the form showed.
        sent: What came back.
        stored: What is there now.
        becomes: What the form would show of ``sent`` once that is stored.
    """

    shown: Values
    sent: Values
    stored: Values
    becomes: Values = attrs.field(
        default=attrs.Factory(lambda edit: edit.sent, takes_self=True)
    )

    @property
    def touched(self) -> Mapping[str, str | None]:
        """The values that the person has changed; None for one that was removed."""
        return {
            name: self.sent.get(name)
            for name in sorted({*self.shown, *self.sent})
            if self.sent.get(name) != self.shown.get(name)
        }

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The values that are touched and not stored yet."""
        return {
            name: value
            for name, value in self.touched.items()
            # Sent once more after a lost answer, it is there in its stored form.
            if self.stored.get(name) not in {value, self.becomes.get(name, value)}
        }

    @property
    def disputed(self) -> frozenset[str]:
        """The names of values that somebody else has changed to something else."""
        return frozenset(
            name
            for name in self.changes
            if self.stored.get(name) != self.shown.get(name)
        )

    @property
    def merged(self) -> Values:
        """The stored values with those that the person has changed."""
        return _present({**self.stored, **self.touched})


class DisputedEditError(ConflictError):
    """Two people have changed the same; nothing is saved."""

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

    A field that comes without what it showed, such as from a page of an older version,
    counts as touched by everybody: it is disputed unless it is stored so already.

    Args:
        stored: What the form would show now, by field.
        split: Takes fields apart into values that are edited each by itself.
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

    Where others have changed the same, it shows both values, and has shown what is
    stored by now: sent again, it puts the person's values there.

    Args:
        join: Puts together what ``split`` took apart.
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
    Return the condition that something is still as a form has shown it.

    Args:
        name: The form sends ``shown.`` and this along.
        state_of: Returns what the form would show now.

    Returns:
        None if it sends nothing such, as a page of an older version does.
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
    Save an edit beside the changes of others; return it as it was saved.

    Args:
        read: Returns what is edited as it is stored.
        edit_of: Returns the edit beside that.
        write: Saves changes to what was read, or raises PreconditionFailedError if it
            is not so any more.

    Raises:
        DisputedEditError: Somebody else has changed the same; nothing is saved.
        ConflictError: Others change it all the time.
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
    """Return the message that tells the person of a saved edit."""
    if not edit.touched:
        return "Nothing was changed."
    others = {
        name
        for name in {*edit.shown, *edit.stored} - edit.touched.keys()
        if edit.shown.get(name) != edit.stored.get(name)
    }
    kept = " What others have changed meanwhile is kept." if others else ""
    return f"{saved}{kept}"
