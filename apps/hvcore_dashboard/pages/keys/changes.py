"""Create, rotate and revoke API keys."""

import attrs
import falcon

from hvcore.errors import (
    ConflictError,
    HvError,
    InvalidParametersError,
    PreconditionFailedError,
    RateLimitExceededError,
)
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import as_shown
from hvcore_dashboard.forms import Form, read_form
from hvcore_dashboard.pages.keys.forms import (
    first_key_form,
    judged,
    key_options,
    key_wanted,
)
from hvcore_dashboard.pages.keys.page import KeyPages
from hvcore_dashboard.pages.keys.shown import end_of
from hvcore_dashboard.secrets_once import DEFAULT_OVERLAP, OVERLAPS
from hvcore_dashboard.visits import organization_of, visit_of

_ROTATED = (
    "Somebody else has rotated this key since you opened the page, so no further key was "
    "made: see when it ends now, and rotate it again only if one more is needed."
)


class NewKeyPageResource:
    """``GET …/keys/new``: the form for a new API key; ``POST``: creates the key and shows it once."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._operations = desk.services.key_operations
        self._pages = KeyPages.of(desk)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        self._show(req, resp, first_key_form(organization_of(req)))

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        form = judged(read_form(req), here.environments)
        if form.errors:
            resp.status = InvalidParametersError.status
            self._show(req, resp, form)
            return
        try:
            made = self._operations.create(visit_of(req).person, key_wanted(form, here))
        except HvError as error:
            complaint = self._pages.refusal(resp, error)
            self._show(req, resp, attrs.evolve(form, errors={"": complaint}))
            return
        self._pages.show_made(req, resp, made, title="Your new API key")

    def _show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        values = key_options(organization_of(req).environments)
        self._answers.page(
            req,
            resp,
            "keys/new.html",
            {"form": form, "per_hour": self._pages.per_hour, **values},
        )


class KeyRotationPageResource:
    """``POST …/keys/{key}/rotate``: creates the key's successor, and shows the successor once."""

    def __init__(self, desk: Desk) -> None:
        self._operations = desk.services.key_operations
        self._pages = KeyPages.of(desk)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, key_id: str, **_path: str
    ) -> None:
        form = read_form(req)
        overlap = OVERLAPS.get(form.text("overlap"), OVERLAPS[DEFAULT_OVERLAP])
        try:
            made = self._operations.rotate(
                visit_of(req).person,
                organization_of(req).org_id,
                key_id,
                overlap=overlap[1],
                only_if=as_shown(form, "ends", end_of),
            )
        except PreconditionFailedError:
            self._pages.refuse(req, resp, key_id, ConflictError(_ROTATED))
            return
        except (RateLimitExceededError, InvalidParametersError) as error:
            self._pages.refuse(req, resp, key_id, error)
            return
        self._pages.show_made(req, resp, made, title="The new key")


class KeyRevocationPageResource:
    """``POST …/keys/{key}/revoke``: revokes an API key."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._operations = desk.services.key_operations
        self._pages = KeyPages.of(desk)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, key_id: str, **_path: str
    ) -> None:
        org_id = organization_of(req).org_id
        try:
            key = self._operations.revoke(visit_of(req).person, org_id, key_id)
        except RateLimitExceededError as error:
            self._pages.refuse(req, resp, key_id, error)
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "keys"),
            message=f"The key {key.name or key.shown + '…'} is revoked.",
        )
