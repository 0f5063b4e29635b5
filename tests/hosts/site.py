"""
A service on several hosts, with whom it talks to: clients, a web server, a receiver.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from hvcore.domain.webhooks.events import EventKind
from tests.hosts.clients import Client, Doors
from tests.hosts.fleet import CLIENT, ENV, ORG, fleet
from tests.hosts.interface import Tour
from tests.support.network.receivers import receiver
from tests.torture.campaign import web_server

OUTSIDE = {"files.test": CLIENT, "hook.test": CLIENT}
"""Names that only the name server knows."""


@contextmanager
def site(
    folder: Path,
    layout: Mapping[str, Sequence[str]],
    clip: Path,
    *,
    clocks_s: Mapping[str, int] | None = None,
    **settings: str,
) -> Iterator[Tour]:
    """
    Run a service, and give a client who can use everything of it.

    Args:
        clocks_s: By how much those of some hosts are off.
        settings: Of all processes.
    """
    with fleet(
        folder,
        layout,
        names=OUTSIDE,
        clocks_s=clocks_s,
        HV_FETCH__ALLOWED_HOSTS=",".join(OUTSIDE),
        **settings,
    ) as made:
        client = Client(fleet=made, doors=Doors(made))
        with (
            receiver(CLIENT, "hook.test") as hook,
            web_server(clip.parent, CLIENT, "files.test") as web,
        ):
            # A test event is not one of those that an endpoint can ask for.
            kinds = frozenset(EventKind) - {EventKind.TEST}
            made.services.webhooks.add(ORG, ENV, hook.url, kinds)
            yield Tour(client=client, clip=clip, web=web, hook=hook)
