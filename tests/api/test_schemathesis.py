"""
The running API and its description agree, whatever is sent.
"""

import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
import schemathesis
from schemathesis.engine import events, from_schema

from hvcore.settings.tree import LimitSettings
from hvcore_api.routes import ROUTES
from tests.conftest import SettableClock
from tests.support.http.fixtures import Template, settings_of
from tests.support.http.world import ENV, ORG, World

# Once is enough: what the interpreters differ in, the other tests see.
pytestmark = pytest.mark.services

SEED: Final = int(os.environ.get("SCHEMATHESIS_SEED", "20260101"))
_VIDEO_ID = re.compile(r"(?<=/)(?:pub)?vid_[0-9A-Za-z]{22}(?=/|$)")

# What a schema cannot say: a path that was granted, an address that can be
# reached, a day before another, a moment to come, the bytes of a picture or of
# captions, a key that was used for another request.
HAS_FURTHER_RULES: Final = (
    "/caption-defaults$",
    "/videos$",
    "/videos/process",
    "/videos/upload",
    "/uploads",
    "/videos/download",
    "/thumbnail",
    "/captions",
    "/chapters",
    "/edge-keys",
    "/share",
    "/analytics/",
    "/events",
    "/retry",
    "/upload-complete",
)
# Read, too, and not said, because generators of clients stumble over it: null for a
# body that may be left out, a text for a list of domains, and true for a list of languages.
TAKES_MORE: Final = (
    *(r"/videos/\{\w+\}$", "/edge-keys$", "/share$", "/captions/generate$"),
    *("/videos/process$", "/videos/upload$", "/videos/upload-url$"),
)
ACCEPTED: Final = ["2xx", "3xx", 401, 403, 404, 409, 412, 429]
REFUSED: Final = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 429]


@pytest.fixture
def unlimited(
    _template: Template, tmp_path: Path, clock: SettableClock
) -> Iterator[World]:
    """
    The API without limits, with videos in every state.
    """
    settings = settings_of(tmp_path)
    settings = attrs.evolve(settings, limits=LimitSettings(enabled=False))
    with _template.open(settings, clock) as world:
        yield world


def configuration(api: World, examples: int, *, is_long: bool) -> schemathesis.Config:
    """
    Return what is sent and checked, with a good key.

    Args:
        is_long: Whether every border of every field is tried as well, which takes a
            minute however few the examples are.
    """
    further = [
        {
            "include-path-regex": "|".join(HAS_FURTHER_RULES),
            "checks": {
                "positive_data_acceptance": {"expected-statuses": [*ACCEPTED, 400, 422]}
            },
        }
    ]
    further.append(
        {
            "include-path-regex": "|".join(TAKES_MORE),
            "checks": {
                "negative_data_rejection": {"expected-statuses": [200, *REFUSED]}
            },
        }
    )
    further.append(
        {
            # An object of members none of which is known is one of the schema.
            "include-method": "PATCH",
            "checks": {
                "positive_data_acceptance": {"expected-statuses": [*ACCEPTED, 400]}
            },
        }
    )
    return schemathesis.Config.from_dict(
        {
            "seed": SEED,
            "headers": {"X-Api-Key": api.key.value},
            "generation": {"max-examples": examples, "database": "none"},
            "phases": {
                "coverage": {"enabled": is_long},
                "stateful": {"enabled": False},
            },
            "parameters": {"path.orgID": ORG, "path.envID": ENV},
            "checks": {
                "positive_data_acceptance": {"expected-statuses": ACCEPTED},
                "negative_data_rejection": {"expected-statuses": REFUSED},
                # Its probes do not reach WSGI apps (4.32); test_isolation.py and
                # test_hostile.py send every route what is no key.
                "ignored_auth": {"enabled": False},
                "missing_required_header": {"expected-statuses": [400, 401, 412, 422]},
            },
            "operations": further,
        }
    )


def run(
    api: World, examples: int, *, is_long: bool
) -> tuple[Counter[int], list[str], set[str]]:
    """
    Send generated requests to every route.

    Returns:
        How often each status came, what is wrong, and which operations
        succeeded at least once.
    """
    statuses: Counter[int] = Counter()
    problems: list[str] = []
    succeeded: set[str] = set()
    schema = schemathesis.openapi.from_wsgi(
        "/v1/openapi.json",
        aimed(api),
        config=configuration(api, examples, is_long=is_long),
    )
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            problems += failures(event.recorder)
            for sent in event.recorder.interactions.values():
                if sent.response is not None:
                    statuses[sent.response.status_code] += 1
                    if sent.response.status_code < 300 and event.recorder.label:
                        succeeded.add(event.recorder.label)
        elif isinstance(event, events.NonFatalError):
            problems.append(f"{event.label}: {event.value!r}")
        elif isinstance(event, events.FatalError):
            problems.append(repr(event.exception))
    return statuses, problems, succeeded


def aimed(api: World) -> Callable[..., Iterable[bytes]]:
    """
    Return the API with videos that exist behind ids that are merely well-formed.
    """
    states = (api.ready, api.failed, api.transcoding, api.awaited)
    counter = itertools.count()

    def make(_unknown: object) -> str:
        return states[next(counter) % len(states)]()

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        # Every eighth stays unknown.
        if next(counter) % 8:
            path = _VIDEO_ID.sub(make, environ["PATH_INFO"])
            environ = {**environ, "PATH_INFO": path}
        return api.client.app(environ, start_response)

    return app


def failures(recorder: Any) -> Iterator[str]:  # noqa: ANN401 - schemathesis's own
    """
    Yield what its checks found, with a request that shows it.
    """
    for checks in recorder.checks.values():
        for check in checks:
            if check.failure_info is not None:
                failure = check.failure_info.failure
                yield (
                    f"{failure.operation}: {failure.title}: {failure.message}\n"
                    f"{check.failure_info.code_sample}"
                )


@pytest.mark.parametrize(
    ("examples", "at_least", "is_long"),
    [
        pytest.param(5, 300, False, id="300"),
        pytest.param(450, 20_000, True, id="20000", marks=pytest.mark.long),
    ],
)
@pytest.mark.timeout(3_600)
def test_the_api_answers_as_documented(
    unlimited: World, examples: int, at_least: int, *, is_long: bool
) -> None:
    print(f"SCHEMATHESIS_SEED={SEED}")  # noqa: T201 - shown when it fails

    statuses, problems, succeeded = run(unlimited, examples, is_long=is_long)

    text = "\n\n".join(dict.fromkeys(problems))
    assert not problems, f"SCHEMATHESIS_SEED={SEED}\n{text}"
    assert sum(statuses.values()) >= at_least, statuses
    assert not [status for status in statuses if status >= 500]
    # It is no proof if all of it was refused.
    assert len(succeeded) >= len(ROUTES) * 0.7, sorted(succeeded)
