"""
The server's time for pages of the dashboard with many videos.

Of the whole answer, through the app as the server calls it, without sockets. "first" is
the first page after the environment has changed, "again" the same once more; both are
medians. It ends with an error if a page takes more than FLOOR_MS.

Run: ``python -m tests.benchmarks.dashboard [--videos N] [--postgresql]``.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Mapping
from typing import Final

from falcon.testing import TestClient

from hvcore.assembly import Services
from hvcore.domain.access.roles import Role
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.persistence.engine import writing
from hvcore_checks.reports import InstallationReports
from hvcore_dashboard.app import make_dashboard
from hvcore_reference.dry_playback import DryPlaybackJudge
from tests.benchmarks.api.data import ENV, ORG
from tests.benchmarks.lists import CHANGE, filled

FLOOR_MS: Final = 150.0
PAGES: Final = 15
VIDEOS: Final = f"/dashboard/{ORG}/videos"
TABS_ASKED: Final = ("captions", "picture", "sharing", "embed", "analytics", "events")
MEMBERS: Final = 1_000
NEWEST: Final = VideoQuery(page=1, page_size=1)


def cases(videos: int, video_id: str) -> Mapping[str, str]:
    """
    The addresses of pages; for names of videos see tests.benchmarks.lists.
    """
    below = f"/dashboard/{ORG}"
    plain = ("upload", "keys", "webhooks", "environments", "members")
    queries = {
        "pictures": "view=grid",
        "table": "view=table",
        "table by name, a late page": f"sortBy=name&page={videos // 24 - 5}",
        "ready": "status=ready",
        "search, all have it": "search=summer",
        "search, one in nine, by name": "search=in+red&sortBy=name",
        "search, none": "search=qqq",
        "search, one character": "search=q",
    }
    return {
        **{name: f"{VIDEOS}?{query}" for name, query in queries.items()},
        "a video": f"{VIDEOS}/{video_id}",
        **{f"its {one}": f"{VIDEOS}/{video_id}/{one}" for one in TABS_ASKED},
        "analytics, a month": f"{below}/analytics?days=30",
        "analytics, a year": f"{below}/analytics?days=365",
        **{name: f"{below}/{name}" for name in plain},
        "audit log": f"{below}/audit",
        "audit log, search": f"{below}/audit?search=qqq",
        "system": "/dashboard/system",
        "organizations": "/dashboard/organizations",
    }


def signed_in(services: Services) -> Mapping[str, str]:
    """
    Return the headers of an operator's browser.
    """
    link = services.sign_in_links.for_operator(name="Benchmark").address
    started = services.sign_ins.complete_link(
        link.partition("#")[2], client_address="127.0.0.1"
    )
    return {"Cookie": f"hv_session={started.value}"}


def measure(
    services: Services, client: TestClient, headers: Mapping[str, str], address: str
) -> tuple[float, float]:
    """
    Return what a page takes in ms, first and again.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(PAGES):
        with writing(services.engine) as connection:
            connection.execute(CHANGE)
            connection.commit()
        for found in times:
            started = time.perf_counter()
            answer = client.simulate_get(address, headers=headers)
            found.append((time.perf_counter() - started) * 1000)
            if answer.status_code != 200:
                raise AssertionError(answer.text)
    return statistics.median(times[0]), statistics.median(times[1])


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true")
    wanted = parser.parse_args()
    slowest_ms = 0.0
    with filled(wanted) as services:
        dashboard = make_dashboard(
            services,
            installation=InstallationReports(services.settings),
            judge=DryPlaybackJudge.of(services),
        )
        client = TestClient(dashboard)
        headers = signed_in(services)
        for number in range(MEMBERS):
            services.members.add(ORG, role=Role.VIEWER, name=f"Person {number}")
        env = services.tenants.environment(ORG, ENV)
        (video,) = services.catalog.page(env, NEWEST).videos
        print(f"{'':32}{'first ms':>10}{'again ms':>10}")
        for name, address in cases(wanted.videos, video.id).items():
            first_ms, again_ms = measure(services, client, headers, address)
            slowest_ms = max(slowest_ms, first_ms)
            print(f"{name:32}{first_ms:10.1f}{again_ms:10.1f}", flush=True)
    if slowest_ms > FLOOR_MS:
        sys.exit(f"A page takes {slowest_ms:.0f} ms; {FLOOR_MS:.0f} are the most.")


if __name__ == "__main__":
    main()
