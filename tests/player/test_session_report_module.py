"""
Session reports of the player without a browser, by a clock that a test moves.

That browsers send it, tests/e2e/player sees with a film.
"""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from hvcore_player.assets import STATIC

PROGRAM: Final = """
import { readFileSync } from "node:fs";
import { reportsOf } from "./element/session-reports.js";

let now_ms = 0;
const timers = new Map(), sent = [];
const settled = () => new Promise((done) => setImmediate(done));
Object.defineProperty(globalThis, "performance", { value: { now: () => now_ms } });
globalThis.setTimeout = (call, wait_ms) => {
  const timer = Symbol();
  timers.set(timer, { call, at_ms: now_ms + wait_ms });
  return timer;
};
globalThis.clearTimeout = (timer) => timers.delete(timer);
globalThis.window = new EventTarget();
globalThis.document = new EventTarget();
globalThis.HTMLMediaElement = { HAVE_FUTURE_DATA: 3 };
globalThis.fetch = async (address, { body }) => {
  sent.push({ address, ...JSON.parse(body) });
  return { ok: true, status: 200, json: async () => ({ session: "s" }) };
};
const video = Object.assign(new EventTarget(), { paused: false, readyState: 4 });
const address = "https://w.test/v1/private/vid_1/master.m3u8?token=t";
reportsOf(video, () => ({ address, whenFresh: (call) => call() }), 0);
await settled();
for (const [wait_ms, name, isSeeking] of JSON.parse(readFileSync(0, "utf-8"))) {
  const until_ms = now_ms + wait_ms;
  for (;;) {
    const due = [...timers].filter(([, { at_ms }]) => at_ms <= until_ms)
      .sort(([, one], [, other]) => one.at_ms - other.at_ms)[0];
    if (!due) {
      break;
    }
    timers.delete(due[0]);
    now_ms = due[1].at_ms;
    due[1].call();
    await settled();
  }
  now_ms = until_ms;
  video.seeking = isSeeking;
  video.dispatchEvent(new Event(name));
  await settled();
}
console.log(JSON.stringify(sent));
"""


@pytest.fixture
def told(tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """
    Returns the requests that are sent while events come, each after some milliseconds.
    """
    node = shutil.which("node")
    assert node, "Debian has it as nodejs"
    shutil.copytree(STATIC / "element", tmp_path / "element")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "program.js").write_text(PROGRAM)

    def sent(*events: tuple[int, str, bool]) -> list[dict[str, Any]]:
        done = subprocess.run(
            [node, tmp_path / "program.js"],
            input=json.dumps(events),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found

    return sent


def test_a_stall_is_told_as_rebuffering_and_a_seek_is_not(
    told: Callable[..., list[dict[str, Any]]],
) -> None:
    begin, report = told(
        (500, "playing", False),
        (3_000, "waiting", False),
        (1_200, "playing", False),
        (1_000, "seeking", True),
        (100, "waiting", True),
        (4_000, "seeked", False),
        (2_000, "ended", False),
    )

    assert begin["address"] == "https://w.test/v1/playback-sessions/vid_1?token=t"
    assert report["address"] == "https://w.test/v1/playback-reports"
    assert (report["session"], report["number"], report["errors"]) == ("s", 1, 0)
    assert (report["rebufferings"], report["rebufferingMs"]) == (1, 1_200)
    assert report["playedMs"] == 500 + 3_000 + 1_000 + 2_000


def test_a_report_is_sent_every_minute_in_which_something_happens(
    told: Callable[..., list[dict[str, Any]]],
) -> None:
    begin, *reports = told(
        (0, "playing", False),
        *[(10_000, "timeupdate", False)] * 13,
        (0, "pause", False),
        (600_000, "timeupdate", False),
    )

    assert "name" in begin
    assert [one["playedMs"] for one in reports][:2] == [60_000, 120_000]
    assert len(reports) == 3
