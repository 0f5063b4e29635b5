"""A shop that shows films; Django's session says who is signed in."""

import os

import django
from django.conf import settings
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path

from hvcore.embedding import (
    Permission,
    Principal,
    VideoNotFoundError,
    WsgiEnviron,
    embed,
    person,
)

settings.configure(
    ROOT_URLCONF=__name__,
    SECRET_KEY=os.environ["DJANGO_SECRET_KEY"],
    ALLOWED_HOSTS=["127.0.0.1"],
)
django.setup()


def who(environ: WsgiEnviron) -> Principal | None:
    session = SessionStore(WSGIRequest(environ).COOKIES.get("sessionid"))
    user, may = session.get("user"), {Permission.VIDEOS_READ}
    return person(str(user), org_id="shop", permissions=may) if user else None


def film(_request: HttpRequest, video_id: str) -> HttpResponse:
    try:
        page = hv.environment("shop").page_address(video_id)
    except VideoNotFoundError as error:
        raise Http404(error.detail) from error
    return HttpResponse(f'<iframe src="{page}"></iframe>')


urlpatterns = [path("films/<video_id>", film)]
hv = embed("var/videos", public_url="http://127.0.0.1:8000/videos", sign_in=who)
application = hv.beside(WSGIHandler())
