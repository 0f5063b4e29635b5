"""
Debian's Firefox, driven by its own protocol.

Playwright drives Firefox only as it was built for it. Marionette is what every Firefox
speaks, and what geckodriver translates WebDriver into.

Source: Firefox source docs, "Marionette: Protocol"; W3C WebDriver for the commands.
"""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from tests.support.live import until

FIREFOX: Final = "/usr/bin/firefox-esr"
READY_WITHIN_S: Final = 60
ANSWER_WITHIN_S: Final = 60
ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
"""The name under which WebDriver hands elements over."""
SETTINGS: Final = {
    # Any free one, which it writes into a file of its profile.
    "marionette.port": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    # Without asking anybody on the network.
    "services.settings.server": "data:,",
}
IN_THE_CONSOLE: Final = """return Services.console.getMessageArray()
    .filter((message) => message instanceof Ci.nsIScriptError)
    .filter(({category}) => category.startsWith('CSP') || category.includes('content'))
    .map(({category, errorMessage}) => `${category}: ${errorMessage}`);"""


class MarionetteError(Exception):
    """
    What Firefox answers to a command that failed.
    """


@attrs.define
class Firefox:
    """
    A Firefox with one window.
    """

    _connection: socket.socket
    _read: Any
    _next: int = 1

    def send(self, command: str, **parameters: object) -> Any:  # noqa: ANN401 - JSON data
        """
        Have a command carried out; return what it gives.

        Raises:
            MarionetteError: It failed.
        """
        message = json.dumps([0, self._next, command, parameters]).encode()
        self._next += 1
        self._connection.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self.receive()
        if error:
            raise MarionetteError(f"{error['error']}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def receive(self) -> Any:  # noqa: ANN401 - JSON data
        """
        Read the next message.
        """
        length = bytearray()
        while (byte := self._read.read(1)) != b":":
            if not byte:
                raise MarionetteError("Firefox has closed the connection")
            length += byte
        return json.loads(self._read.read(int(length)))

    def open(self, url: str) -> None:
        """
        Go to a page.
        """
        self.send("WebDriver:Navigate", url=url)

    def ask(self, expression: str) -> Any:  # noqa: ANN401 - JSON data
        """
        Return what an expression of ``player`` gives, once there is one.
        """
        script = f"""const [done] = [...arguments].slice(-1);
            customElements.whenDefined('hv-player').then(async () => {{
                const player = document.querySelector('hv-player');
                done(await ({expression}));
            }}).catch((cause) => done('failed: ' + cause));"""
        return self.send("WebDriver:ExecuteAsyncScript", script=script, args=[])

    def run(self, script: str, **values: object) -> Any:  # noqa: ANN401 - JSON data
        """
        Return what the statements of an async function give that has values by name.
        """
        names = ", ".join(values)
        whole = f"""const [{{{names}}}, done] = arguments;
            (async () => {{ {script} }})()
                .then(done, (cause) => done('failed: ' + cause));"""
        return self.send("WebDriver:ExecuteAsyncScript", script=whole, args=[values])

    def wait_until(self, condition: str, *, within_s: float = 30) -> None:
        """
        Wait for a condition of ``player``.
        """
        try:
            until(lambda: self.ask(condition) is True, within_s=within_s)
        except TimeoutError:
            state = self.ask(
                "[player.currentTime, player.readyState, player.paused, player.error]"
            )
            raise AssertionError(f"{condition} did not happen: {state}") from None

    def click(self, role: str, name: str) -> None:
        """
        Click what screen readers know by a role and the beginning of its name.

        Raises:
            AssertionError: There is no such thing, or several.
        """
        found: list[str] = []

        def clicked() -> bool:
            found[:] = self._visible(role, name)
            if len(found) != 1:
                return False
            try:
                self._click(found[0])
            except MarionetteError as exc:
                # It is still on its way into view.
                if "element" in str(exc).partition(":")[0]:
                    return False
                raise
            return True

        try:
            until(clicked, within_s=10, what=f"{role} {name!r}")
        except TimeoutError as exc:
            raise AssertionError(f"{exc}; there are {len(found)}") from None

    def _click(self, element_id: str) -> None:
        place = {"type": "pointerMove", "origin": {ELEMENT: element_id}, "x": 0, "y": 0}
        press = [{"type": name, "button": 0} for name in ("pointerDown", "pointerUp")]
        mouse = {"type": "pointer", "id": "mouse", "actions": [place, *press]}
        self.send("WebDriver:PerformActions", actions=[mouse])

    def press(self, key: str) -> None:
        """
        Press a key and let it go.
        """
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.send(
            "WebDriver:PerformActions",
            actions=[{"type": "key", "id": "keyboard", "actions": actions}],
        )

    def complaints(self) -> list[str]:
        """
        Return what pages have complained of: broken policies, and errors.
        """
        self.send("Marionette:SetContext", value="chrome")
        try:
            found = self.send("WebDriver:ExecuteScript", script=IN_THE_CONSOLE, args=[])
        finally:
            self.send("Marionette:SetContext", value="content")
        return [str(one) for one in found]

    def _visible(self, role: str, name: str) -> Iterator[str]:
        elements = self.ask(
            """(async () => {
                const all = (root) => [...root.querySelectorAll('*')].flatMap((one) =>
                    [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
                const found = all(player.shadowRoot).filter((one) =>
                    one.checkVisibility() && (one.role ?? one.localName) === ROLE);
                const places = () => found.map((one) =>
                    JSON.stringify(one.getBoundingClientRect()));
                const before = places();
                // Only what does not move.
                await new Promise((done) => setTimeout(done, 50));
                await new Promise(requestAnimationFrame);
                const now = places();
                return found.filter((_one, index) => before[index] === now[index]);
            })()""".replace("ROLE", json.dumps(role))
        )
        for element in elements:
            (element_id,) = element.values()
            if self.send(
                "WebDriver:GetComputedRole", id=element_id
            ) == role and self._name(element_id).startswith(name):
                yield element_id

    def _name(self, element_id: str) -> str:
        return str(self.send("WebDriver:GetComputedLabel", id=element_id))


@contextmanager
def running_firefox(profile: Path) -> Iterator[Firefox]:
    """
    Run Firefox until the block ends.

    Args:
        profile: An empty folder for all that it writes.
    """
    lines = [
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
        for name, value in SETTINGS.items()
    ]
    (profile / "user.js").write_text("".join(lines))
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(profile)]
    # The second one: the console is Firefox's own.
    command += ["--marionette", "--remote-allow-system-access"]
    environ = {**os.environ, "HOME": str(profile)}
    with (
        (profile / "log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, env=environ) as process,
    ):
        try:
            with _connected(profile) as firefox:
                firefox.send("WebDriver:NewSession", capabilities={})
                firefox.send("WebDriver:SetWindowRect", width=1280, height=800)
                yield firefox
        finally:
            process.terminate()


@contextmanager
def _connected(profile: Path) -> Iterator[Firefox]:
    written = profile / "MarionetteActivePort"

    def port() -> int:
        return int((written.exists() and written.read_text()) or 0)

    found = until(port, within_s=READY_WITHIN_S, what="the port of Firefox")
    address = ("127.0.0.1", found)
    with (
        socket.create_connection(address, timeout=ANSWER_WITHIN_S) as connection,  # type: ignore[arg-type]  # an int
        connection.makefile("rb") as read,
    ):
        firefox = Firefox(connection, read)
        firefox.receive()
        yield firefox
