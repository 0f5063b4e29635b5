"""
The whole interface once, each step at another host than the one before.
"""

import time
from base64 import b64encode
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

import attrs

from tests.hosts.clients import Client
from tests.hosts.network import Host
from tests.support.live import until
from tests.support.network.receivers import Receiver
from tests.torture.customers import MP4

MADE_WITHIN_S: Final = 120.0
SENT_WITHIN_S: Final = 40.0
OBEYED_WITHIN_S: Final = 1.0
"""By other machines than the one that has answered a delete."""
COUNTED_WITHIN_S: Final = 30.0
"""On an idle machine 10."""


@attrs.define(kw_only=True)
class Tour:
    """
    A client that uses everything.

    Attributes:
        watched: Segments that have come, by video.
    """

    client: Client
    clip: Path
    web: str
    hook: Receiver
    watched: dict[str, int] = attrs.field(factory=dict)

    @property
    def halls(self) -> list[Host]:
        """
        Where videos are played.
        """
        return self.client.fleet.delivery_hosts

    def go(self) -> str:
        """
        Use everything; return a public video that stays.
        """
        public = self.uploaded(is_public=True)
        private = self.uploaded(is_public=False)
        fetched, resumed = self.fetched(), self.resumed()
        for video in (public, private, fetched, resumed):
            self.made(video)
        self.play(self.client.public_url(public), public)
        self.play(self.signed(private), private)
        self.refused(self.client.public_url(private), {403})
        self.change(private)
        self.share(private)
        self.told(public, "video.processing.completed")
        self.delete(fetched)
        self.delete(resumed)
        self.told(fetched, "video.deleted")
        self.counted()
        return public

    def uploaded(self, *, is_public: bool) -> str:
        """
        Send the clip to a signed address, again where the service says when; return its video.
        """
        wanted = {
            "fileName": self.clip.name,
            "contentType": MP4,
            "allowPublicAccess": is_public,
            "videoQuality": "standard",
        }
        grant = self.client.body("POST", "/v1/videos/upload-url", wanted)
        data = self.clip.read_bytes()
        ends_s = time.monotonic() + SENT_WITHIN_S
        while True:
            sent = self.client.send("PUT", grant["signedURL"], data, Content_Type=MP4)
            if sent.status != 503 or time.monotonic() > ends_s:
                break
            # Uploads that hang at a store may hold every place for a moment.
            time.sleep(float(sent.headers["retry-after"]))
        assert sent.status == 200, sent
        return str(grant["videoID"])

    def fetched(self) -> str:
        """
        Have the clip fetched.
        """
        url = f"{self.web}/{self.clip.name}"
        wanted = {"fileName": self.clip.name, "videoURL": url}
        return str(self.client.body("POST", "/v1/videos/upload", wanted)["videoID"])

    def resumed(self) -> str:
        """
        Send the clip in two requests, to one host as its page says.
        """
        data, tus = self.clip.read_bytes(), {"Tus_Resumable": "1.0.0"}
        told = ",".join(
            f"{name} {b64encode(text.encode()).decode()}"
            for name, text in {"filename": self.clip.name, "filetype": MP4}.items()
        )
        made = self.client.send(
            "POST",
            f"{self.client.api}/v1/uploads",
            b"",
            X_Api_Key=self.client.key,
            Upload_Length=str(len(data)),
            Upload_Metadata=told,
            **tus,
        )
        assert made.status == 201, made
        kind = {"Content_Type": "application/offset+octet-stream"}
        half, upload = len(data) // 2, made.body["uploadURL"]
        for offset, piece in ((0, data[:half]), (half, data[half:])):
            answer = self.client.send(
                "PATCH",
                upload,
                piece,
                host=self.halls[0],
                Upload_Offset=str(offset),
                **kind,
                **tus,
            )
            assert answer.status == 204, answer
        return str(made.body["assetId"])

    def made(self, video: str) -> None:
        """
        Wait until a video is ready, as each host of the API says.
        """

        def is_ready() -> bool:
            status = self.client.body("GET", f"/v1/videos/{video}")["status"]
            assert not status["failed"], status
            return bool(status["ready"])

        until(is_ready, within_s=MADE_WITHIN_S, what=f"the end of {video}")
        for host in self.client.fleet.api_hosts:
            seen = self.client.call("GET", f"/v1/videos/{video}", host=host)
            assert seen.body["status"]["ready"]

    def signed(self, video: str) -> str:
        """
        Return an address with a token.
        """
        path = f"/v1/videos/{video}/signed-url?expiration=1h"
        found = self.client.body("GET", path)
        return str(found["signed_url"])

    def play(self, master: str, video: str) -> None:
        """
        Fetch everything that is played, at all hosts in turn.
        """
        for name in self.lines(master):
            playlist = urljoin(master, name)
            for segment in self.lines(playlist):
                if not segment.startswith("video/"):
                    continue
                answer = self.client.get(urljoin(playlist, segment))
                assert answer.status == 200, answer
                self.watched[video] = self.watched.get(video, 0) + 1

    def lines(self, url: str) -> list[str]:
        """
        Return the addresses in a playlist, the same ones from all hosts.
        """
        texts = {self.client.get(url, host=host).data for host in self.halls}
        assert len(texts) == 1, texts
        (text,) = texts
        lines = text.decode().splitlines()
        return [line for line in lines if line and not line.startswith("#")]

    def refused(self, url: str, statuses: set[int]) -> None:
        """
        Expect that no host plays something.
        """
        assert {
            self.client.get(url, host=host).status for host in self.halls
        } <= statuses

    def change(self, video: str) -> None:
        """
        Rename a video, and find it by its name.
        """
        self.client.body("PATCH", f"/v1/videos/{video}", {"videoName": "Renamed"})
        listed = self.client.body("GET", "/v1/videos?search=renamed")
        assert [one["id"] for one in listed["videos"]] == [video]

    def share(self, video: str) -> None:
        """
        Share a video, play it by its link, and end the link.
        """
        link = self.client.body("POST", f"/v1/videos/{video}/share", {"maxViews": 5})
        self.play_once(link["deliveryURL"], video)
        ended = self.client.call(
            "DELETE", f"/v1/videos/{video}/shares/{link['shareID']}"
        )
        assert ended.status == 200, ended
        self.gone(link["deliveryURL"], {403})

    def play_once(self, master: str, video: str) -> None:
        """
        Begin one session at one host, and play it at all of them.
        """
        text = self.client.get(master).data.decode()
        first = next(x for x in text.splitlines() if x and not x.startswith("#"))
        playlist = urljoin(master, first)
        for segment in self.lines(playlist):
            answer = self.client.get(urljoin(playlist, segment))
            assert answer.status == 200, answer
            self.watched[video] = self.watched.get(video, 0) + 1

    def delete(self, video: str) -> None:
        """
        Delete a video, after which no host plays it.
        """
        url = self.signed(video)
        assert {self.client.get(url, host=host).status for host in self.halls} == {200}
        answer = self.client.call("DELETE", f"/v1/videos/{video}")
        assert answer.status == 200, answer
        self.gone(url, {404})

    def gone(self, url: str, statuses: set[int]) -> None:
        """
        Expect that all hosts obey a change in time.
        """
        time.sleep(OBEYED_WITHIN_S)
        self.refused(url, statuses)

    def told(self, video: str, event: str) -> None:
        """
        Wait until a webhook has told something of a video.
        """
        wanted = (f'"{video}"'.encode(), f'"{event}"'.encode())

        def has_come() -> bool:
            return any(
                all(word in one.body for word in wanted) for one in self.hook.received
            )

        until(has_come, within_s=MADE_WITHIN_S, what=f"{event} of {video}")

    def counted(self) -> None:
        """
        Wait until the analytics have counted exactly what was watched.
        """
        wanted = sum(self.watched.values())

        def are_all() -> bool:
            found = self.client.body("GET", "/v1/analytics/usage?periodDays=1")
            return _segments(found) == wanted

        until(are_all, within_s=COUNTED_WITHIN_S, what=f"a count of {wanted}")


def _segments(found: Any) -> int:  # noqa: ANN401 - JSON
    return sum(one["totalSegmentsServed"] for one in found["usage"])
