"""The tab that explains why delivery refuses an address of a video."""

from collections.abc import Mapping
from typing import Final

import falcon

from hvcore.domain.ids import is_edge_key_id, is_share_link_id, is_video_id
from hvcore.domain.playback.page_domains import origin_of
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.videos.video import Video
from hvcore.errors import FieldError, HvError, InvalidParametersError
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, read_form
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import OrganizationVisit, organization_of

TAB: Final = "explain"
MAX_URL_CHARS: Final = 8_192
NOT_OURS: Final = (
    "This is no address of this video. Paste the whole address of a playlist, a segment, "
    "a picture, or a page of the player."
)
NO_ORIGIN: Final = "Write where the page is, such as https://www.example.com."


class ExplainTabResource:
    """
    ``GET …/videos/{video}/explain``: the explain tab; ``POST``: explains a playback address.

    ``POST`` is used because the address may hold a token.
    """

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._judge = desk.judge
        self._edge_keys = desk.services.edge_keys
        self._shares = desk.services.shares

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        video = self._tabs.arrived(req, video_id)
        self._show(req, resp, video, Form(), {})

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        """Show whether delivery would serve or refuse the address at this moment, and why."""
        form, video = read_form(req), self._tabs.arrived(req, video_id)
        try:
            judged = self._judged(organization_of(req), video, form)
        except HvError as error:
            resp.status = error.http_status
            self._show(req, resp, video, form.refused(error), {})
            return
        self._show(req, resp, video, form, judged)

    def _judged(
        self, here: OrganizationVisit, video: Video, form: Form
    ) -> Mapping[str, object]:
        url = form.text("url")
        origin = form.text("origin")
        if origin and origin_of(origin) is None:
            raise _refusal("origin", NO_ORIGIN)
        if not self._is_of(here, video, url):
            raise _refusal("url", NOT_OURS)
        judged = self._judge.judge(url, origin=origin_of(origin) if origin else None)
        if judged is None:
            raise _refusal("url", NOT_OURS)
        refused_by = judged.decision.refused_by
        return {
            "judged": judged,
            "needs_origin": not origin and refused_by is PlaybackRule.PAGE_NOT_LISTED,
        }

    def _is_of(self, here: OrganizationVisit, video: Video, url: str) -> bool:
        """
        Return whether an address is about this video and nothing else.

        What the rules say of somebody else's video is not for everybody.
        """
        if len(url) > MAX_URL_CHARS:
            return False
        path = self._judge.path_of(url)
        if path is None:
            return False
        parts = set(path.split("/"))
        found = {part for part in parts if is_video_id(part)}
        keys = {part for part in parts if is_edge_key_id(part)}
        shares = {part for part in parts if is_share_link_id(part)}
        allowed: set[str] = {video.id, video.public_id}
        place = (here.caller, here.org_id, video.id)
        if keys:
            allowed |= {key.id for key in self._edge_keys.of_video(*place)}
        if shares:
            allowed |= {share.id for share in self._shares.of_video(*place)}
        named = found | keys | shares
        return bool(named) and named <= allowed

    def _show(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        video: Video,
        form: Form,
        judged: Mapping[str, object],
    ) -> None:
        values = {"form": form, "judged": None, "needs_origin": False, **judged}
        self._tabs.show(req, resp, video, TAB, values)


def _refusal(field: str, message: str) -> InvalidParametersError:
    problem = FieldError(message=message, location=f"body.{field}")
    return InvalidParametersError(message, errors=[problem])
