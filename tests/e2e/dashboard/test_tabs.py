"""
Pages of the dashboard while something changes: in another tab, or in the one that asks.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

import pytest

from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from tests.e2e.dashboard.opened_tabs import page_of
from tests.e2e.people import ORG, services_of
from tests.e2e.tabs import Tab
from tests.support.live import LiveService, request, until

TUS: Final = {
    "Tus-Resumable": "1.0.0",
    "Content-Type": "application/offset+octet-stream",
    "Upload-Offset": "0",
}
BYTES: Final = 8
MANY_BYTES: Final = 1_000_000
HOLD: Final = """() => {
    // Bytes of files stay in this tab until isOpen is set.
    const send = XMLHttpRequest.prototype.send;
    window.held = [];
    XMLHttpRequest.prototype.send = function (body) {
        if (body instanceof Blob && !window.isOpen) {
            window.held.push(this);
            return;
        }
        send.call(this, body);
    };
}"""
FAIL_CREATION: Final = """() => {
    // The first request that makes a video is sent nowhere, and fails by failCreation().
    const {open, send} = XMLHttpRequest.prototype;
    window.posts = 0;
    XMLHttpRequest.prototype.open = function (method, ...more) {
        this.isCreation = method === 'POST';
        open.call(this, method, ...more);
    };
    XMLHttpRequest.prototype.send = function (body) {
        window.posts += this.isCreation ? 1 : 0;
        if (this.isCreation && window.posts === 1) {
            window.failCreation = () => this.dispatchEvent(new ProgressEvent('error'));
            return;
        }
        send.call(this, body);
    };
}"""
CHOOSE: Final = """(size) => {
    const chosen = new DataTransfer();
    const about = {type: 'video/mp4', lastModified: 1700000000000};
    const bytes = new Uint8Array(size);
    bytes.set([0, 0, 0, 8, 102, 114, 101, 101]);
    chosen.items.add(new File([bytes], 'clip.mp4', about));
    const input = document.getElementById('files');
    input.files = chosen.files;
    input.dispatchEvent(new Event('change', {bubbles: true}));
}"""
PRESS: Final = """(act) => {
    [...document.querySelectorAll(`[data-act="${act}"]`)].at(-1).click();
}"""
SAYS: Final = """(text) => [...document.querySelectorAll('.upload-state')]
    .some((line) => line.textContent.includes(text))"""
IS_OFFERED: Final = """(act) =>
    [...document.querySelectorAll(`[data-act="${act}"]`)].some((one) => !one.hidden)"""
HOLD_CREATION: Final = """(what) => {
    // The answer that tells of a new video, or its lock, waits for window.letCreate.
    window.made = [];
    const gate = new Promise((go) => { window.letCreate = go; });
    const {open} = XMLHttpRequest.prototype;
    const targets = XMLHttpRequestEventTarget.prototype;
    const {set} = Object.getOwnPropertyDescriptor(targets, 'onload');
    XMLHttpRequest.prototype.open = function (method, ...more) {
        open.call(this, method, ...more);
        if (method !== 'POST') {
            return;
        }
        Object.defineProperty(this, 'onload', {set: (tell) => {
            set.call(this, async (event) => {
                window.made.push(this.getResponseHeader('X-Asset-Id'));
                await (what === 'answer' && gate);
                tell(event);
            });
        }});
    };
    const ask = LockManager.prototype.request;
    LockManager.prototype.request = async function (...question) {
        await (what === 'lock' && gate);
        return ask.apply(this, question);
    };
}"""
HELD_LOCKS: Final = """async () => (await navigator.locks.query()).held
    .map(({name}) => name).filter((name) => name.startsWith('upload '))"""
ROWS: Final = "() => document.querySelectorAll('.upload').length"
BEGUN: Final = """() => Object.keys(localStorage).filter((key) => key.startsWith('tus::'))
    .map((key) => JSON.parse(localStorage.getItem(key)))"""


def begin(
    tab: Tab, service: LiveService, *, is_public: bool = False, size: int = BYTES
) -> str:
    """
    Begin an upload of which no byte is sent; return its video's id.
    """
    tab.open(page_of(service, "upload"))
    tab.ask(HOLD)
    tab.ask("(is) => { document.getElementById('public').checked = is; }", is_public)
    tab.ask(CHOOSE, size)
    tab.wait_for("() => window.held.length")
    (before,) = tab.ask(BEGUN)
    return str(before["metadata"]["videoId"])


def stored(service: LiveService, video_id: str) -> Video:
    with services_of(service) as services, services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    return video


def has_come(service: LiveService, video_id: str) -> bool:
    waits = {VideoState.AWAITING_UPLOAD, VideoState.DELETED}
    return stored(service, video_id).state not in waits


def test_an_upload_that_another_tab_sends_is_neither_discarded_nor_sent_twice(
    service: LiveService, first: Tab, second: Tab
) -> None:
    video_id = begin(first, service)

    second.open(page_of(service, "upload"))
    second.wait_for(SAYS, "Another tab sends it")
    assert not second.ask(IS_OFFERED, "discard")
    second.ask(PRESS, "discard")
    second.ask(CHOOSE, BYTES)

    second.wait_for(SAYS, "Another tab has this upload")
    assert second.ask(SAYS, "Another tab sends it")
    first.ask("() => { window.isOpen = true; }")
    first.ask(PRESS, "pause")
    first.ask(PRESS, "resume")
    until(lambda: has_come(service, video_id), within_s=20, what="the upload")
    second.wait_for("() => document.querySelectorAll('.upload').length === 1")
    assert first.ask(BEGUN) == []


def test_an_upload_that_its_tab_has_left_is_discarded_by_another_tab(
    service: LiveService, first: Tab, second: Tab
) -> None:
    video_id = begin(first, service)
    second.open(page_of(service, "upload"))
    second.wait_for(SAYS, "Another tab sends it")

    first.open(page_of(service, "videos"))
    second.wait_for(SAYS, "Cut off")
    second.ask(PRESS, "discard")

    second.wait_for(f"() => !({ROWS})()")
    assert stored(service, video_id).state is VideoState.DELETED
    assert second.ask(BEGUN) == []


def test_a_running_upload_that_was_discarded_elsewhere_says_so_and_does_not_begin_anew(
    service: LiveService, first: Tab
) -> None:
    video_id = begin(first, service)
    (before,) = first.ask(BEGUN)
    assert request("DELETE", before["uploadUrl"], headers=TUS).status == 204

    # As when a connection breaks: then the script asks how far the upload is.
    first.ask("() => { window.held[0].dispatchEvent(new ProgressEvent('error')); }")

    first.wait_for(SAYS, "It has ended")
    assert first.ask("() => window.held.length") == 1
    first.ask("() => { window.isOpen = true; }")
    first.ask(PRESS, "resume")
    first.wait_for("() => document.querySelector('.upload .video-state') !== null")
    assert video_id not in first.ask("() => document.querySelector('.upload a').href")


def create(tab: Tab, service: LiveService, *, held: str) -> str:
    """
    Begin an upload, and hold back what tells of its video; return the video's id.

    Args:
        held: The ``answer`` of the service, or the ``lock`` that is asked for then.
    """
    tab.open(page_of(service, "upload"))
    tab.ask(HOLD)
    tab.ask(HOLD_CREATION, held)
    tab.ask(CHOOSE, BYTES)
    tab.wait_for("() => window.made.length")
    return str(tab.ask("() => window.made[0]"))


@pytest.mark.cases(1)
@pytest.mark.parametrize("held", ["answer", "lock"])
def test_an_upload_discarded_before_its_video_is_known_is_discarded_by_the_service(
    service: LiveService, first: Tab, held: str
) -> None:
    video_id = create(first, service, held=held)

    first.ask(PRESS, "discard")
    first.ask("() => { window.letCreate(); }")

    first.wait_for(f"() => !({ROWS})()")
    until(
        lambda: stored(service, video_id).state is VideoState.DELETED,
        within_s=20,
        what="the end of the video",
    )
    assert first.wait_for(f"async () => !(await ({HELD_LOCKS})()).length")
    assert first.ask(BEGUN) == []
    assert first.ask("() => window.held.length") == 0


@pytest.mark.cases(2)
@pytest.mark.parametrize("held", ["answer", "lock"])
@pytest.mark.parametrize("resumed", ["before", "after"])
def test_an_upload_paused_before_its_video_is_known_goes_on_as_that_video(
    service: LiveService, first: Tab, held: str, resumed: str
) -> None:
    video_id = create(first, service, held=held)

    first.ask(PRESS, "pause")
    if resumed == "before":
        first.ask(PRESS, "resume")
    first.ask("() => { window.letCreate(); }")
    (before,) = first.wait_for(BEGUN)
    if resumed == "after":
        assert first.ask(SAYS, "Paused")
        assert first.ask("() => window.held.length") == 0
        first.ask(PRESS, "resume")

    first.wait_for("() => window.held.length")
    assert before["metadata"]["videoId"] == video_id
    assert first.ask("() => window.made") == [video_id]
    first.ask("() => { window.isOpen = true; }")
    first.ask(PRESS, "pause")
    first.ask(PRESS, "resume")
    until(lambda: has_come(service, video_id), within_s=20, what="the upload")


def test_a_creation_that_fails_after_a_pause_is_tried_again_once(
    service: LiveService, first: Tab
) -> None:
    first.open(page_of(service, "upload"))
    first.ask(HOLD)
    first.ask(FAIL_CREATION)
    first.ask(CHOOSE, BYTES)
    first.wait_for("() => window.posts === 1")

    first.ask(PRESS, "pause")
    first.ask(PRESS, "resume")
    first.ask("() => { window.failCreation(); }")

    first.wait_for("() => window.held.length")
    assert first.ask("() => window.posts") == 2
    assert first.ask(ROWS) == 1


def test_an_address_that_a_process_does_not_know_ends_no_upload(
    service: LiveService, first: Tab
) -> None:
    """
    One of a former version, during an upgrade.
    """
    video_id = begin(first, service)
    first.ask(PRESS, "pause")
    first.ask(
        """() => {
            const ask = window.fetch;
            window.fetch = (url, ...more) => {
                window.fetch = ask;
                return ask(url.replace('/upload/files/', '/upload/unknown/'), ...more);
            };
        }"""
    )
    first.ask("() => { window.isOpen = true; }")
    first.ask(PRESS, "resume")
    first.wait_for("() => document.querySelector('.upload.failed') !== null")
    assert not first.ask(SAYS, "It has ended")

    first.ask(PRESS, "resume")

    until(lambda: has_come(service, video_id), within_s=20, what="the upload")


@pytest.mark.cases(1)
@pytest.mark.parametrize("method", ["HEAD", "PATCH"])
def test_an_upload_goes_on_after_a_proxy_has_answered_for_the_service(
    service: LiveService, first: Tab, method: str
) -> None:
    video_id = begin(first, service)
    first.ask(
        """(refused) => {
            // An address of no upload, once.
            const {open} = XMLHttpRequest.prototype;
            XMLHttpRequest.prototype.open = function (method, url, ...more) {
                const isIt = method === refused;
                if (isIt) {
                    XMLHttpRequest.prototype.open = open;
                }
                open.call(this, method, isIt ? '/nowhere' : url, ...more);
            };
            window.isOpen = true;
            window.held[0].dispatchEvent(new ProgressEvent('error'));
        }""",
        method,
    )

    until(lambda: has_come(service, video_id), within_s=20, what="the upload")
    assert not first.ask(SAYS, "It has ended")


def test_an_upload_that_a_former_version_has_begun_goes_on(
    service: LiveService, first: Tab
) -> None:
    video_id = begin(first, service)
    first.ask(
        """(size) => {
            const [key] = Object.keys(localStorage).filter((key) => key.startsWith('tus::'));
            const {endpoint} = document.getElementById('uploads').dataset;
            const former = `tus-br-clip.mp4-video/mp4-${size}-1700000000000-${endpoint}`;
            localStorage.setItem(`tus::${former}::1`, localStorage.getItem(key));
            localStorage.removeItem(key);
        }""",
        BYTES,
    )

    first.open(page_of(service, "upload"))
    first.wait_for(SAYS, "Cut off")
    first.ask(CHOOSE, BYTES)

    until(lambda: has_come(service, video_id), within_s=20, what="the upload")
    assert first.wait_for(f"() => !({BEGUN})().length")


def offset_of(url: str) -> int:
    return int(request("HEAD", url, headers=TUS).headers["upload-offset"])


@contextmanager
def sending(url: str) -> Iterator[None]:
    """
    Send the first half of an upload from somewhere else, and no more.
    """
    place = urlsplit(url)
    head = f"PATCH {place.path}?{place.query} HTTP/1.1\r\nHost: {place.netloc}\r\n"
    fields = {**TUS, "Content-Length": str(MANY_BYTES)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    assert place.hostname is not None
    with socket.create_connection((place.hostname, place.port or 80)) as sender:
        sender.sendall(f"{head}{lines}\r\n".encode() + bytes(MANY_BYTES // 2))
        until(lambda: offset_of(url), within_s=20, what="some of the bytes")
        yield


def test_an_upload_that_the_service_receives_is_not_discarded(
    service: LiveService, first: Tab
) -> None:
    video_id = begin(first, service, size=MANY_BYTES)
    (before,) = first.ask(BEGUN)
    first.open(page_of(service, "upload"))
    first.wait_for(SAYS, "Cut off")

    with sending(before["uploadUrl"]):
        first.ask(PRESS, "discard")
        first.wait_for(SAYS, "Another request is sending to this upload")

    assert stored(service, video_id).state is VideoState.AWAITING_UPLOAD
    assert len(first.ask(BEGUN)) == 1


@pytest.mark.parametrize("way", ["chosen again", "paused"])
def test_an_upload_that_goes_on_is_as_public_as_is_set_by_then(
    service: LiveService, first: Tab, way: str
) -> None:
    video_id = begin(first, service, is_public=True)
    assert stored(service, video_id).is_public
    if way == "paused":
        first.ask(PRESS, "pause")
    else:
        first.open(page_of(service, "upload"))
        first.wait_for(SAYS, "Cut off")
    first.ask("() => { document.getElementById('public').checked = false; }")

    first.ask("() => { window.isOpen = true; }")
    if way == "paused":
        first.ask(PRESS, "resume")
    else:
        first.ask(CHOOSE, BYTES)

    first.wait_for(
        """() => [...document.querySelectorAll('.upload-set')].map((one) =>
            one.textContent).join() === 'Private · Standard'"""
    )
    until(lambda: has_come(service, video_id), within_s=20, what="the upload")
    assert not stored(service, video_id).is_public


def test_begun_uploads_are_listed_in_their_environment_alone(
    service: LiveService, first: Tab
) -> None:
    with services_of(service) as services:
        kind = EnvironmentKind.DEVELOPMENT
        other = services.tenants.create_environment(ORG, None, kind)
    begin(first, service)

    first.open(page_of(service, "upload", query=f"?env={other.name}"))
    first.ask(HOLD)
    listed = first.ask(ROWS)
    first.ask(CHOOSE, BYTES)
    first.wait_for("() => window.held.length")
    begun = [one["metadata"]["videoId"] for one in first.ask(BEGUN)]
    first.open(page_of(service, "upload"))
    first.wait_for(SAYS, "Cut off")

    assert listed == 0
    assert len({stored(service, one).env_id for one in begun}) == 2
    assert first.ask(ROWS) == 1
