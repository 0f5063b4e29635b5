"""Pages of bulk changes of videos: the confirmation, the progress, the outcome, and the list."""

from collections.abc import Mapping
from typing import Final

import attrs
import falcon

from hvcore.domain.ids import is_video_id
from hvcore.domain.videos.bulk_changes import BulkKind
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.errors import HvError, InvalidParametersError, RateLimitExceededError
from hvcore.wire.converter import read_document, read_query
from hvcore.wire.query import ListParameters, days_in_order
from hvcore.wire.videos.changes import VideoChangeRequest
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, read_form
from hvcore_dashboard.list_places import CHOOSING
from hvcore_dashboard.pages.bulk.shown import ShownBulks
from hvcore_dashboard.pages.video.labels import label_changes
from hvcore_dashboard.visits import OrganizationVisit, organization_of, visit_of

SEARCH: Final = (*CHOOSING, "sortBy", "sortDir")
"""The parameters of a list's search that lead back to it."""
_OWN: Final = frozenset(
    {"change_token", "change", "all", "video", "env", "page", "pageSize", "view"}
)
"""Fields of the list's form that are no part of the search."""
MOST_LISTED: Final = 20


class BulkListResource:
    """``GET …/videos/bulk``: the latest bulk changes; ``POST``: stores one, not confirmed yet."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bulk = desk.services.bulk_changes
        self._shown = ShownBulks.of(desk.services)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        views = self._bulk.latest(organization_of(req).org_id, MOST_LISTED)
        found = [self._shown.brief(view) for view in views]
        self._desk.answers.page(req, resp, "bulk/list.html", {"found": found})

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here, form = organization_of(req), read_form(req)
        answers = self._desk.answers
        searched = form.given(*SEARCH)
        try:
            address = self._ask(req, here, form, searched)
        except (InvalidParametersError, RateLimitExceededError) as error:
            back = answers.address(req, "videos", **searched)
            answers.go(req, resp, back, message=error.detail, tone="warn")
            return
        answers.go(req, resp, address)

    def _ask(
        self,
        req: falcon.Request,
        here: OrganizationVisit,
        form: Form,
        searched: Mapping[str, str],
    ) -> str:
        """Store the question; return the address of its page."""
        if here.env is None:
            raise InvalidParametersError("The organization has no environment yet.")
        kind = _kind(form.text("change"))
        person = visit_of(req).person.as_person
        if form.is_checked("all"):
            # Without a filter that is not known here, more would be found.
            if unknown := form.fields.keys() - _OWN - set(SEARCH):
                raise InvalidParametersError(
                    f"The search has an unknown filter: {min(unknown)}."
                )
            bulk = self._bulk.ask_found(here.env, person, kind, _query(searched))
        else:
            chosen = [one for one in form.texts("video") if is_video_id(one)]
            bulk = self._bulk.ask_chosen(here.env, person, kind, chosen)
        # The search goes along, so that the way back leads to the same list.
        return self._desk.answers.address(req, "videos", "bulk", bulk.id, **searched)


class BulkPageResource:
    """``GET …/videos/bulk/{bulk}``: the present state of a bulk change; ``POST``: starts it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bulk = desk.services.bulk_changes
        self._shown = ShownBulks.of(desk.services)

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, bulk_id: str, **_path: str
    ) -> None:
        self._show(req, resp, bulk_id, Form())

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, bulk_id: str, **_path: str
    ) -> None:
        here, form = organization_of(req), read_form(req)
        try:
            tags = _tags(form.text("tags"))
            person = visit_of(req).person.as_person
            self._bulk.start(here.org_id, bulk_id, person, tags)
        except InvalidParametersError as error:
            resp.status = error.http_status
            self._show(req, resp, bulk_id, _refused(form, error))
            return
        searched = form.given(*SEARCH)
        answers = self._desk.answers
        answers.go(
            req, resp, answers.address(req, "videos", "bulk", bulk_id, **searched)
        )

    def _show(
        self, req: falcon.Request, resp: falcon.Response, bulk_id: str, form: Form
    ) -> None:
        shown = self._shown.whole(organization_of(req), bulk_id)
        searched = _searched(req)
        self._desk.answers.page(
            req,
            resp,
            "bulk/page.html",
            {"shown": shown, "form": form, "searched": searched},
        )


class BulkProgressResource:
    """``GET …/videos/bulk/{bulk}/progress``: the fragment with the progress, which htmx loads again."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._shown = ShownBulks.of(desk.services)

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, bulk_id: str, **_path: str
    ) -> None:
        shown = self._shown.whole(organization_of(req), bulk_id)
        values = {"shown": shown, "searched": _searched(req)}
        self._desk.answers.fragment(req, resp, "bulk/progress.html", values)


class BulkStopResource:
    """``POST …/videos/bulk/{bulk}/stop``: stops a bulk change; videos already changed stay changed."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bulk = desk.services.bulk_changes

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, bulk_id: str, **_path: str
    ) -> None:
        self._bulk.stop(organization_of(req).org_id, bulk_id)
        searched = read_form(req).given(*SEARCH)
        answers = self._desk.answers
        answers.go(
            req, resp, answers.address(req, "videos", "bulk", bulk_id, **searched)
        )


def _kind(text: str) -> BulkKind:
    try:
        return BulkKind(text)
    except ValueError:
        raise InvalidParametersError("Choose what to do with the videos.") from None


def _query(searched: Mapping[str, str]) -> VideoQuery:
    return read_query(ListParameters, searched, days_in_order).query()


def _searched(req: falcon.Request) -> Mapping[str, str]:
    found = {name: req.get_param(name) or "" for name in SEARCH}
    return {name: value for name, value in found.items() if value}


def _tags(text: str) -> tuple[str, ...]:
    members = label_changes({"tags": text})
    changes = read_document(VideoChangeRequest, members).changes()
    return (changes.labels.tags or ()) if changes.labels else ()


def _refused(form: Form, error: HvError) -> Form:
    found = form.refused(error)
    if "" in found.errors:
        return attrs.evolve(found, errors={"tags": found.errors[""]})
    return found
