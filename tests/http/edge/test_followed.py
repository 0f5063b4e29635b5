"""
Which viewers the edge's script notes, at moments that a test chooses.
"""

import getpass
import http.client
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final

import pytest

from hv_edge.requirements import MODULES
from hv_edge.script_settings import SETTINGS_FILE, script_settings
from hvcore.services.counting.sessions import MAX_FOLLOWED, NOTED_EVERY_S
from tests.edge import RunningEdge, running_nginx
from tests.live import free_ports

pytestmark = pytest.mark.services

CONFIG: Final = """
load_module {modules}/ndk_http_module.so;
load_module {modules}/ngx_http_lua_module.so;
user {user};
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    lua_package_path "{scripts}/?.lua;{folder}/?.lua;;";
    init_by_lua_block {{ require "resty.core" }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            content_by_lua_block {{
                ngx.req.read_body()
                ngx.print(assert(loadstring(ngx.req.get_body_data()))())
            }}
        }}
    }}
}}
"""
# A script of its own for each test, and a clock that stands where it is set.
BEGINNING: Final = """
package.loaded.hv_edge_viewers = nil
local viewers = require "hv_edge_viewers"
viewers.use({ viewer_key = "a key", country_header = "", referrers = false })
local moment = 1767312000
ngx.now = function() return moment end
local function show(browser) ngx.req.set_header("User-Agent", browser) end
local said = {}
"""


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEdge]:
    folder, port = tmp_path_factory.mktemp("script"), free_ports()
    scripts = resources.files("hv_edge") / "nginx"
    (folder / SETTINGS_FILE).write_text(script_settings())
    config = Path(folder / "nginx.conf")
    config.write_text(
        CONFIG.format(
            user=getpass.getuser(),
            modules=MODULES,
            folder=folder,
            scripts=scripts,
            port=port,
        )
    )
    with running_nginx(config, port=port, folder=folder) as running:
        yield running


def run(nginx: RunningEdge, script: str, beginning: str = BEGINNING) -> list[str]:
    """
    Run a script in nginx, and return the lines that it has said.
    """
    connection = http.client.HTTPConnection("127.0.0.1", nginx.port, timeout=120)
    try:
        connection.request("POST", "/", f"{beginning}{script}\nreturn said")
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    assert answer.status == 200, (nginx.folder / "error.log").read_text()
    return text.split("|")[:-1]


@pytest.mark.parametrize("claims", ["nil", "claims"])
def test_a_viewer_is_noted_again_after_a_while(nginx: RunningEdge, claims: str) -> None:
    moments = [0, NOTED_EVERY_S - 0.1, NOTED_EVERY_S, 2 * NOTED_EVERY_S - 0.1]
    # Nor does a clock that was set back stop it.
    moments += [2 * NOTED_EVERY_S, 3600, -60, -59]

    said = run(
        nginx,
        f"""
        local claims = {{ token = "a.b.c" }}
        for _, at in ipairs({{ {", ".join(map(str, moments))} }}) do
            moment = 1767312000 + at
            said[#said + 1] = viewers.noted({claims}, "vid_1") .. "|"
        end
        """,
    )

    assert [bool(one) for one in said] == [True, False] * 2 + [True, True, True, False]
    assert len(set(filter(None, said))) == (1 if claims == "claims" else 2)


def test_a_mark_is_another_one_tomorrow(nginx: RunningEdge) -> None:
    today, tonight, tomorrow = run(
        nginx,
        """
        for _, at in ipairs({ 0, 86390, 86400 }) do
            moment = 1767312000 + at
            said[#said + 1] = viewers.noted(nil, "vid_1") .. "|"
        end
        """,
    )

    assert today == tonight
    assert tomorrow not in {"", today}


def test_each_video_of_a_viewer_is_noted(nginx: RunningEdge) -> None:
    one, other = run(
        nginx,
        """
        for _, video in ipairs({ "vid_1", "vid_2" }) do
            said[#said + 1] = viewers.noted(nil, video) .. "|"
        end
        """,
    )

    assert one == other != ""


def test_as_many_viewers_as_come_take_only_so_much(nginx: RunningEdge) -> None:
    used_mb, noted, noted_later, noted_then = run(
        nginx,
        f"local NOTED_EVERY_S, COME = {NOTED_EVERY_S}, {MAX_FOLLOWED + 5000}"
        """
        collectgarbage()
        local before = collectgarbage("count")
        local function come(first)
            local noted = 0
            for number = first, first + COME - 1 do
                show(("browser %06d"):format(number))
                if viewers.noted(nil, "vid_1") ~= "" then noted = noted + 1 end
            end
            return noted
        end
        local noted = come(0)
        moment = moment + NOTED_EVERY_S
        local later = come(COME)
        collectgarbage()
        local used = (collectgarbage("count") - before) / 1024
        moment = moment + NOTED_EVERY_S
        show("one more")
        local last = #viewers.noted(nil, "vid_1")
        for _, number in ipairs({ used, noted, later, last }) do
            said[#said + 1] = number .. "|"
        end
        """,
    )

    assert int(noted) == int(noted_later) == MAX_FOLLOWED
    assert float(used_mb) < 60
    assert int(noted_then) > 0


def test_a_browser_with_a_long_name_takes_no_more(nginx: RunningEdge) -> None:
    used_mb, marks = run(
        nginx,
        """
        collectgarbage()
        local before, marks, kinds = collectgarbage("count"), {}, 0
        for number = 1, 2000 do
            show(("x"):rep(8000) .. number)
            local mark = viewers.noted(nil, "vid_1")
            if not marks[mark] then kinds = kinds + 1 end
            marks[mark] = true
        end
        marks = nil
        collectgarbage()
        local used = (collectgarbage("count") - before) / 1024
        said[1], said[2] = used .. "|", kinds .. "|"
        """,
    )

    assert int(marks) == 2000
    assert float(used_mb) < 3
