"""The settings page of an organization: defaults for new videos, and the use of its quotas."""

from collections.abc import Mapping, Sequence
from typing import Final

import falcon

from hvcore.domain.videos.new_video_defaults import NewVideoDefaults
from hvcore.errors import ConflictError, InvalidParametersError
from hvcore.settings.tree import LimitSettings
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import refused, sent_edit, settle, told
from hvcore_dashboard.forms import Form, form_to_edit, read_form
from hvcore_dashboard.pages.operation.limits import LIMIT_FIELDS
from hvcore_dashboard.pages.settings.fields import (
    ACCESSES,
    QUALITIES,
    default_texts,
    read_defaults,
    stored_defaults,
)
from hvcore_dashboard.visits import organization_of

_PATH: Final = "settings"


class SettingsPageResource:
    """``GET …/settings``: the page of settings; ``POST``: saves the defaults for new videos."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._defaults = desk.services.new_video_defaults
        self._members = desk.services.members
        self._quotas = desk.services.quotas
        self._limits = desk.services.settings.limits

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        defaults = self._defaults.of(organization_of(req).org_id)
        self._show(req, resp, form_to_edit(default_texts(defaults)))

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        """Save the defaults that the person has changed."""
        org_id, form = organization_of(req).org_id, read_form(req)

        def write(before: NewVideoDefaults, texts: Mapping[str, str | None]) -> None:
            self._defaults.change(
                org_id, read_defaults(texts), only_if=lambda now: now == before
            )

        try:
            edit = settle(
                lambda: self._defaults.of(org_id),
                lambda found: sent_edit(
                    form, default_texts(found), stored_form=stored_defaults
                ),
                write,
            )
        except (ConflictError, InvalidParametersError) as error:
            resp.status = error.http_status
            self._show(req, resp, refused(form, error))
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, _PATH),
            message=told(edit, saved="The forms for new videos begin with these now."),
        )

    def _show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        org_id = organization_of(req).org_id
        self._answers.page(
            req,
            resp,
            "settings/page.html",
            {
                "form": form,
                "accesses": ACCESSES,
                "qualities": QUALITIES,
                "found": self._quotas.of_one(org_id),
                "fields": LIMIT_FIELDS,
                "rates": _rates(self._limits),
                "members": self._members.count(org_id),
            },
        )


def _rates(limits: LimitSettings) -> Sequence[tuple[str, int]]:
    """Return the hourly limits with their labels; empty if requests are not limited."""
    if not limits.enabled:
        return ()
    return (
        ("Requests to the API", limits.api_per_hour),
        ("Uploads that are begun", limits.upload_url_per_hour),
        (
            "Videos processed, deleted, shared and signed",
            limits.video_operations_per_hour,
        ),
        ("Requests for analytics", limits.analytics_per_hour),
        ("Pictures chosen", limits.thumbnails_per_hour),
        ("Keys made, rotated and revoked", limits.key_operations_per_hour),
    )
