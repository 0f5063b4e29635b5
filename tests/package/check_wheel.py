"""
Build the wheel, look into it, install it into an empty environment, run hv.

A script and not a test: it is an environment of tox by itself.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

from uv import find_uv_bin

ROOT = Path(__file__).parents[2]
NEEDED = (
    "hvcore_player/static/element/source.js",
    "hvcore_player/static/hv-player.js",
    *(
        f"{app}/static/vendor/{name}"
        for app in ("hvcore_dashboard", "hvcore_player")
        for package in json.loads(
            (ROOT / "apps" / app / "vendor.json").read_text("utf-8")
        ).values()
        for name in package["files"].values()
    ),
    "hvcore_dashboard/vendor.json",
    "hvcore_dashboard/static/dashboard.css",
    "hvcore_dashboard/static/dashboard.js",
    "hvcore_dashboard/templates/layout.html",
    "hvcore_player/vendor.json",
    "hvcore/py.typed",
    "hvcore_api/docs_page/docs.css",
    "hvcore_api/docs_page/docs.js",
    "hvcore_api/docs_page/front.html",
    "hvcore_web/page.css",
    "hvcore_client_js/client.js",
    "hvcore_client_js/client.d.ts",
    "hvcore_cli/commands/plugins/templates/common/pyproject.toml.tmpl",
    "hvcore_cli/commands/plugins/templates/common/README.md.tmpl",
    "hvcore_cli/commands/plugins/templates/common/test_kit.py.tmpl",
    *(
        f"hvcore_cli/commands/plugins/templates/{kind}/{name}"
        for kind in (
            *("analytics", "auth", "cache_invalidation", "limits"),
            *("queue", "sign_in", "storage", "transcoder", "transcriber"),
        )
        for name in ("plugin.py.tmpl", "backend.py.tmpl", "kit.py.tmpl", "use.txt")
    ),
    "hvcore_edge/nginx/nginx.conf.template",
    "hvcore_edge/nginx/hv_edge.lua",
)
KINDS = {"analytics", "auth", "limits", "queue", "sign_in", "storage", "transcoder"}
ELSEWHERE = {"duckdb", "google", "mediaconvert", "obstore", "sqs", "whisper"}
"""Backends whose libraries few need, which the extra ``all`` leaves out."""
TOOLS = {"hvcore_client_generator", "hvcore_mediaconvert_local"}
"""Packages of developers, which are distributions of their own."""
OF_THE_CLIENT = {
    *("hvcore-client", "attrs", "httpx"),
    # What httpx needs.
    *("anyio", "certifi", "h11", "httpcore", "idna", "sniffio", "typing-extensions"),
    *("pip", "setuptools", "wheel"),
}
CLIENT_PROGRAM = """\
import http.server, json, threading
from hvcore_client import HvClient, tokens

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"body": {"status": "ok"}}).encode())

    def log_message(self, *_):
        pass

with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    with HvClient(f"http://127.0.0.1:{server.server_port}") as client:
        assert client.get_liveness().status == "ok"
    thread.join()
assert tokens.sign("vid_1", key="s" * 43, kid="sgk_1").count(".") == 2
try:
    tokens.sign("vid_1", key="-----BEGIN PRIVATE KEY-----", kid="sgk_1")
except ImportError as error:
    assert "hvcore-client[ed25519]" in str(error)
print("it works")
"""
CLIENT_IS_SERVED = """
from falcon import App
from falcon.testing import TestClient
from hvcore_api.resources.client import ClientModuleResource, ClientTypesResource
app = App()
app.add_route("/client.js", ClientModuleResource(None))
app.add_route("/client.d.ts", ClientTypesResource(None))
client = TestClient(app)
assert "export class HvClient" in client.simulate_get("/client.js").text
assert "declare class HvClient" in client.simulate_get("/client.d.ts").text
"""
# Documentation may be built at the same time.
NOT_SHIPPED = (
    ".*",
    "tests",
    "docs",
    "docs_site",
    "build",
    "dist",
    "hv-data",
    "*.egg-info",
)


def main(folder: Path) -> None:
    """
    Do all of it in an empty folder.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tree = folder / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*NOT_SHIPPED))
    wheel = build(tree, folder / "dist")
    look_into(wheel)
    install_and_run(wheel, folder / "empty")
    check_client(tree / "contrib" / "hvcore_client", folder)
    refuse_without_vendored(tree, folder / "none")


def build(tree: Path, target: Path) -> Path:
    """
    Build the wheel of a source tree, without warnings of setuptools.
    """
    built = subprocess.run(
        [find_uv_bin(), "build", "--wheel", "--out-dir", target, tree],
        capture_output=True,
        text=True,
        check=False,
    )
    said = built.stdout + built.stderr
    assert built.returncode == 0, said
    assert "would be ignored" not in said, said
    (wheel,) = target.glob("hvcore-*.whl")
    return wheel


def look_into(wheel: Path) -> None:
    """
    Check that the wheel has what it needs, and no other top-level names.
    """
    names = zipfile.ZipFile(wheel).namelist()
    missing = [name for name in NEEDED if name not in names]
    assert not missing, f"the wheel lacks {missing}"
    tops = {name.split("/")[0] for name in names}
    strangers = {
        top
        for top in tops
        if top in TOOLS
        or (top != "hvcore" and not top.startswith(("hvcore_", "hvcore-")))
    }
    assert not strangers, f"the wheel brings {strangers}"
    typed = {name.split("/")[0] for name in names if name.endswith("/py.typed")}
    untyped = {top for top in tops if not top.startswith("hvcore-")} - typed
    assert not untyped, f"py.typed is missing in {untyped}"


def install_and_run(wheel: Path, target: Path) -> None:
    """
    Install the wheel with all extras and let hv list its plugins.
    """
    python = install(f"{wheel}[all]", target)
    outside = {name: value for name, value in os.environ.items() if name[:3] != "HV_"}
    answer = subprocess.run(
        [target / "bin" / "hv", "plugins", "--json", "--data", target / "data"],
        capture_output=True,
        check=True,
        cwd=target,
        env=outside,
    )
    plugins = json.loads(answer.stdout)["plugins"]
    active = {plugin["kind"] for plugin in plugins if plugin["active"]}
    assert active == KINDS, plugins
    missing = {plugin["name"] for plugin in plugins if plugin["missing"]}
    assert missing == ELSEWHERE, plugins
    serve_the_client(python, outside)


def serve_the_client(python: Path, environ: Mapping[str, str]) -> None:
    """
    Check that the API that was installed serves its client for JavaScript.
    """
    subprocess.run([python, "-c", CLIENT_IS_SERVED], check=True, env=environ)


def check_client(tree: Path, folder: Path) -> None:
    """
    Build the client by itself, and let it work where nothing else is installed.
    """
    uv("build", "--wheel", "--out-dir", folder / "client", tree)
    (wheel,) = (folder / "client").glob("hvcore_client-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    sources = {
        f"hvcore_client/{path.relative_to(tree)}"
        for path in tree.rglob("*.py")
        if path.relative_to(tree).parts[0] != "build"
    }
    missing = {*sources, "hvcore_client/py.typed"} - set(names)
    assert not missing, f"the wheel of the client lacks {missing}"
    target = folder / "empty-client"
    python = install(str(wheel), target)
    listed = subprocess.run(
        [find_uv_bin(), "pip", "list", "--python", python, "--format", "json"],
        capture_output=True,
        check=True,
    )
    installed = {found["name"].lower() for found in json.loads(listed.stdout)}
    assert installed <= OF_THE_CLIENT, installed - OF_THE_CLIENT
    said = subprocess.run(
        [python, "-c", CLIENT_PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        cwd=target,
    )
    assert said.stdout == "it works\n", said


def refuse_without_vendored(tree: Path, target: Path) -> None:
    """
    Check that nothing is built where npm is missing, and what to do is said.
    """
    shutil.rmtree(tree / "apps" / "hvcore_player" / "static" / "vendor")
    shutil.rmtree(tree / "build", ignore_errors=True)
    built = subprocess.run(
        [find_uv_bin(), "build", "--wheel", "--out-dir", target, tree],
        # Nor does npm's cache have the files.
        env={**os.environ, "PATH": os.devnull, "npm_config_cache": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode != 0, "a wheel was built without what npm brings"
    assert "./hv setup" in built.stdout + built.stderr, built.stderr


def install(wanted: str, target: Path) -> Path:
    """
    Install into an empty environment, and return its Python.
    """
    uv("venv", "--python", sys.executable, target)
    python = target / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    uv("pip", "install", "--python", python, "--constraint", constraints, wanted)
    return python


def uv(*arguments: str | Path) -> None:
    """
    Run uv, which takes a tenth of the time that pip takes.
    """
    subprocess.run([find_uv_bin(), "--quiet", *arguments], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
