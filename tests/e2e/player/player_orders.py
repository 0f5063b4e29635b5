"""
Orders for players, drawn at random: what a page may do while something is asked.
"""

import random
from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.e2e.moving_site import WIDTHS_PX, token

LENGTH: Final = 14
LONGEST_WAIT_MS: Final = 250

Order = dict[str, Any]
"""What is done, and how long is waited before it (0 is the same moment)."""

OBEY: Final = """
const did = {
    src: ({to, single, renew}) => {
        player.toggleAttribute('single-view', single);
        player.renewsByListener = renew === 'listener';
        if (renew === 'endpoint') {
            player.dataset.renewUrl = '/renew/' + to.split('/')[2];
        } else {
            delete player.dataset.renewUrl;
        }
        player.src = to;
    },
    token: ({to}) => { player.token = to; },
    captions: ({to}) => { player.captions = to; },
    quality: ({to}) => { player.quality = to; },
    seek: ({to}) => { player.currentTime = to; },
    play: () => { player.play().catch(() => 0); },
    pause: () => player.pause(),
    retry: () => player.retry(),
    out: () => player.remove(),
    in: () => document.body.append(player),
    move: () => { player.remove(); document.body.prepend(player); },
};
player.addEventListener('tokenexpiring', async ({detail}) => {
    if (player.renewsByListener) {
        const {signal} = detail;
        // Its end aborts the body, too, after the head has come.
        const answer = await fetch('/renew/' + player.src.split('/')[2], {signal})
            .then((found) => found.text()).catch(() => '');
        if (answer && !signal.aborted) {
            player.token = answer;
        }
    }
});
for (const {does, wait_ms, ...more} of orders) {
    if (wait_ms) {
        await new Promise((done) => setTimeout(done, wait_ms));
    }
    did[does](more);
}
"""
"""Of a page with ``player`` and ``orders``."""

OBEY_WITH_FRAMES: Final = """
const {connect} = await import('/static/hv-player-host.js');
const iframe = document.querySelector('iframe');
const calls = [];
let player = null;
const call = (method, ...args) => player && calls.push(
    player[method](...args).then(() => 0, () => 0));
const begin = () => connect(iframe, {timeoutMs: 20_000, renewToken: () =>
    fetch('/renew/' + iframe.src.split('/')[5]).then((found) => found.text())});
const did = {
    src: ({to, native}) => {
        const [path, query] = to.slice(1).split('?');
        iframe.src = '/embed/' + path + '?' + [query, native].filter(Boolean).join('&');
    },
    connect: () => {
        const connecting = begin();
        calls.push(connecting.then(() => 0, () => 0));
        connecting.then((found) => {
            player?.disconnect();
            player = found;
        }, () => 0);
    },
    token: ({to}) => call('setToken', to),
    captions: ({to}) => call('setCaptions', to),
    quality: ({to}) => call('setQuality', to),
    seek: ({to}) => call('seek', to),
    play: () => call('play'),
    pause: () => call('pause'),
    retry: () => call('getState'),
    out: () => iframe.remove(),
    in: () => document.body.append(iframe),
    move: () => { iframe.remove(); document.body.prepend(iframe); },
};
for (const {does, wait_ms, ...more} of orders) {
    if (wait_ms) {
        await new Promise((done) => setTimeout(done, wait_ms));
    }
    did[does](more);
}
"""
"""Of a page with a frame: ``calls`` holds what is settled when each call is."""


@attrs.frozen(kw_only=True)
class Goal:
    """
    What is set last, and what has to come of it.

    Attributes:
        status: Of the error that the viewer sees; 0 if the video plays.
    """

    order: Order
    width_px: int
    status: int


class Orders:
    """
    Draw orders, the same ones for the same seed.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - the same for the same seed

    def some(self, *more: str) -> Iterator[Order]:
        """
        Yield orders of all kinds.

        Args:
            more: Further kinds, without arguments.
        """
        kinds = ["src", "src", "src", "token", "captions", "quality", "seek", "play"]
        kinds += ["play", "pause", "retry", "out", "in", "move", *more]
        for _ in range(LENGTH):
            kind = self._random.choice(kinds)
            now = self._random.random() < 0.4
            wait_ms = 0 if now else self._random.randint(1, LONGEST_WAIT_MS)
            yield {**self._order(kind), "wait_ms": wait_ms}

    def goal(self, *, has_sessions: bool = True) -> Goal:
        """
        Draw what is set last.

        Args:
            has_sessions: It may be a share link.
        """
        kinds = ["public", "private", "renewed", "removed", "forbidden"]
        kind = self._random.choice([*kinds, *(["share"] if has_sessions else [])])
        video = self._random.choice(sorted(WIDTHS_PX))
        status = {"removed": 404, "forbidden": 403}.get(kind, 0)
        order = {**self._source(kind, video), "wait_ms": 0}
        return Goal(order=order, width_px=WIDTHS_PX[video], status=status)

    def _order(self, kind: str) -> Order:
        draw = self._random
        video = draw.choice(sorted(WIDTHS_PX))
        if kind == "src":
            kinds = ["public", "private", "due", "renewed", "refused", "removed"]
            return self._source(draw.choice([*kinds, "forbidden", "share"]), video)
        values: dict[str, list[object]] = {
            "token": [token(video), token(video, valid_s=-60), "old"],
            "captions": ["en", "zh-CN", None],
            "quality": [180, 720, "auto"],
            "seek": [0, 3, 7.5],
        }
        return {"does": kind, "to": draw.choice(values.get(kind, [None]))}

    def _source(self, kind: str, video: str) -> Order:
        valid_s = {"due": 1, "renewed": -60, "private": 600, "forbidden": 600}.get(kind)
        folder = kind if kind in {"public", "share"} else "private"
        address = f"/{folder}/{video}/master.m3u8"
        if kind == "removed":
            address = f"/public/{video}/removed.m3u8"
        if kind == "refused":
            address += "?token=old"
        if valid_s is not None:
            of = chr((ord(video) - ord("a") + 1) % 3 + ord("a"))
            given = of if kind == "forbidden" else video
            address += f"?token={token(given, valid_s=valid_s)}"
        ways = ["endpoint", "listener"]
        return {
            "does": "src",
            "to": address,
            "single": kind == "share",
            "renew": self._random.choice(ways if kind == "renewed" else [*ways, None]),
        }
