"""Make the tasks that tell event subscribers of plugins: one task for each event and subscriber that wants it."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from hvcore.domain.tasks.kinds import SUBSCRIBER_TELL
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.webhooks.events import EventKind, VideoEvent

WantedKinds = Mapping[str, frozenset[EventKind]]
"""The subscribers by name, and which events each of them wants."""
FindSubscribers = Callable[[], WantedKinds]
"""Called with the first event of a transaction: most have none."""


def no_subscribers() -> WantedKinds:
    """Return an empty mapping: no subscriber wants any event."""
    return {}


def tasks_of(happened: Sequence[VideoEvent], wanted: WantedKinds) -> Iterable[NewTask]:
    """Yield a task for each event and each plugin's subscriber that wants it, in the order of the events."""
    for event in happened:
        for name, kinds in wanted.items():
            if event.kind in kinds:
                yield NewTask(
                    kind=SUBSCRIBER_TELL,
                    lane=Lane.OUTBOUND,
                    org_id=event.org_id,
                    subject=event.video_id,
                    payload={
                        "subscriber": name,
                        "event": event.id,
                        "sequence": event.sequence,
                    },
                )
