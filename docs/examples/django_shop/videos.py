"""The videos of the shop, in its database and behind its sign-in."""

from contextlib import closing
from functools import cache

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections, connection
from django.http import HttpResponse

from django_shop.models import Order
from hvcore.embedding import (
    EmbeddedService,
    Overrides,
    Permission,
    Principal,
    SubscribedEvent,
    WsgiEnviron,
    embed,
    person,
)


def database_url() -> str:
    """Return the address of Django's database, also of the one that its tests make."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "postgresql":
        # The rest is in the environment: PGHOST, PGUSER, PGPASSWORD.
        return f"postgresql:///{name}"
    return f"sqlite:///{name}"


def who(environ: WsgiEnviron) -> Principal | None:
    """Return the user of Django's session as a caller of the API."""
    close_old_connections()
    request = WSGIRequest(environ)
    SessionMiddleware(lambda _: HttpResponse()).process_request(request)
    user, may = get_user(request), {Permission.VIDEOS_READ}
    if not user.is_authenticated:
        return None
    return person(user.get_username(), org_id="shop", permissions=may)


def note_event(event: SubscribedEvent) -> None:
    """Note that a film can be watched; called by the worker, perhaps twice."""
    # The thread is the worker's; Django closes connections after requests alone.
    with closing(connection):
        Order.objects.filter(video_id=event.video_id).update(
            is_ready=event.status == "ready"
        )


def make_service(overrides: Overrides | None = None) -> EmbeddedService:
    """Make the service; tests have fakes in the place of its storage."""
    return embed(
        settings.FOLDER / "videos",
        public_url="http://127.0.0.1:8000/videos",
        database_url=database_url(),
        schema="hv",
        sign_in=who,
        on_event=note_event,
        overrides=overrides,
    )


@cache
def service() -> EmbeddedService:
    """Return the service of this process, made when it is first asked for."""
    return make_service()
