"""
Pages of React, Vue and Svelte that go from one video to the next.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, CDPSession, Page

from tests.e2e.films import ask, wait_until
from tests.e2e.moving_site import DURATION_S, PAGES, WIDTHS_PX, MovingSite, moving_site
from tests.support.npm_packages import npm_packages

PACKAGES: Final = (
    "react@19.3.1", "react-dom@19.3.1", "vue@3.5.45", "svelte@5.57.3", "esbuild@0.28.2",
)  # fmt: skip
SWITCHES: Final = 50
WARM: Final = 10
"""So many switches fill what browsers and frameworks keep."""
MOST_GROWTH_BYTES: Final = 40_000
"""Of the heap for each switch at most; a player that stays is ten times as much."""
PLAYER: Final = "muted no-keys cmcd=off captions=en"
APPS: Final = {
    "react": """
        import {createElement, useState} from 'react';
        import {createRoot} from 'react-dom/client';
        import {flushSync} from 'react-dom';
        const App = () => {
            const [{src, key}, set] = useState({src: '/public/a/master.m3u8', key: 0});
            window.show = (next) => flushSync(() => set(next));
            return createElement('hv-player', {src, key, muted: true, 'no-keys': '',
                cmcd: 'off', captions: 'en'});
        };
        createRoot(document.querySelector('#app')).render(createElement(App));""",
    "vue": """
        import {createApp, h, nextTick, shallowRef} from 'vue';
        const shown = shallowRef({src: '/public/a/master.m3u8', key: 0});
        window.show = (next) => {
            shown.value = next;
            return nextTick();
        };
        createApp({render: () => h('hv-player', {...shown.value, muted: true,
            'no-keys': '', cmcd: 'off', captions: 'en'})}).mount('#app');""",
    "svelte": """
        import {flushSync, mount} from 'svelte';
        import App from './app.js';
        mount(App, {target: document.querySelector('#app')});
        window.show = (next) => flushSync(() => window.set(next));""",
}
SVELTE: Final = f"""<script>
    let shown = $state({{src: '/public/a/master.m3u8', key: 0}});
    window.set = (next) => {{ shown = next; }};
</script>
{{#key shown.key}}<hv-player src={{shown.src}} {PLAYER}></hv-player>{{/key}}"""
COMPILE: Final = """
    import {compile} from 'svelte/compiler';
    import {readFileSync, writeFileSync} from 'node:fs';
    const source = readFileSync('app.svelte', 'utf-8');
    writeFileSync('app.js', compile(source, {generate: 'client'}).js.code);"""
COUNT: Final = """(() => {
    const made = [];
    const {MediaSource} = window;
    window.MediaSource = class extends MediaSource {
        constructor() {
            super();
            made.push(new WeakRef(this));
        }
    };
    window.engines = () => made.filter((one) => one.deref()).length;
})()"""


@pytest.fixture(params=sorted(APPS))
def script(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return bundled(request.param, tmp_path)


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MovingSite]:
    with moving_site(tmp_path_factory.mktemp("videos")) as site:
        yield site


def bundled(framework: str, folder: Path) -> str:
    """
    Return the script of a page, as esbuild makes it.
    """
    modules = npm_packages(*PACKAGES)
    (folder / "node_modules").symlink_to(modules)
    (folder / "main.js").write_text(APPS[framework])
    if framework == "svelte":
        (folder / "app.svelte").write_text(SVELTE)
        (folder / "compile.mjs").write_text(COMPILE)
        subprocess.run(["node", "compile.mjs"], cwd=folder, check=True, timeout=60)
    esbuild = [str(modules / ".bin" / "esbuild"), "main.js", "--bundle"]
    esbuild += ["--format=esm", "--define:process.env.NODE_ENV='production'"]
    esbuild += ["--conditions=browser", "--define:__VUE_OPTIONS_API__=false"]
    made = subprocess.run(
        esbuild, cwd=folder, check=True, capture_output=True, text=True, timeout=60
    )
    return made.stdout


def switch(page: Page, number: int, *, is_new: bool) -> None:
    """
    Have another video played, by the same element or a new one.
    """
    video = "abc"[number % 3]
    src = f"/public/{video}/master.m3u8"
    key = number if is_new else 0
    page.evaluate(f"window.show({{src: '{src}', key: {key}}})")
    ask(page, "(void player.play().catch(() => 0), null)")
    shown = f"player.videoWidth === {WIDTHS_PX[video]} && player.captions === 'en'"
    wait_until(page, f"player.error === null && {shown}")


def held(page: Page, session: CDPSession) -> dict[str, float]:
    """
    Return how many objects of a page are alive, once it is swept.

    Requests that are on their way have listeners, too: the video is loaded first.
    """
    wait_until(page, f"player.buffered.end(0) > {DURATION_S - 1}")
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return {one["name"]: one["value"] for one in metrics}


@pytest.mark.long
@pytest.mark.parametrize("element", ["same", "new"])
def test_fifty_switches_leave_one_engine_and_nothing_else(
    moving: MovingSite,
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    element: str,
) -> None:
    app = "<div id=app></div><script type=module src=/static/hv-player.js></script>"
    monkeypatch.setitem(
        PAGES, "/app.html", f"{app}<script type=module>{script}</script>"
    )
    with browser.new_page() as page:
        page.add_init_script(COUNT)
        page.goto(f"{moving.url}/app.html")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        for number in range(1, WARM):
            switch(page, number, is_new=element == "new")
        before = held(page, session)

        for number in range(WARM, WARM + SWITCHES):
            switch(page, number, is_new=element == "new")

        after = held(page, session)
        assert page.evaluate("engines()") == 1
        assert after["JSEventListeners"] <= before["JSEventListeners"] + 2
        assert after["Nodes"] <= before["Nodes"] + 30
        grown = (after["JSHeapUsedSize"] - before["JSHeapUsedSize"]) / SWITCHES
        assert grown < MOST_GROWTH_BYTES, (before, after)
