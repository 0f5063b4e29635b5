"""
The sample programs of the page, as they stand there but for the port and who is staff.
"""

import ast
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

import attrs
import pytest

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.support.live import free_ports, request, until

FOLDER: Final = Path(__file__).parents[2] / "docs" / "examples"
MOST_LINES: Final = 20
ORG: Final = "api/v1/api/shop"
FLASK_COOKIE: Final = """
from flask_app import app
serializer = app.session_interface.get_signing_serializer(app)
print("session=" + serializer.dumps({"user": "alice"}))
"""
DJANGO_COOKIE: Final = """
from django_app import SessionStore
session = SessionStore()
session["user"] = "alice"
session.save()
print("sessionid=" + session.session_key)
"""


@attrs.frozen(kw_only=True)
class Sample:
    """
    A program, how it is served, and what signs somebody in.
    """

    name: str
    serve: Sequence[str]
    header: str = "Cookie"
    signs_in: str

    @property
    def text(self) -> str:
        return (FOLDER / f"{self.name}.py").read_text(encoding="utf-8")


FLASK: Final = Sample(
    name="flask_app",
    serve=["flask", "--app", "flask_app", "run", "--port"],
    signs_in=FLASK_COOKIE,
)
FASTAPI: Final = Sample(
    name="fastapi_app",
    serve=["uvicorn", "fastapi_app:app", "--port"],
    header="X-Forwarded-User",
    signs_in="print('alice')",
)
DJANGO: Final = Sample(
    name="django_app",
    serve=["gunicorn", "django_app:application", "--threads=4", "--preload", "-b"],
    signs_in=DJANGO_COOKIE,
)


@attrs.frozen(kw_only=True)
class RunningSample:
    sample: Sample
    folder: Path
    environ: Mapping[str, str]
    port: int
    signed_in: Mapping[str, str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def process(self, *command: str) -> Iterator[None]:
        with subprocess.Popen(command, cwd=self.folder, env=self.environ) as running:
            try:
                yield
            finally:
                running.send_signal(signal.SIGTERM)
                try:
                    running.wait(10)
                finally:
                    running.kill()

    def python(self, code: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.folder,
            env=self.environ,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def upload(self, clip: Path) -> str:
        """
        Upload as the signed-in user; return the path of the upload.
        """
        size = clip.stat().st_size
        granted = self.post(
            "upload-url",
            {"filename": "film.mp4", "fileSize": size, "contentType": "video/mp4"},
        )
        address = granted["signedURL"]
        assert address.startswith(f"{self.url}/videos/media/")
        headers = {"Content-Type": "video/mp4"}
        sent = request("PUT", address, data=clip.read_bytes(), headers=headers)
        assert sent.status == 200, sent.data
        return granted["bucketPath"]

    def made_of(self, path: str) -> str:
        """
        Have a video made of an upload; return its id.
        """
        wanted = {"gcsPath": path, "videoQuality": "standard"}
        return self.post("process", {**wanted, "allowPublicAccess": False})["videoID"]

    def post(self, name: str, body: Mapping[str, object]) -> dict[str, str]:
        answer = request(
            "POST",
            f"{self.url}/videos/{ORG}/environments/main/videos/{name}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **self.signed_in},
        )
        assert answer.status < 300, answer.data
        found: dict[str, str] = answer.body
        return found


@pytest.mark.parametrize("sample", [FLASK, FASTAPI], ids=lambda one: one.name)
def test_a_sample_is_short_and_imports_one_module_of_ours(sample: Sample) -> None:
    lines = [line for line in sample.text.splitlines() if line.strip()]
    imported = {
        node.module or ""
        for node in ast.walk(ast.parse(sample.text))
        if isinstance(node, ast.ImportFrom)
    }

    assert len(lines) <= MOST_LINES
    assert {name for name in imported if name.startswith("hv")} == {"hvcore.embedding"}


@pytest.mark.parametrize("name", ["flask_app", "fastapi_app", "django_app"])
def test_who_is_signed_in_to_a_sample_only_reads(name: str) -> None:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")

    assert re.findall(r"Permission\.(\w+)", text) == ["VIDEOS_READ"]
    assert "permissions=may" in text


@pytest.mark.parametrize("sample", [FLASK, FASTAPI, DJANGO], ids=lambda one: one.name)
def test_the_page_says_how_a_sample_is_served(sample: Sample) -> None:
    page = (FOLDER.parent / "how-to" / "embedding.md").read_text(encoding="utf-8")

    (served,) = re.findall(rf"`({sample.serve[0]} [^`]*{sample.name}[^`]*)`", page)
    assert next(word for word in sample.serve if sample.name in word) in served.split()
    for secret in re.findall(r"\w+_SECRET_KEY", sample.text):
        assert f"export {secret}=" in page


@contextmanager
def running(sample: Sample, folder: Path) -> Iterator[RunningSample]:
    port = free_ports()
    text = re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{port}", sample.text)
    # Whoever uploads is of the shop's staff.
    text = text.replace("{Permission.VIDEOS_READ}", "set(Permission)")
    (folder / f"{sample.name}.py").write_text(text, encoding="utf-8")
    named = {name: value for name, value in os.environ.items() if name[:3] != "HV_"}
    made = RunningSample(
        sample=sample,
        folder=folder,
        port=port,
        signed_in={},
        environ={
            **named,
            "FLASK_SECRET_KEY": "a secret of the test",
            "DJANGO_SECRET_KEY": "a secret of the test",
        },
    )
    prepare = f"from {sample.name} import hv; hv.migrate(); hv.environment('shop')"
    made.python(prepare)
    who = made.python(sample.signs_in)
    made = attrs.evolve(made, signed_in={sample.header: who})
    place = f"127.0.0.1:{port}" if sample.serve[-1] == "-b" else str(port)
    with made.process(sys.executable, "-m", *sample.serve, place):
        until(lambda: answers(f"{made.url}/videos/api/health/live"), within_s=30)
        yield made


def answers(url: str) -> bool:
    try:
        return request("GET", url).status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(
        tmp_path_factory.mktemp("clip") / "film.mp4", seconds=2, size="320x180"
    )


@pytest.mark.services
@pytest.mark.parametrize(
    "sample",
    [FASTAPI, pytest.param(DJANGO, marks=pytest.mark.long)],
    ids=lambda one: one.name,
)
def test_a_sample_takes_what_its_users_upload(
    sample: Sample, tmp_path: Path, clip: Path
) -> None:
    with running(sample, tmp_path) as program:
        unknown = request("GET", f"{program.url}/videos/{ORG}/environments/main/videos")

        assert unknown.status == 401
        assert request("GET", f"{program.url}/films/vid_x").status == 404
        assert program.upload(clip)


@pytest.mark.long
@pytest.mark.services
def test_a_film_is_uploaded_made_and_played_in_flask(
    tmp_path: Path, clip: Path
) -> None:
    with running(FLASK, tmp_path) as program:
        worker = f"from {FLASK.name} import hv; hv.run_worker()"
        sweep = f"from {FLASK.name} import hv; hv.run_sweep()"
        with (
            program.process(sys.executable, "-c", worker),
            program.process(sys.executable, "-c", sweep),
        ):
            video_id = program.made_of(program.upload(clip))
            details = f"{program.url}/videos/{ORG}/videos/{video_id}/details"

            def is_ready() -> bool:
                answer = request("GET", details, headers=program.signed_in)
                return bool(answer.body["status"]["ready"])

            until(is_ready, within_s=90)
            page = request("GET", f"{program.url}/films/{video_id}").data.decode()
            (address,) = re.findall(r'src="([^"]+)"', page)
            player = request("GET", address)
            missing = request("GET", f"{program.url}/films/vid_x")

        assert player.status == 200
        assert missing.status == 404
        # What the page loads lies below the same path.
        (script,) = re.findall(r'<script[^>]+src="([^"]+)"', player.data.decode())[:1]
        assert request("GET", urljoin(address, script)).status == 200
        code = f"print(hv.environment('shop').playlist_address('{video_id}'))"
        playlist = program.python(f"from {FLASK.name} import hv; {code}")
        assert ffmpeg_complaints(playlist) == ""
