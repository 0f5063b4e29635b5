"""
Files of the five containers as browsers hand them to a page, by the types they say.

The types are those of real files that a person chose: browsers ask tables of their own
and of the system, so that one file has different names in different browsers.
"""

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.firefox import ELEMENT, running_firefox
from tests.e2e.sites import Site
from tests.support.live import LiveService
from tests.upload.tus.exchange import metadata

CONTAINERS: Final = ("mp4", "mov", "avi", "webm", "mkv")
CHOOSER: Final = '<input type="file">'
PUT: Final = """async (url) => {
    const [body] = document.querySelector('input').files;
    const headers = {'Content-Type': body.type};
    return (await fetch(url, {method: 'PUT', body, headers})).status;
}"""
TYPE: Final = "async () => document.querySelector('input').files[0].type"

Ask: TypeAlias = Callable[..., Any]
"""Calls an asynchronous function of a page; gives what it returns."""
Choose: TypeAlias = Callable[[Path], None]


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Path]:
    """
    A film in each container.
    """
    folder = tmp_path_factory.mktemp("films")
    made = [folder / f"film.{ending}" for ending in CONTAINERS]
    for path in made:
        codec = "libvpx" if path.suffix == ".webm" else "mpeg4"
        command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i"]
        command += ["testsrc2=s=64x64:r=5:d=1", "-c:v", codec, str(path)]
        subprocess.run(command, check=True)
    return made


@pytest.fixture(scope="module")
def chromium(browser: Browser, site: Site) -> Iterator[tuple[Ask, Choose]]:
    page: Page = browser.new_page()
    site.body = CHOOSER
    page.goto(site.url)

    def choose(path: Path) -> None:
        page.set_input_files("input", path)

    yield page.evaluate, choose
    page.close()


@pytest.fixture(scope="module")
def firefox(
    site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Ask, Choose]]:
    with running_firefox(tmp_path_factory.mktemp("firefox")) as running:
        site.body = CHOOSER
        running.open(site.url.replace("shop.example.com", "127.0.0.1"))

        def ask(function: str, *args: object) -> Any:  # noqa: ANN401 - JSON data
            script = f"""const [done] = [...arguments].slice(-1);
                ({function})(...{json.dumps(args)}).then(done, (cause) => done(`${{cause}}`));"""
            return running.send("WebDriver:ExecuteAsyncScript", script=script, args=[])

        def choose(path: Path) -> None:
            found = running.send(
                "WebDriver:FindElement", using="css selector", value="input"
            )
            running.send("WebDriver:ElementSendKeys", id=found[ELEMENT], text=str(path))

        yield ask, choose


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_a_file_of_each_container_is_taken_by_the_type_that_a_browser_says(
    name: str,
    request: pytest.FixtureRequest,
    service: LiveService,
    films: Sequence[Path],
) -> None:
    ask, choose = request.getfixturevalue(name)
    statuses: dict[str, tuple[int, ...]] = {}

    for film in films:
        choose(film)
        said = ask(TYPE)
        wanted = {"fileName": film.name, "contentType": said}
        resumable = service.call(
            "POST",
            "/v1/uploads",
            **{
                "Tus-Resumable": "1.0.0",
                "Upload-Length": str(film.stat().st_size),
                "Upload-Metadata": metadata(filename=film.name, filetype=said),
            },
        )
        statuses[f"{film.name} {said}"] = (
            resumable.status,
            *(
                ask(PUT, granted.body["signedURL"]) if granted.status == 200 else 0
                for granted in (
                    service.call("POST", "/v1/videos/upload-url", wanted),
                    service.call(
                        "POST", "/v1/videos/upload-url", {"fileName": film.name}
                    ),
                )
            ),
        )

    assert set(statuses.values()) == {(201, 200, 200)}, statuses
