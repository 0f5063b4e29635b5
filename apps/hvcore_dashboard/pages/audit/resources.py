"""The audit log page of an organization: who changed what, and when."""

from collections.abc import Mapping
from typing import Final

import attrs
import falcon

from hvcore.domain.access.audit import ActorKind, AuditQuery
from hvcore.domain.ids import OrgId
from hvcore.domain.limits import MAX_NAME_CHARS
from hvcore.errors import HvError, NotFoundError
from hvcore.wire.access import audit as wire
from hvcore.wire.analytics.query import ResolutionParameters, dates_in_order
from hvcore.wire.converter import read_query
from hvcore_dashboard.answers import is_partial
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.pages.analytics.files import form_of
from hvcore_dashboard.visits import organization_of
from hvcore_dashboard.whole_numbers import whole_number
from hvcore_web.record_files import send_records

ENTRIES_PER_PAGE: Final = 50
MOST_IN_A_FILE: Final = 100_000
FILE: Final = "audit-log"
AREAS: Final = (
    ("key", "Keys"),
    ("webhook", "Webhooks"),
    ("video", "Videos"),
    ("bulk", "Bulk changes"),
    ("captions", "Captions"),
    ("chapters", "Chapters"),
    ("thumbnail", "Thumbnails"),
    ("share", "Share links"),
    ("edge-key", "Edge keys"),
    ("member", "Members"),
    ("environment", "Environments"),
    ("organization", "Organization"),
    ("session", "Sign-ins"),
)
"""The beginnings of actions' names, with the words for them on the page."""
ACTORS: Final = (
    (ActorKind.PERSON.value, "People and the command line"),
    (ActorKind.PROGRAM.value, "Programs with a key"),
)
"""The kinds of actors, with the words for them on the page."""
_DAYS: Final = ("startDate", "endDate")
_FILTERS: Final = ("search", "area", "by", *_DAYS, "before")


class AuditPageResource:
    """``GET …/audit``: the audit log page; for htmx only the log's entries."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._audit = desk.services.audit

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        org_id = organization_of(req).org_id
        sent = _sent(req)
        values: dict[str, object] = {
            "sent": sent,
            "areas": AREAS,
            "actors": ACTORS,
            "complaint": "",
        }
        try:
            query = _query(sent, org_id)
        except HvError as error:
            # No list: it would stand below what it was not searched for.
            values["complaint"] = error.detail
            resp.status = error.http_status
        else:
            values["found"] = self._audit.page(query, limit=ENTRIES_PER_PAGE)
        answers = self._desk.answers
        if is_partial(req):
            resp.status = falcon.HTTP_200
            answers.fragment(req, resp, "audit/results.html", values)
            resp.set_header("HX-Push-Url", answers.address(req, "audit", **sent))
            return
        answers.page(req, resp, "audit/page.html", values)


class AuditFileResource:
    """``GET …/audit/files/audit-log?format=csv`` (or ``ndjson``): the filtered audit log as a file."""

    def __init__(self, desk: Desk) -> None:
        self._audit = desk.services.audit

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, name: str, **_path: str
    ) -> None:
        if name != FILE:
            raise NotFoundError
        form = form_of(req)
        query = _query(_sent(req), organization_of(req).org_id)
        # All of it, whatever page is shown.
        query = attrs.evolve(query, before=None)
        found = self._audit.page(query, limit=MOST_IN_A_FILE)
        send_records(resp, wire.entries(found.entries), table=wire.TABLE, form=form)


def _sent(req: falcon.Request) -> Mapping[str, str]:
    return {name: (req.get_param(name) or "").strip() for name in _FILTERS}


def _query(sent: Mapping[str, str], org_id: OrgId) -> AuditQuery:
    """
    Return the query of the audit log that a page's filters stand for.

    Raises:
        HvError: One of them cannot be read.
    """
    given = {name: sent[name] for name in _DAYS if sent[name]}
    days = read_query(ResolutionParameters, given, dates_in_order).days()
    area, by = sent["area"], sent["by"]
    return AuditQuery(
        org_id=org_id,
        area=area if area in dict(AREAS) else "",
        search=sent["search"][:MAX_NAME_CHARS],
        by=ActorKind(by) if by in dict(ACTORS) else None,
        first=days.first,
        last=days.last,
        before=whole_number(sent["before"]),
    )
