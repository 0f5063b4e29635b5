"""
Links of the API's description lead to what answers as it is described.
"""

from typing import Final

import attrs
import pytest
import schemathesis
from schemathesis.engine import events, from_schema

from hvcore_api.routes import ROUTES
from tests.api.test_schemathesis import (
    aimed,
    configuration,
    failures,
    unlimited,
)
from tests.support.http.world import World

__all__ = ["unlimited"]

pytestmark = pytest.mark.services

MOST: Final = 0.8
STEPS: Final = 60


@attrs.define
class Followed:
    """
    What following the links has shown.

    Attributes:
        operations: That a link has led to.
        problems: What was wrong there.
    """

    operations: set[str] = attrs.field(factory=set)
    problems: list[str] = attrs.field(factory=list)


def follow_links(api: World, scenarios: int) -> Followed:
    """
    Go from answer to answer, as the links say.
    """
    config = configuration(api, scenarios, is_long=False)
    project = config.projects.default
    # The videos behind the ids are other ones each time; see aimed.
    project.checks.use_after_free.enabled = False
    project.checks.ensure_resource_availability.enabled = False
    phases = project.phases
    phases.update(phases=["stateful"])
    # What schemathesis finds by itself is not what is said.
    phases.stateful.inference.algorithms = []
    # An answer leads to many: short walks would stay near where they begin.
    phases.stateful.max_steps = STEPS
    schema = schemathesis.openapi.from_wsgi(
        "/v1/openapi.json", aimed(api), config=config
    )
    followed = Followed()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            followed.problems += failures(event.recorder)
            followed.operations |= {
                node.value.operation.label
                for node in event.recorder.cases.values()
                if node.transition is not None and not node.transition.is_inferred
            }
        elif isinstance(event, events.NonFatalError):
            followed.problems.append(f"{event.label}: {event.value!r}")
        elif isinstance(event, events.FatalError):
            followed.problems.append(repr(event.exception))
    return followed


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_links_are_followed_over_most_operations(unlimited: World) -> None:
    followed = follow_links(unlimited, 60)

    text = "\n\n".join(dict.fromkeys(followed.problems))
    assert not followed.problems, text
    assert len(followed.operations) >= MOST * len(ROUTES), sorted(followed.operations)
