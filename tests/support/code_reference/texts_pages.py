"""The pages of states, events and limits, from the code and from a text about each of their names."""

import importlib
import tomllib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Final

import attrs

from hvcore.domain.tasks.task import TaskState
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.states import TRANSITIONS, VideoState
from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import EndpointState
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, EventKind
from hvcore.metrics.declared import METRICS
from hvcore.wire.webhooks.events import EVENT_SENT
from tests.support.code_reference.files import NOTE, REFERENCE
from tests.support.code_reference.settings_pages import settings
from tests.support.code_reference.since import since

STATES: Final[Mapping[str, type[Enum]]] = {
    "video": VideoState,
    "upload": GrantState,
    "task": TaskState,
    "webhook": EndpointState,
    "delivery": WebhookDeliveryState,
}
_UNITS: Final = {
    "PX": "pixels",
    "CHARS": "characters",
    "DAYS": "days",
    "HOURS": "hours",
    "RATE": "per second",
    "CAP": "per second",
}


@attrs.frozen(kw_only=True)
class Limit:
    """
    A number of the code that callers or operators meet.

    Attributes:
        name: The module and the constant, with a colon between them.
    """

    name: str
    meaning: str

    @property
    def value(self) -> str:
        """Return the value of the constant with its unit."""
        module, _, constant = self.name.partition(":")
        return _shown(getattr(importlib.import_module(module), constant), constant)


@cache
def text(name: str) -> Mapping[str, Any]:
    """Return the texts about the names of a page."""
    return tomllib.loads((REFERENCE / f"{name}.toml").read_text("utf-8"))


def internal() -> set[str]:
    """Return the limits of the domain that no caller and no operator meets."""
    return set(text("limits")["internal"])


def limits() -> Mapping[str, list[Limit]]:
    """Return the limits that are numbers of the code, by the title of their part."""
    return {
        part["title"]: [
            Limit(name=name, meaning=meaning)
            for name, meaning in part["constants"].items()
        ]
        for part in text("limits").values()
        if isinstance(part, Mapping)
    }


def names() -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of everything that these pages describe."""
    for kind, states in STATES.items():
        yield from (("states", f"{kind} {state.value}") for state in states)
    yield from (("events", kind.value) for kind in EventKind)
    yield from (("event_members", name) for name in EVENT_SENT["properties"])
    yield from (("metrics", metric.name) for metric in METRICS)
    for found in limits().values():
        yield from (("limits", one.name) for one in found)


def pages() -> Mapping[Path, str]:
    """Return the text of each page, by its file."""
    parts = {"states": _states(), "events": _events(), "limits": _limits()}
    return {REFERENCE / f"{n}.md": "\n\n".join(p) + "\n" for n, p in parts.items()}


def moves(kind: str) -> Iterator[tuple[str, str, str]]:
    """Yield the moves between states: from, to and when."""
    texts = text("states")[kind]
    if kind == "video":
        for (before, trigger), after in TRANSITIONS.items():
            yield before.value, after.value, texts["triggers"][trigger.value]
    else:
        for move, when in texts["moves"].items():
            before, after = move.split(" ")
            yield before, after, when


def _states() -> Iterator[str]:
    yield "# States"
    yield NOTE
    yield (
        "This page lists the states of videos, uploads, tasks and webhooks, and what moves "
        "each of them from one state to the next."
    )
    for kind, states in STATES.items():
        texts = text("states")[kind]
        yield f"## {kind.capitalize()}"
        yield texts["about"]
        yield _table(
            ("State", "Meaning", "Since"),
            (
                (
                    f"`{one.value}`",
                    texts["states"][one.value],
                    since("states", f"{kind} {one.value}"),
                )
                for one in states
            ),
        )
        yield _table(
            ("From", "To", "When"),
            ((f"`{a}`", f"`{b}`", when) for a, b, when in moves(kind)),
        )


def _events() -> Iterator[str]:
    texts = text("events")
    yield "# Events"
    yield NOTE
    yield (
        "This page lists the kinds of events that webhooks and the list of events tell, and "
        "the members of the body of an event. [Events and "
        "webhooks](http/events-and-webhooks.md) says how to receive them."
    )
    yield "## Kinds"
    yield _table(
        ("Kind", "Meaning", "Sent to a webhook that names no kinds", "Since"),
        (
            (
                f"`{kind.value}`",
                texts["kinds"][kind.value],
                "yes" if kind in DOCUMENTED_KINDS else "no",
                since("events", kind.value),
            )
            for kind in EventKind
        ),
    )
    yield "## Body"
    required = EVENT_SENT["required"]
    yield _table(
        ("Member", "Type", "Meaning", "Since"),
        (
            (
                f"`{name}`",
                _type(schema) + ("" if name in required else ", may be missing"),
                texts["members"][name],
                since("event_members", name),
            )
            for name, schema in EVENT_SENT["properties"].items()
        ),
    )


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type") or schema["anyOf"][0]["type"]
    words = [kind] if isinstance(kind, str) else list(kind)
    if any(one == {"type": "null"} for one in schema.get("anyOf", ())):
        words.append("null")
    return " or ".join(words)


def _limits() -> Iterator[str]:
    yield "# Limits"
    yield NOTE
    yield (
        "This page lists the limits that callers and operators meet, with their values. Rate "
        "limits and shares can be changed by settings, the quotas of an organization by "
        "`hv orgs set`, and the other numbers not at all."
    )
    for title, section in (("Rate limits", "limits"), ("Shares", "shares")):
        yield f"## {title}"
        rows = (
            (
                f"[`{one.name}`](settings/{section}.md)",
                one.meaning,
                f"{one.field.default:,}",
                since("settings", one.name),
            )
            for one in settings()[section]
            if type(one.field.default) is int
        )
        yield _table(("Setting", "What is limited", "Default", "Since"), rows)
    for title, found in limits().items():
        yield f"## {title}"
        rows = (
            (
                one.meaning[:1].upper() + one.meaning[1:],
                one.value,
                since("limits", one.name),
            )
            for one in found
        )
        yield _table(("What is limited", "Value", "Since"), rows)


def _shown(value: object, constant: str) -> str:
    match value:
        case Mapping():
            choices = (f"`{name}` ({number:,})" for name, number in value.items())
            return ", ".join(choices)
        case tuple():
            return ", ".join(_shown(one, "") for one in value)
        case timedelta():
            return _duration(int(value.total_seconds()))
        case int() | float():
            return _number(value, constant.rpartition("_")[2])
    return f"`{value}`"


def _number(value: float, unit: str) -> str:
    if unit == "S":
        return _duration(int(value))
    if unit == "BYTES":
        return _bytes(int(value))
    return f"{value:,} {_UNITS.get(unit, '')}".strip()


def _duration(seconds: int) -> str:
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds and seconds % size == 0 and seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    if seconds == 3600:
        return "1 hour"
    return f"{seconds} seconds"


def _bytes(size: int) -> str:
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if size % factor == 0:
            return f"{size // factor} {unit} ({size:,} bytes)"
    return f"{size:,} bytes"


def _table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(one)} |" for one in lines)
