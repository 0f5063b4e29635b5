"""
A page of another origin loads the client from the API, and uploads.

The steps are those of docs/how-to/javascript-client.md.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from tests.e2e.browsing import watch_for_problems
from tests.e2e.clips import make_clip
from tests.e2e.firefox import running_firefox
from tests.e2e.sites import Site
from tests.support.live import LiveService, until
from tests.upload.tus.exchange import metadata


def test_a_page_of_another_origin_imports_the_client_and_uploads(
    browser: Browser, service: LiveService, site: Site, tmp_path: Path
) -> None:
    film = make_clip(tmp_path / "page.mp4", seconds=1, size="320x180")
    page = browser.new_page()
    problems = watch_for_problems(page)
    made: list[str] = []

    def uploads(route: Route) -> None:
        # The page's own server, which has the key.
        headers = {
            "Tus-Resumable": "1.0.0",
            "Upload-Length": route.request.headers["upload-length"],
            "Upload-Metadata": metadata(fileName="page.mp4"),
        }
        answer = service.call("POST", "/v1/uploads", **headers).body
        made.append(answer["videoID"])
        route.fulfill(json=answer)

    page.route(f"{site.url}uploads", uploads)
    page.goto(site.url)
    told = page.evaluate(
        """async ({ api, bytes }) => {
            const { HvClient, uploadTo } = await import(`${api}/client.js`);
            const file = new File([Uint8Array.from(bytes)], "page.mp4", { type: "video/mp4" });
            const headers = { "Upload-Length": file.size };
            const { uploadURL } = await (await fetch("/uploads", { method: "POST", headers })).json();
            const sent = [];
            const onProgress = ({ sentBytes }) => sent.push(sentBytes);
            await uploadTo(uploadURL, file, { chunkBytes: 4096, onProgress });
            // Nothing lets this page ask the API itself.
            const asked = new HvClient({ maxTries: 1 }).getHealth();
            const name = await asked.then(() => "no error", (error) => `${error.name}: ${error.message}`);
            return { sent, size: file.size, name };
        }""",
        {"api": service.api, "bytes": list(film.read_bytes())},
    )
    page.close()

    assert told["sent"][-1] == told["size"]
    assert len(told["sent"]) > 2
    assert told["name"] == (
        f"UnreachableError: getHealth: {service.api} cannot be reached."
    )
    # The refusal of the last request, and nothing else.
    assert [
        text for text in problems if "/health" not in text and "ERR_FAILED" not in text
    ] == []
    (video_id,) = made
    until(
        lambda: service.details(video_id)["status"]["ready"],
        within_s=60,
        what="the video of the page",
    )


@pytest.mark.long
def test_firefox_does_the_same(
    service: LiveService, site: Site, tmp_path: Path
) -> None:
    film = make_clip(tmp_path / "page.mp4", seconds=1, size="320x180")
    headers = {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": str(film.stat().st_size),
        "Upload-Metadata": metadata(fileName="page.mp4"),
    }
    made = service.call("POST", "/v1/uploads", **headers).body
    profile = tmp_path / "firefox"
    profile.mkdir()
    with running_firefox(profile) as firefox:
        # It knows no names of other sites; another port is another origin, too.
        firefox.open(site.url.replace("shop.example.com", "127.0.0.1"))
        told = firefox.send(
            "WebDriver:ExecuteAsyncScript",
            script="""const [api, url, bytes, done] = arguments;
            import(`${api}/client.js`).then(async ({ uploadTo }) => {
                const sent = [];
                const onProgress = ({ sentBytes }) => sent.push(sentBytes);
                const file = new Blob([Uint8Array.from(bytes)]);
                await uploadTo(url, file, { chunkBytes: 4096, onProgress });
                done(sent);
            }).catch((cause) => done(`failed: ${cause}`));""",
            args=[service.api, made["uploadURL"], list(film.read_bytes())],
        )

    assert told[-1] == film.stat().st_size
    until(
        lambda: service.details(made["videoID"])["status"]["ready"],
        within_s=60,
        what="the video of the page",
    )
