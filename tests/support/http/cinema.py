"""
The API, the delivery worker and the player over one database.
"""

from collections.abc import Mapping

import attrs
from falcon.testing import Result, TestClient

from hvcore.domain.media_paths import media_root
from hvcore_delivery.app import make_app as make_delivery
from hvcore_player.app import make_app as make_player
from tests.support.http.delivery_worker import poster
from tests.support.http.world import World, body_of, job_of
from tests.support.media_samples import shelf

WORKER = "https://worker.test"
PLAYER = "http://127.0.0.1:8081"


@attrs.define(kw_only=True)
class Cinema:
    """
    One private video, ready to be watched.
    """

    api: World
    video: str = attrs.field(init=False)
    worker: TestClient = attrs.field(init=False)
    player: TestClient = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.worker = TestClient(make_delivery(self.api.services))
        self.player = TestClient(make_player(self.api.services))
        self.video = self.playable()

    def playable(self, *, is_public: bool = False) -> str:
        """
        Make a video whose files are in storage.
        """
        made = shelf(poster=poster())
        video_id = self.api.transcoding(is_public=is_public)
        self.api.change(
            video_id, lambda video: video.mark_ready(job_of(video), made.media)
        )
        with self.api.services.uow.read() as work:
            video = work.videos.find(video_id)
        assert video is not None
        root = media_root(video.id, job_of(video))
        for name, data in made.files.items():
            self.api.storage.files[f"{root}/{name}"] = data
        return video_id

    def rename(self, name: str) -> None:
        """
        Call the video something, whatever the API would say to that.
        """
        self.api.change(self.video, lambda video: setattr(video, "name", name))

    def share(self, **wanted: object) -> str:
        """
        Share the video; return the link's id.
        """
        result = self.api.post(f"/v1/videos/{self.video}/share", wanted)
        return str(body_of(result)["shareID"])

    def edge_key(self, **wanted: object) -> str:
        """
        Make an edge key of the video.
        """
        result = self.api.post(f"/v1/videos/{self.video}/edge-keys", wanted)
        return str(body_of(result)["edgeKey"])

    def load(
        self,
        path: str,
        query: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
    ) -> Result:
        """
        Send a request to the worker.
        """
        return self.worker.simulate_request(
            method, path, query_string=query, headers=headers
        )

    def page(
        self,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        form: str | None = None,
        client: str = "192.0.2.1",
    ) -> Result:
        """
        Send a request to the player.

        Args:
            client: The address that a form comes from.
        """
        if form is not None:
            return self.player.simulate_post(
                path,
                body=form,
                headers={"Content-Type": "application/x-www-form-urlencoded"},
                remote_addr=client,
            )
        return self.player.simulate_request(method, path, headers=headers)

    def views(self) -> list[int]:
        """
        Return how often each link was watched, the newest first.
        """
        listed = body_of(self.api.get(f"/v1/videos/{self.video}/shares"))
        return [share["views"] for share in listed["shares"]]


def token_of(playlist: str) -> str:
    """
    Return the token that every address of a playlist carries.
    """
    found = {part.split('"')[0].split()[0] for part in playlist.split("?token=")[1:]}
    assert len(found) == 1
    return found.pop()
