"""
Make the pictures of README and documentation: ``python -m tests.e2e.readme_pictures [player]``.

A service of its own gets clips of ffmpeg's making and the counts of a month. Then a
browser photographs its dashboard and its player, or the player alone. All that is in the
pictures is made here.
"""

import io
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page

from hvcore.domain.access.roles import Role
from hvcore.domain.analytics.segments import (
    BatchId,
    SegmentPlace,
    ServedBatch,
    ServedCount,
)
from hvcore.domain.ids import OrgId, VideoId
from tests.e2e.browsing import play, running_browser
from tests.e2e.people import ORG, services_of, sign_in
from tests.support.live import LiveService, live_service

FOLDER: Final = Path(__file__).parents[2] / "docs" / "pictures"
SIZE: Final = (1280, 800)
CLIP_S: Final = 6
DAYS: Final = 30
COLOURS: Final = 256
"""Of the file, which has a fraction of the bytes of one with all colours."""
PLAYER_SIZE: Final = (800, 450)
MOST_BYTES: Final = 100_000
HD: Final = "s=1280x720:r=30"
FILMS: Final[Mapping[str, str]] = {
    "Product tour": f"gradients={HD}:c0=0x1d4ed8:c1=0x7c3aed:speed=0.02",
    "Welcome, new colleagues": f"gradients={HD}:c0=0x047857:c1=0xfacc15",
    "Zooming in": f"mandelbrot={HD}:start_scale=2",
    "Game of life": "life=s=320x180:r=30:mold=10:life_color=0x22d3ee"
    ":death_color=0x0f172a,scale=1280:720:flags=neighbor",
    "Test pattern": f"testsrc2={HD}",
    "Colours": f"rgbtestsrc={HD}",
}
"""Names, and what ffmpeg's source makes of them."""
RUNGS: Final = ((1080, 4), (720, 3), (360, 1))
"""Heights, and how many of eight segments have each."""


def make_clip(path: Path, source: str) -> Path:
    """
    Make a clip of one of ffmpeg's sources, with a tone.
    """
    command = ["ffmpeg", "-loglevel", "error", "-nostdin", "-y", "-f", "lavfi"]
    command += ["-i", source, "-f", "lavfi", "-i", "sine=f=330:r=48000"]
    command += ["-t", str(CLIP_S), "-c:v", "libx264", "-preset", "ultrafast"]
    command += ["-pix_fmt", "yuv420p", "-c:a", "aac", str(path)]
    subprocess.run(command, check=True)
    return path


def make_videos(
    service: LiveService, folder: Path, films: Mapping[str, str]
) -> Sequence[str]:
    """
    Upload a clip of each film, and wait until they play.
    """
    found = []
    for name, source in films.items():
        path = service.uploaded(make_clip(folder / "clip.mp4", source))
        answer = service.process(path, videoName=name, allowPublicAccess=True)
        found.append(str(answer.body["videoID"]))
    for video_id in found:
        service.finished(video_id)
    return found


def watched(place: SegmentPlace, weight: int) -> Iterator[ServedCount]:
    """
    Yield what viewers were served of one rung, day by day.
    """
    chance = random.Random(f"{place.video_id} {weight}")  # noqa: S311 - made-up data
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    for number in range(DAYS):
        at = today - timedelta(days=DAYS - 1 - number)
        # Less on Saturdays and Sundays.
        busy = 0.4 if at.weekday() >= 5 else 1.0
        segments = int(weight * (8 + number) * busy * chance.uniform(0.8, 1.2))
        yield ServedCount(
            place=place, day=at.date(), segments=segments, first_at=at, last_at=at
        )


def fill_month(service: LiveService, video_ids: Sequence[str]) -> None:
    """
    Count what a month of viewers would have been served.
    """
    with services_of(service) as services:
        env_id = services.tenants.environment(ORG, "live").id
        counts = [
            count
            for popularity, video_id in enumerate(reversed(video_ids), 1)
            for height_px, share in RUNGS
            for count in watched(
                SegmentPlace(
                    org_id=OrgId(ORG),
                    env_id=env_id,
                    video_id=VideoId(video_id),
                    height_px=height_px,
                ),
                popularity * share,
            )
        ]
        batch_id = BatchId(file="readme", start=0, end=1)
        services.analytics_store.write(ServedBatch(id=batch_id, counts=tuple(counts)))


def photograph(page: Page, file: Path) -> None:
    """
    Write what a page shows, in few colours.
    """
    page.wait_for_load_state("networkidle")
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    few = shown.quantize(COLOURS, dither=Image.Dither.FLOYDSTEINBERG)
    few.save(file, optimize=True)
    if file.stat().st_size > MOST_BYTES:
        raise AssertionError(f"{file.name} has {file.stat().st_size} bytes")


def photograph_dashboard(browser: Browser, service: LiveService, video_id: str) -> None:
    """
    Make both pictures of the dashboard, while somebody watches a video.
    """
    viewer = browser.new_page()
    viewer.goto(f"{service.worker}/v1/embed/{video_id}?loop=1")
    play(viewer)
    width_px, height_px = SIZE
    page = browser.new_page(viewport={"width": width_px, "height": height_px})
    sign_in(page, service, Role.ADMIN)
    for name in ("videos", "analytics"):
        page.goto(f"{service.api}/dashboard/{ORG}/{name}")
        photograph(page, FOLDER / f"dashboard-{name}.png")


def photograph_player(browser: Browser, service: LiveService, video_id: str) -> None:
    """Make the picture of the player while it plays, with its controls."""
    width_px, height_px = PLAYER_SIZE
    page = browser.new_page(viewport={"width": width_px, "height": height_px})
    page.goto(f"{service.worker}/v1/embed/{video_id}?loop=1")
    play(page)
    # No wait_for_function: it evaluates text, which the page's policy refuses.
    page.evaluate(
        """async () => {
            const player = document.querySelector('hv-player');
            while (player.currentTime < 1) {
                await new Promise(done => requestAnimationFrame(done));
            }
        }"""
    )
    # Controls fade out while a video plays, and stay where it is paused.
    page.evaluate("document.querySelector('hv-player').pause()")
    page.mouse.move(width_px / 2, height_px / 2)
    photograph(page, FOLDER / "player.png")


def main() -> None:
    """Make the pictures of dashboard and player, or of the player alone."""
    is_player_alone = sys.argv[1:] == ["player"]
    films = dict(list(FILMS.items())[:1]) if is_player_alone else FILMS
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, running_browser() as browser:
        folder = Path(name)
        with live_service(folder) as service:
            video_ids = make_videos(service, folder, films)
            photograph_player(browser, service, video_ids[0])
            if not is_player_alone:
                fill_month(service, video_ids)
                photograph_dashboard(browser, service, video_ids[0])


if __name__ == "__main__":
    main()
