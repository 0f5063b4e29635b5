"""The choices in forms about API keys, and the check of sent forms."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.tenants import Environment
from hvcore.services.access.keys import KeyWanted
from hvcore_dashboard.forms import Form
from hvcore_dashboard.pages.keys.shown import TYPES
from hvcore_dashboard.visits import OrganizationVisit

EXPIRIES: Final = {
    "never": ("Never", None),
    "7": ("In 7 days", timedelta(days=7)),
    "30": ("In 30 days", timedelta(days=30)),
    "90": ("In 90 days", timedelta(days=90)),
    "365": ("In a year", timedelta(days=365)),
}
_PERMISSIONS: Final = {
    Permission.VIDEOS_READ: "Read videos, captions and events",
    Permission.VIDEOS_WRITE: "Upload, change and delete videos",
    Permission.PLAYBACK_SIGN: "Sign addresses, share videos, make edge keys",
    Permission.ANALYTICS_READ: "Read analytics",
}
Options = Sequence[tuple[str, str]]


def first_key_form(here: OrganizationVisit) -> Form:
    """Return the form for a new API key with its default choices."""
    return Form(
        fields={
            "type": [KeyType.ENVIRONMENT.value],
            "environment": [here.env.name if here.env else ""],
            "permission": [permission.value for permission in Permission],
            "expiry": ["never"],
        }
    )


def key_options(environments: Sequence[Environment]) -> Mapping[str, Options]:
    """Return the choices that the form of a new API key offers."""
    named = [(env.name, f"{env.shown_name} ({env.kind.value})") for env in environments]
    return {
        "types": [(kind.value, text) for kind, text in TYPES.items()],
        "environments": [("", "None"), *named],
        "permissions": [(one.value, text) for one, text in _PERMISSIONS.items()],
        "expiries": options(EXPIRIES),
    }


def options(choices: Mapping[str, tuple[str, object]]) -> Options:
    """Return the values and labels of choices, for a ``<select>`` of a form."""
    return [(value, text) for value, (text, _) in choices.items()]


def judged(form: Form, environments: Sequence[Environment]) -> Form:
    """Check a sent form for a new API key, and return it with an error at each wrong choice."""
    found: dict[str, str] = {}
    names = {env.name for env in environments}
    if form.text("type") not in {kind.value for kind in TYPES}:
        found["type"] = "Choose what the key gives access to."
    is_bound = form.text("type") == KeyType.ENVIRONMENT.value
    if form.text("environment") not in (names if is_bound else {"", *names}):
        found["environment"] = "Choose an environment."
    chosen = set(form.texts("permission"))
    if not chosen or not chosen <= {one.value for one in Permission}:
        found["permission"] = "Choose at least one of these."
    if form.text("expiry") not in EXPIRIES:
        found["expiry"] = "Choose when the key ends."
    return attrs.evolve(form, errors=found)


def key_wanted(form: Form, here: OrganizationVisit) -> KeyWanted:
    """Return the description of the API key to create, from a form without errors."""
    return KeyWanted(
        type=KeyType(form.text("type")),
        org_id=here.org_id,
        env=form.text("environment") or None,
        name=form.text("name"),
        permissions=frozenset(map(Permission, form.texts("permission"))),
        expires_in=EXPIRIES[form.text("expiry")][1],
    )
