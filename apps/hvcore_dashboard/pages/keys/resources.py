"""The list of API keys, and the page of each key."""

import falcon

from hvcore_dashboard.desk import Desk
from hvcore_dashboard.list_pages import PAGE_SIZE, list_page
from hvcore_dashboard.pages.keys.page import KeyPages
from hvcore_dashboard.pages.keys.shown import shown_key
from hvcore_dashboard.visits import organization_of


class KeysPageResource:
    """``GET …/keys``: the list of working API keys; with ``ended=yes`` of all keys."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._keys = desk.services.keys
        self._clock = desk.services.clock

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        now = self._clock.now()
        newest_first = reversed(self._keys.of_organization(here.org_id))
        every = [shown_key(here, key, now) for key in newest_first]
        are_all = req.get_param("ended") == "yes"
        wanted = every if are_all else [one for one in every if not one.is_over]
        page = list_page(req, len(wanted))
        self._answers.page(
            req,
            resp,
            "keys/list.html",
            {
                "keys": wanted[page.offset : page.offset + PAGE_SIZE],
                "ended": sum(one.is_over for one in every),
                "are_all": are_all,
                **page.shown,
            },
        )


class KeyPageResource:
    """``GET …/keys/{key}``: the page of an API key, with forms to rotate or revoke it."""

    def __init__(self, desk: Desk) -> None:
        self._pages = KeyPages.of(desk)

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, key_id: str, **_path: str
    ) -> None:
        self._pages.show(req, resp, key_id)
