"""Run the requests of the page about curl, in its order, against a running service."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.e2e.clips import make_clip
from tests.support.doc_blocks import DOCS
from tests.support.live import LiveService

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_each_request_of_the_page_about_curl_is_answered(
    service: LiveService, tmp_path: Path
) -> None:
    make_clip(tmp_path / "film.mp4", seconds=2, size="320x180")
    first, *blocks = BLOCK.findall((DOCS / "how-to" / "curl.md").read_text("utf-8"))
    # What the page exports is the reader's own: here, that of the test.
    commands = [first.partition("\n")[2], *blocks]

    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", "\necho\n".join(commands)],
        cwd=tmp_path,
        env={**os.environ, "API": service.api, "KEY": service.key},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert '"code":' not in done.stdout
    assert "}}ready\n" in done.stdout
    signed = done.stdout.partition("#EXTM3U")[2]
    assert "token=" in signed
    assert (tmp_path / "segment.m4s").stat().st_size > 0
    assert (tmp_path / "picture.jpg").read_bytes().startswith(b"\xff\xd8")
    video_id = read(tmp_path / "upload.json")["body"]["videoID"]
    lists = [
        json.loads(one)["body"]["videos"]
        for one in re.findall(
            r'\{"body":\{"videos":.*?"hasPrevious":false\}\}\}', signed
        )
    ]
    assert [[one["id"] for one in videos] for videos in lists] == [[video_id]] * 2
    assert service.call("GET", f"/v1/videos/{video_id}").status == 404


def read(file: Path) -> Any:  # noqa: ANN401 - JSON data
    return json.loads(file.read_text("utf-8"))
