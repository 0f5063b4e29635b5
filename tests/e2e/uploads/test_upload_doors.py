"""
Every usual way to send a file: from a page of another origin, and from programs.

Each takes the steps of docs/how-to/upload-from-a-page.md, one after the other in one
browser.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.e2e.clips import make_clip
from tests.e2e.sites import Site
from tests.support.doc_blocks import code_under
from tests.support.live import LiveService, request, until
from tests.support.npm_packages import npm_packages
from tests.upload.tus.exchange import metadata

UPPY: Final = ("uppy@6.0.1", "uppy/dist/uppy.min.js")
UPPY_5: Final = ("uppy@5.2.4", "uppy/dist/uppy.min.js")
"""Its plugin for S3 waits for ever if it cannot read an ``ETag``."""
FILEPOND: Final = ("filepond@4.32.12", "filepond/dist/filepond.min.js")
TUS: Final = ("tus-js-client@4.3.1", "tus-js-client/dist/tus.min.js")


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doors")
    return make_clip(folder / "door.mp4", seconds=1, size="320x180")


def recipe(name: str) -> str:
    """
    Return what the page of documentation has under a heading.
    """
    return code_under("how-to/upload-from-a-page.md", name)


@pytest.fixture(scope="module")
def shop(browser: Browser, service: LiveService, site: Site) -> Iterator[Page]:
    """
    A page of another origin, whose own server holds the key.
    """
    page = browser.new_page()

    def upload_url(route: Route) -> None:
        wanted = {**route.request.post_data_json, "allowPublicAccess": True}
        route.fulfill(json=service.call("POST", "/v1/videos/upload-url", wanted).body)

    def uploads(route: Route) -> None:
        route.fulfill(json=created(service, route.request.headers["upload-length"]))

    page.route(f"{site.url}upload-url", upload_url)
    page.route(f"{site.url}uploads", uploads)
    page.goto(site.url)
    yield page
    page.close()


def created(service: LiveService, length: str) -> Any:  # noqa: ANN401 - JSON data
    headers = {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": length,
        "Upload-Metadata": metadata(fileName="door.mp4"),
    }
    return service.call("POST", "/v1/uploads", **headers).body


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("Uppy, resumable", UPPY),
        ("Uppy, one request", UPPY),
        ("Uppy's plugin for S3", UPPY),
        ("Uppy 5's plugin for S3", UPPY_5),
        ("FilePond, resumable", FILEPOND),
        ("FilePond, one request", FILEPOND),
        ("tus-js-client", TUS),
    ],
)
def test_a_page_of_another_origin_sends_a_film(
    service: LiveService, shop: Page, film: Path, name: str, script: tuple[str, str]
) -> None:
    shop.reload()
    package, file = script
    shop.add_script_tag(path=npm_packages(package) / file)
    video_id = shop.evaluate(
        """async ({bytes, recipe}) => {
            const file = new File([Uint8Array.from(bytes)], 'door.mp4', {type: 'video/mp4'});
            const send = new Function('file', `${recipe}; return send(file);`);
            const late = new Promise((_, fail) => setTimeout(
                () => fail(new Error('it never ends')), 20000));
            return await Promise.race([send(file), late]);
        }""",
        {"bytes": list(film.read_bytes()), "recipe": recipe(name)},
    )

    has_come(service, video_id)


def test_tuspy_sends_a_film(service: LiveService, film: Path) -> None:
    script = recipe("Python")
    sent: dict[str, Any] = {"API": f"{service.api}/v1", "KEY": service.key}
    exec(compile(script, "recipe", "exec"), sent)  # noqa: S102 - our own documentation

    has_come(service, sent["send"](str(film)))


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["curl", "curl, resumable"])
def test_curl_sends_a_film(
    service: LiveService, film: Path, tmp_path: Path, name: str
) -> None:
    bash = shutil.which("bash")
    assert bash
    done = subprocess.run(
        [
            bash,
            "-eu",
            "-o",
            "pipefail",
            "-c",
            recipe(name) + '\nprintf "\\nid %s\\n" "$VIDEO_ID"',
        ],
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "API": f"{service.api}/v1",
            "KEY": service.key,
            "FILE": str(film),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    found = re.search(r"^id (vid_\w+)$", done.stdout, re.MULTILINE)
    assert found, done.stdout + done.stderr
    has_come(service, found[1])


def has_come(service: LiveService, video_id: str) -> None:
    """
    Wait until a video is made of what was sent; then it is not needed any more.
    """

    def begun() -> bool:
        status = service.details(video_id)["status"]
        return bool(status["transcoding"] or status["ready"])

    until(begun, within_s=20, what=f"the bytes of {video_id}")
    assert service.call("DELETE", f"/v1/videos/{video_id}").status == 200


def test_the_live_addresses_speak_the_protocol(service: LiveService) -> None:
    for answer in (
        request("OPTIONS", f"{service.api}/v1/uploads"),
        request("OPTIONS", f"{service.worker}/uploads/x"),
    ):
        assert answer.status == 204
        assert answer.headers["tus-version"] == "1.0.0"
    refused = request(
        "PATCH",
        f"{service.worker}/uploads/x?signature=0",
        data=b"x",
        headers={"Tus-Resumable": "1.0.0"},
    )
    assert refused.status == 403
