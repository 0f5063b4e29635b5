"""
The dashboard over real services, and people who use it.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode

import attrs
from falcon.testing import Result, TestClient

from hvcore.domain.access.roles import Role
from hvcore.domain.health_findings import Examination, HealthFinding
from hvcore.domain.processes import ServiceProcess
from hvcore.domain.videos.video import Video
from hvcore.services.sign_in.sessions import StartedSession
from hvcore_dashboard.forms import URLENCODED
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG, World

SESSION: Final = "__Host-hv_session"
HOST: Final = "api.test"
ORIGIN: Final = f"https://{HOST}"
VIDEOS: Final = f"/dashboard/{ORG}/videos"
Fields = Mapping[str, str | Sequence[str]]


@attrs.frozen(kw_only=True)
class PersonClient:
    """
    A browser with a session.
    """

    client: TestClient
    session: StartedSession

    def get(self, path: str, query: str | None = None, **headers: str) -> Result:
        """
        Open a page.
        """
        return self.send("GET", path, query=query, headers=headers)

    def fragment(self, path: str, query: str | None = None) -> Result:
        """
        Ask for a part of a page, as htmx does.
        """
        asked = {
            "HX-Request": "true",
            "HX-Request-Type": "partial",
            "HX-Current-URL": f"{ORIGIN}{path}",
        }
        return self.send("GET", path, query=query, headers=asked)

    def post(self, path: str, fields: Fields | None = None, **headers: str) -> Result:
        """
        Send a form of one of the person's pages.
        """
        sent = {"change_token": self.session.person.change_token, **(fields or {})}
        return self.send("POST", path, fields=sent, headers=headers)

    def submit(
        self,
        path: str,
        changed: Fields | None = None,
        *,
        page: str | None = None,
        seen: Result | None = None,
        form_id: str | None = None,
    ) -> Result:
        """
        Fill in a form of a page and send it, with all that the page sends along.

        Args:
            path: Where the form is sent.
            page: Where the form is, if that is another path.
            seen: The page as it was opened before.
            form_id: The id of the form, if the page has several that send to the path.
        """
        fields = form_of(seen or self.get(page or path), path, form_id=form_id)
        return self.post(path, {**fields, **(changed or {})})

    def send(
        self,
        method: str,
        path: str,
        *,
        query: str | None = None,
        fields: Fields | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Result:
        """
        Send a request with the session, and with what is given only.
        """
        sent = {"Cookie": f"{SESSION}={self.session.value}", **(headers or {})}
        body = None
        if fields is not None:
            body = urlencode(fields, doseq=True)
            sent["Content-Type"] = URLENCODED
        return self.client.simulate_request(
            method, path, headers=sent, query_string=query, body=body, host=HOST
        )


@attrs.define(kw_only=True)
class StillInstallation:
    """
    An installation whose findings a test has written.

    Attributes:
        asked_anew: How often findings of a moment ago would not do.
    """

    findings: Sequence[HealthFinding] = ()
    known: Sequence[ServiceProcess] | None = None
    asked_anew: int = 0

    def examination(self, *, anew: bool) -> Examination:
        """
        Return the findings.
        """
        self.asked_anew += anew
        return Examination(findings=self.findings, at=datetime.now(UTC))

    def processes(self) -> Sequence[ServiceProcess] | None:
        """
        Return the processes.
        """
        return self.known


@attrs.frozen(kw_only=True)
class Dashboard:
    """
    The dashboard of a service, as a client of its pages sees it.

    Attributes:
        world: The service, with its API.
    """

    world: World
    client: TestClient
    installation: StillInstallation

    def sign_in(self, role: Role | None, *, org: str = ORG) -> PersonClient:
        """
        Sign a person in by a link; None is an operator.
        """
        links = self.world.services.sign_in_links
        if role is None:
            made = links.for_operator(name="Olga Operator")
        else:
            member = self.world.services.members.add(
                org, role=role, name=f"{role.value.title()} Person"
            )
            made = links.for_member(org, member.id)
        started = self.world.services.sign_ins.complete_link(
            made.address.partition("#")[2], client_address="127.0.0.1"
        )
        return PersonClient(client=self.client, session=started)

    def video(self, video_id: str) -> Video:
        """
        Return a video as it is stored.
        """
        with self.world.services.uow.read() as work:
            video = work.videos.find(video_id)
        assert video is not None
        return video

    def last_audited(self) -> tuple[str, str, str]:
        """
        Return what was done last, to what, and by whom.
        """
        entry = self.world.services.audit.latest(ORG, limit=1)[0]
        return entry.action, entry.subject, entry.actor_name

    def get(self, path: str, **headers: str) -> Result:
        """
        Open a page without a session.
        """
        return self.client.simulate_get(path, headers=headers, host=HOST)


def two(dashboard: Dashboard, role: Role) -> tuple[PersonClient, PersonClient]:
    """
    Sign in two people with a role.
    """
    return dashboard.sign_in(role), dashboard.sign_in(role)


def same_for_all(answer: Result) -> str:
    """
    Return the text of an answer without what each request has of its own.
    """
    return answer.text.replace(answer.headers["x-request-id"], "ID")


def policy_of(answer: Result) -> dict[str, str]:
    """
    Return the rules of a page's policy.
    """
    rules = answer.headers["content-security-policy"].split("; ")
    return dict(rule.partition(" ")[::2] for rule in rules)


def ids_in(answer: Result) -> set[str]:
    """
    Return the ids of elements, of which no page may have one twice.
    """
    found = re.findall(r'\bid="([^"]+)"', answer.text)
    assert len(found) == len(set(found)), sorted(found)
    return set(found)
