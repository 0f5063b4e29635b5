"""Check that a video plays: fetch and decode every playlist and every segment."""

import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urljoin, urlsplit

from hvcore_cli.commands.videos.api_access import fetching
from hvcore_cli.invocation import CliError

Get: TypeAlias = Callable[[str], bytes]
_URI: Final = re.compile(r'URI="([^"]+)"')


def play_through(master_url: str, ffmpeg: str) -> Iterator[str]:
    """
    Fetch and decode every rendition of a video; yield a line of text about each.

    Args:
        master_url: The address of the video's multivariant playlist.
        ffmpeg: The path of the program ffmpeg.

    Raises:
        CliError: A file is missing or cannot be decoded.
    """
    with fetching() as get, tempfile.TemporaryDirectory() as folder:
        master = _playlist(get, master_url)
        renditions = list(dict.fromkeys(_addresses(master, master_url)))
        if not renditions:
            raise CliError(f"{master_url} names no rendition.")
        for number, url in enumerate(renditions):
            name = Path(urlsplit(url).path).stem
            media = Path(folder) / f"{number}.mp4"
            segments = _fetch(get, url, media)
            _decode(ffmpeg, media, name)
            size_kb = media.stat().st_size // 1000
            yield f"{name}: {segments} segments, {size_kb} kB, decoded"


def _playlist(get: Get, url: str) -> str:
    text = get(url).decode()
    if not text.startswith("#EXTM3U"):
        raise CliError(f"{urlsplit(url).path} is not a playlist.")
    return text


def _addresses(playlist: str, base_url: str) -> Iterator[str]:
    """Yield the addresses that a playlist names, in the playlist's order."""
    for line in playlist.splitlines():
        if line.startswith(("#EXT-X-MAP:", "#EXT-X-MEDIA:")):
            for uri in _URI.findall(line):
                yield urljoin(base_url, uri)
        elif line and not line.startswith("#"):
            yield urljoin(base_url, line)


def _fetch(get: Get, url: str, media: Path) -> int:
    playlist = _playlist(get, url)
    if "#EXT-X-ENDLIST" not in playlist:
        raise CliError(f"{urlsplit(url).path} has no end.")
    addresses = list(_addresses(playlist, url))
    with media.open("wb") as file:
        for address in addresses:
            # An init segment and its media segments make a file (ISO 23000-19).
            file.write(get(address))
    return sum("EXTINF" in line for line in playlist.splitlines())


def _decode(ffmpeg: str, media: Path, name: str) -> None:
    # -xerror: the first error ends it, with a status.
    command = [
        *(ffmpeg, "-nostdin", "-v", "error", "-xerror"),
        *("-i", f"file:{media}", "-f", "null", "-"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own arguments
    if done.returncode != 0 or done.stderr.strip():
        raise CliError(f"{name} cannot be decoded: {done.stderr.strip()[:500]}")
