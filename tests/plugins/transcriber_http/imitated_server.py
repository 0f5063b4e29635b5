"""An imitation of servers that transcribe: it says words wherever a sound is loud."""

import json
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import attrs

from hvcore.plugin_api import SpokenCue, TranscriptionOrder
from hvcore.testing.memory_transcriber import MemoryTranscriber
from hvcore.testing.transcriber import frames_of, write_sound

KEY: Final = "secret-of-the-server"


@attrs.define
class ImitatedServer:
    """
    A server and its faults.

    Attributes:
        has_inner_words: Whether words are in segments, with probabilities, as with
            servers of others; with OpenAI's they are beside all segments.
        faults: What is done instead of an answer to the next requests, in turn.
        fields: The fields of each request.
        change: Changes the told object.
    """

    url: str
    has_inner_words: bool = False
    faults: list[Callable[["Handler"], None]] = attrs.field(factory=list)
    fields: list[dict[str, list[str]]] = attrs.field(factory=list)
    change: Callable[[dict[str, Any]], object] = lambda told: told
    stopped: threading.Event = attrs.field(factory=threading.Event)

    def told(self, sound: bytes) -> dict[str, Any]:
        """Return what the server tells of a sound."""
        with tempfile.TemporaryDirectory() as folder:
            given = Path(folder) / "given.wav"
            given.write_bytes(sound)
            file = write_sound(Path(folder) / "sound.wav", frames_of(given))
            cues = MemoryTranscriber().transcribe(TranscriptionOrder(sound=file)).cues
            segments = [self._segment(cue) for cue in cues]
        words = [word for segment in segments for word in segment["words"]]
        told: dict[str, Any] = {
            "task": "transcribe",
            "language": "en" if self.has_inner_words else "english",
            "duration": file.duration_ms / 1000,
            "text": " ".join(segment["text"] for segment in segments),
            "segments": segments,
        }
        if not self.has_inner_words:
            told["words"] = words
            for segment in segments:
                del segment["words"]
        return told

    def _segment(self, cue: SpokenCue) -> dict[str, Any]:
        words: list[dict[str, Any]] = [
            {
                "word": f" {word.text}" if self.has_inner_words else word.text,
                "start": word.start_ms / 1000,
                "end": word.end_ms / 1000,
                **({"probability": 0.9} if self.has_inner_words else {}),
            }
            for word in cue.words
        ]
        return {
            "start": cue.start_ms / 1000,
            "end": cue.end_ms / 1000,
            "text": f" {cue.text}",
            "avg_logprob": -0.2,
            "no_speech_prob": 0.01,
            "words": words,
        }


class Handler(BaseHTTPRequestHandler):
    """Answers as the server does."""

    protocol_version = "HTTP/1.1"
    imitated: ImitatedServer

    def do_GET(self) -> None:
        """List the models."""
        if self.imitated.faults:
            self.imitated.faults.pop(0)(self)
            return
        self.answer(200 if self.is_known else 401, {"data": []})

    def do_POST(self) -> None:
        """Transcribe a sound."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fields, sound = read_form(self.headers["Content-Type"], body)
        self.imitated.fields.append(fields)
        if self.imitated.faults:
            self.imitated.faults.pop(0)(self)
        elif not self.is_known:
            self.answer(401, {"error": {"message": f"{self.headers['Authorization']}"}})
        elif self.path != "/v1/audio/transcriptions":
            self.answer(404, {})
        else:
            self.answer(200, self.imitated.change(self.imitated.told(sound)))

    @property
    def is_known(self) -> bool:
        """Whether the request has the key."""
        return self.headers["Authorization"] == f"Bearer {KEY}"

    def answer(self, status: int, told: object, **headers: str) -> None:
        """Answer with JSON."""
        body = json.dumps(told).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def read_form(content_type: str, body: bytes) -> tuple[dict[str, list[str]], bytes]:
    """Return the fields of a form, and the file that it brings."""
    boundary = content_type.partition("boundary=")[2].encode()
    fields: dict[str, list[str]] = {}
    sound = b""
    for part in body.split(b"--" + boundary)[1:-1]:
        head, _, value = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        found = re.search(rb'name="([^"]+)"', head)
        assert found is not None
        if b"filename=" in head:
            sound = value.removesuffix(b"\r\n")
        else:
            text = value.removesuffix(b"\r\n").decode()
            fields.setdefault(found[1].decode(), []).append(text)
    return fields, sound


def busy(status: int, **headers: str) -> Callable[[Handler], None]:
    """Return a fault: the server is busy, or fails."""
    return lambda handler: handler.answer(status, {"error": "busy"}, **headers)


def break_off(handler: Handler) -> None:
    """Send half an answer."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
    handler.close_connection = True


def go_silent(handler: Handler) -> None:
    """Answer nothing until the server stops."""
    handler.imitated.stopped.wait()
    handler.close_connection = True


def drip(handler: Handler) -> None:
    """Send one byte again and again until the server stops."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not handler.imitated.stopped.wait(0.05):
        try:
            handler.wfile.write(b" ")
        except OSError:
            break
    handler.close_connection = True


@contextmanager
def imitated_server() -> Iterator[ImitatedServer]:
    """Run the server on loopback."""
    handler = type("OwnHandler", (Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        made = ImitatedServer(url=f"http://127.0.0.1:{server.server_port}")
        handler.imitated = made  # type: ignore[attr-defined]  # of this server alone
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield made
        finally:
            made.stopped.set()
            server.shutdown()
            thread.join()
