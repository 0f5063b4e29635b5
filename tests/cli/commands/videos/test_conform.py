"""
hv conform: what it reads, prints and answers to the shell.
"""

import functools
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from hvcore.conformance import UnreadableError, check
from hvcore_cli.commands.videos.conform_sources import FolderSource, WebSource
from hvcore_cli.main import run
from tests.conformance import made_streams as made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("published")
    for name, data in made.stream().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    (root.parent / "secret.txt").write_text("nothing for playlists")
    return root


class Server(http.server.SimpleHTTPRequestHandler):
    """
    Serves files whole: it knows no ranges, as many simple servers.
    """

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/moved"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
        del format, args


class RangeServer(Server):
    """
    Serves ranges, and refuses to serve anything whole.
    """

    def do_GET(self) -> None:
        data = Path(self.translate_path(self.path)).read_bytes()
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        part = data[int(first) : int(last) + 1]
        self.send_response(206)
        end = int(first) + len(part) - 1
        self.send_header("Content-Range", f"bytes {first}-{end}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)


def _serve(kind: type[Server], folder: Path) -> Iterator[str]:
    handler = functools.partial(kind, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def web(folder: Path) -> Iterator[str]:
    yield from _serve(Server, folder)


@pytest.fixture(scope="module")
def ranges(folder: Path) -> Iterator[str]:
    yield from _serve(RangeServer, folder)


def test_a_sound_video_is_conformant(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status = run(["conform", str(folder / "master.m3u8")])

    out, err = capfd.readouterr()
    assert (status, out) == (0, "")
    assert "Conformant: 0 MUST and 0 SHOULD" in err


def test_file_addresses_are_read(folder: Path) -> None:
    assert run(["conform", (folder / "master.m3u8").as_uri()]) == 0


@pytest.mark.parametrize("server", ["web", "ranges"])
def test_web_addresses_are_read_with_or_without_ranges(
    server: str, request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]
) -> None:
    url = f"{request.getfixturevalue(server)}/master.m3u8?token=secret"

    status = run(["conform", url, "--json"])

    out, _ = capfd.readouterr()
    document = json.loads(out)
    assert status == 0
    assert document["conformant"] is True
    assert (document["playlists"], document["segments"]) == (6, 16)
    assert "secret" not in out


def test_a_must_that_is_not_kept_is_a_failure(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "master.m3u8").write_bytes((folder / "master.m3u8").read_bytes())

    status = run(["conform", str(tmp_path / "master.m3u8")])

    out, err = capfd.readouterr()
    assert status == 1
    assert "MUST" in out
    assert "video-180p.m3u8" in out
    assert "Not conformant" in err


@pytest.mark.parametrize("word", ["nothing", "ftp://a/b", "http://[", "vid_short"])
def test_what_is_no_video_is_wrong_usage(word: str) -> None:
    assert run(["conform", word]) == 2


def test_an_unknown_id_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["migrate"]) == 0

    status = run(["conform", "vid_0123456789abcdefghijkl"])

    assert status == 1
    assert "hv videos list" in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["folder", "web", "ranges"])
def test_every_source_gives_the_bytes_that_are_asked_for(
    kind: str, folder: Path, web: str, ranges: str
) -> None:
    sources = {
        "folder": FolderSource(folder),
        "web": WebSource(f"{web}/master.m3u8"),
        "ranges": WebSource(f"{ranges}/master.m3u8"),
    }
    whole = (folder / "master.m3u8").read_bytes()

    first, later = (
        sources[kind].read("master.m3u8", start, length)
        for start, length in ((0, 7), (5, 10))
    )

    assert (first.data, later.data) == (whole[:7], whole[5:15])
    assert first.size_bytes == later.size_bytes == len(whole)


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/passwd", "file:///etc/passwd"])
def test_a_playlist_reaches_no_file_elsewhere(name: str, folder: Path) -> None:
    with pytest.raises(UnreadableError, match="outside"):
        FolderSource(folder).read(name, 0, 10)


def test_a_playlist_reaches_no_other_server(web: str, ranges: str) -> None:
    source = WebSource(f"{web}/master.m3u8")

    with pytest.raises(UnreadableError, match="another server"):
        source.read(f"{ranges}/master.m3u8", 0, 10)


@pytest.mark.parametrize("before", ["http:", ""])
def test_no_address_is_read_as_another_server_by_who_connects(
    before: str, web: str, ranges: str
) -> None:
    other, named = (url.removeprefix("http://") for url in (ranges, web))

    with pytest.raises(UnreadableError, match="cannot be fetched"):
        WebSource(f"{web}/master.m3u8").read(
            f"{before}//{other}\\@{named}/master.m3u8", 0, 10
        )


def test_links_that_lead_to_each_other_are_a_finding(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(UnreadableError, match="cannot be read"):
        FolderSource(tmp_path).read("a", 0, 10)


def test_redirects_are_not_followed(web: str) -> None:
    report = check(WebSource(f"{web}/moved/master.m3u8"), "master.m3u8")

    (found,) = report.findings
    assert "302" in found.message


def test_a_server_that_is_not_there_is_a_finding() -> None:
    report = check(WebSource("http://127.0.0.1:1/master.m3u8"), "master.m3u8")

    (found,) = report.findings
    assert found.rule.id == "readable"
