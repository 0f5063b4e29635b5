"""The form for the captions that a machine makes of an environment's new videos."""

from collections.abc import Mapping

import falcon

from hvcore.domain.access.tenants import Environment
from hvcore.errors import ConflictError, InvalidParametersError, UnavailableError
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import refused, sent_edit, settle, told
from hvcore_dashboard.forms import read_form
from hvcore_dashboard.pages.environments.fields import (
    caption_texts,
    read_languages,
    stored_captions,
)
from hvcore_dashboard.pages.environments.page import EnvironmentPage


class EnvironmentCaptionsResource:
    """``POST …/environments/{environment}/captions``: saves the captions that new videos get."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._defaults = desk.services.caption_defaults
        self._page = EnvironmentPage(desk)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, env_id: str, **_path: str
    ) -> None:
        """Save the languages, if the person has changed them."""
        form = read_form(req)
        self._page.find(req, env_id)

        def write(found: Environment, texts: Mapping[str, str | None]) -> None:
            self._defaults.change(
                found,
                read_languages(texts["languages"] or ""),
                only_if=lambda now: now.caption_languages == found.caption_languages,
            )

        try:
            edit = settle(
                lambda: self._page.find(req, env_id),
                lambda found: sent_edit(
                    form, caption_texts(found), stored_form=stored_captions
                ),
                write,
            )
        except (ConflictError, InvalidParametersError, UnavailableError) as error:
            resp.status = error.http_status
            env = self._page.find(req, env_id)
            self._page.show(req, resp, env, captions=refused(form, error))
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "environments", env_id),
            message=told(edit, saved="New videos get these captions from now on."),
        )
