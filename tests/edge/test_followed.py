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

from hvcore.services.counting.sessions import ALL_SHARES, NOTED_EVERY_S, PERIOD_S
from hvcore.settings.shares import ShareSettings
from hvcore_edge.requirements import MODULES
from hvcore_edge.script_settings import SETTINGS_FILE, script_settings
from tests.support.live import free_ports
from tests.support.network.edge import RunningEdge, running_nginx

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
MOST_OF_ONE: Final = ShareSettings().live_sessions_of_one
# A script of its own for each test, and a clock that stands where it is set.
BEGINNING: Final = f"""
package.loaded.hv_edge_viewers = nil
local viewers = require "hv_edge_viewers"
local MOST_OF_ONE = {MOST_OF_ONE}
local function use(most_of_one)
    viewers.use({{ viewer_key = "a key", country_header = "", referrers = false,
        live_sessions_of_one = most_of_one }})
end
use(MOST_OF_ONE)
local function of(video, org) return {{ video = video, org = org or "org_a" }} end
local moment = 1767312000
ngx.now = function() return moment end
local function show(browser) ngx.req.set_header("User-Agent", browser) end
local said = {{}}
"""


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEdge]:
    folder, port = tmp_path_factory.mktemp("script"), free_ports()
    scripts = resources.files("hvcore_edge") / "nginx"
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
            said[#said + 1] = viewers.noted({claims}, of("vid_1")) .. "|"
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
            said[#said + 1] = viewers.noted(nil, of("vid_1")) .. "|"
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
            said[#said + 1] = viewers.noted(nil, of(video)) .. "|"
        end
        """,
    )

    assert one == other != ""


def test_as_many_viewers_as_come_take_only_so_much(nginx: RunningEdge) -> None:
    used_mb, noted, noted_later, noted_then = run(
        nginx,
        f"local PERIOD_S, SHARES = {PERIOD_S}, {ALL_SHARES}"
        """
        collectgarbage()
        local before = collectgarbage("count")
        local function come(first)
            local noted = 0
            for number = first, first + MOST_OF_ONE + 999 do
                show(("browser %07d"):format(number))
                for org = 1, SHARES do
                    local said = viewers.noted(nil, of("vid_" .. org, "org_" .. org))
                    if said:find(" s=%x") then noted = noted + 1 end
                end
            end
            return noted
        end
        local noted = come(0)
        moment = moment + 2 * PERIOD_S
        local later = come(1000000)
        collectgarbage()
        local used = (collectgarbage("count") - before) / 1024
        moment = moment + 2 * PERIOD_S
        show("one more")
        local last = #viewers.noted(nil, of("vid_1"))
        for _, number in ipairs({ used, noted, later, last }) do
            said[#said + 1] = number .. "|"
        end
        """,
    )

    # The last share is for newcomers, who come to no more than a part of it here.
    assert int(noted) == int(noted_later)
    assert (ALL_SHARES - 1) * MOST_OF_ONE <= int(noted) < ALL_SHARES * MOST_OF_ONE
    assert float(used_mb) < 60
    assert int(noted_then) > 0


def test_one_organization_s_viewers_leave_room_for_those_of_others(
    nginx: RunningEdge,
) -> None:
    noted = run(
        nginx,
        """
        use(100)
        local function followed(org, viewers_of_it)
            local count = 0
            for number = 1, viewers_of_it do
                show("browser " .. number)
                local claims = number % 2 == 0 and { token = org .. number } or nil
                local noted = viewers.noted(claims, of("vid_" .. org, org))
                if noted:find(" s=%x") then
                    count = count + 1
                elseif noted ~= " s=-" then
                    error("neither followed nor said to be more: " .. noted)
                end
            end
            return count .. "|"
        end
        for number = 1, 4 do
            said[#said + 1] = followed("org_" .. number, 1000)
        end
        for number = 1, 10 do
            said[#said + 1] = followed("org_small_" .. number, 5)
        end
        said[#said + 1] = followed("org_5", 1000)
        """,
    )

    # As in hvcore.services.counting.sessions.
    assert noted == ["100"] * 4 + ["5"] * 10 + ["6"]


def test_a_viewer_who_is_gone_leaves_room_for_others(nginx: RunningEdge) -> None:
    said = run(
        nginx,
        """
        use(10)
        local function come(name, after_s)
            moment = moment + after_s
            show(name)
            said[#said + 1] = viewers.noted(nil, of("vid_1")):sub(1, 4) .. "|"
        end
        for number = 1, 11 do come("early " .. number, 0) end
        -- Who stays is followed all the time, and the others for two turns at most.
        for _ = 1, 20 do come("early 1", 7) end
        for number = 1, 10 do come("late " .. number, 0) end
        """,
    )

    assert [one == " s=-" for one in said[:11]] == [False] * 10 + [True]
    assert [one == " s=-" for one in said[11:]] == [False] * 29 + [True]


def test_a_browser_with_a_long_name_takes_no_more(nginx: RunningEdge) -> None:
    used_mb, marks = run(
        nginx,
        """
        collectgarbage()
        local before, marks, kinds = collectgarbage("count"), {}, 0
        for number = 1, 2000 do
            show(("x"):rep(8000) .. number)
            local mark = viewers.noted(nil, of("vid_1"))
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
