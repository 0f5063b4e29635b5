"""Show the page of one environment, with the forms for its name and for the captions of its new videos."""

import falcon

from hvcore.domain.access.tenants import MAX_TITLE_CHARS, Environment
from hvcore.errors import NotFoundError
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_to_edit
from hvcore_dashboard.pages.environments.fields import (
    caption_texts,
    languages_text,
    name_texts,
)
from hvcore_dashboard.visits import organization_of


class EnvironmentPage:
    """The page of one environment, as each of its forms shows it."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tenants = desk.services.tenants
        self._deployment = desk.services.settings.transcriber.generate

    def find(self, req: falcon.Request, env_id: str) -> Environment:
        """
        Return the environment with an id of the organization that a request is about.

        Raises:
            NotFoundError: The organization has no such environment.
        """
        here = organization_of(req)
        if all(env.id != env_id for env in here.environments):
            raise NotFoundError
        return self._tenants.environment(here.org_id, env_id)

    def show(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        env: Environment,
        *,
        name: Form | None = None,
        captions: Form | None = None,
    ) -> None:
        """
        Show the page of an environment, with the forms as they were sent or as they are stored.

        Args:
            name: The refused form for the environment's name; None to show what is stored.
            captions: Likewise for the captions of new videos.
        """
        values = {
            "form": name or form_to_edit(name_texts(env)),
            "captions": captions or form_to_edit(caption_texts(env)),
            "inherited": languages_text(self._deployment),
            "shown": env,
            "max_chars": MAX_TITLE_CHARS,
        }
        self._answers.page(req, resp, "environments/environment.html", values)
