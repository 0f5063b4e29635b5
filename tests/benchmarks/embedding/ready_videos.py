"""
Time that a hundred ready videos take without an encoder, as a share of five seconds.

Run: ``python -m tests.benchmarks.embedding.ready_videos [--videos N]``
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from hvcore.embedding import Overrides, embed
from hvcore.testing import FakeTranscoder, make_ready_video
from hvcore.testing.fakes import MemoryStorage

GOAL_S: Final = 5.0
VIDEOS: Final = 100
ENVIRON: Final = {"HV_QUEUE__BACKEND": "local"}


def made_in_s(folder: Path, videos: int) -> tuple[float, float]:
    """Return the seconds that videos take, and the seconds of processor time."""
    overrides = Overrides(storage=MemoryStorage(), transcoder=FakeTranscoder())
    with embed(folder, environ=ENVIRON, overrides=overrides) as hv:
        hv.migrate()
        shop = hv.environment("shop")
        # The first one loads the modules.
        make_ready_video(shop)
        began_s, worked_s = time.monotonic(), time.process_time()
        for number in range(videos):
            make_ready_video(shop, file_name=f"{number}.mp4")
        return time.monotonic() - began_s, time.process_time() - worked_s


def main() -> None:
    """Print the time and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=VIDEOS)
    videos: int = parser.parse_args().videos
    with tempfile.TemporaryDirectory() as folder:
        took_s, worked_s = made_in_s(Path(folder), videos)
    ratio = took_s / videos * VIDEOS / GOAL_S
    sys.stdout.write(
        f"{videos} ready videos: {took_s:.2f} s, {worked_s:.2f} s of processor time; "
        f"{ratio:.2f} of {GOAL_S:.0f} s for {VIDEOS}\n"
    )


if __name__ == "__main__":
    main()
