"""``hv conform``: check whether a published video keeps the streaming standards."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote, urlsplit

import click

from hvcore.conformance import CheckReport, Finding, Level, Source, check
from hvcore.domain.ids import is_video_id
from hvcore.domain.videos.states import VideoState
from hvcore.manifests.hls import MASTER
from hvcore.services.playback.playable import Playable
from hvcore_cli.commands.videos.conform_sources import (
    FolderSource,
    StorageSource,
    WebSource,
)
from hvcore_cli.invocation import CliError, HvCommand, Invocation, pass_invocation
from hvcore_cli.output import json_option, print_json, say, show

_COLUMNS: Final = {
    "level": "LEVEL",
    "rule": "RULE",
    "file": "FILE",
    "place": "WHERE",
    "message": "WHAT",
}


@click.command(cls=HvCommand)
@click.argument("video")
@json_option
@pass_invocation
def conform(invocation: Invocation, *, video: str, as_json: bool) -> None:
    """
    Check the video VIDEO: an id, or the address of a multivariant playlist.

    The address is a path, or begins with http, https or file. Nothing is changed. The
    exit status is 1 if the video breaks a rule with MUST.
    """
    with _opened(invocation, video) as (source, name):
        report = check(source, name)
    if as_json:
        print_json(_document(report))
    else:
        _print(report)
    if not report.is_conformant:
        click.get_current_context().exit(1)


@contextmanager
def _opened(invocation: Invocation, video: str) -> Iterator[tuple[Source, str]]:
    if is_video_id(video):
        with _stored(invocation, video) as source:
            yield source, MASTER
        return
    try:
        parts = urlsplit(video)
        _ = parts.port
    except ValueError as exc:
        raise click.BadParameter(f"{video!r} is no address.") from exc
    if parts.scheme in {"http", "https"} and parts.hostname:
        with closing(WebSource(video)) as source:
            yield source, _last(video)
        return
    file = Path(unquote(parts.path) if parts.scheme == "file" else video)
    if parts.scheme not in {"", "file"} or not file.is_file():
        raise click.BadParameter(
            f"{video!r} is not the id of a video, an http or https address, or a file."
        )
    yield FolderSource(file.parent), quote(file.name)


@contextmanager
def _stored(invocation: Invocation, video: str) -> Iterator[StorageSource]:
    with invocation.services() as services:
        entry = services.playback_directory.find(video)
        if entry is None:
            raise CliError(f"There is no video {video}; hv videos list shows them.")
        is_ready = entry.state is VideoState.READY
        if not is_ready or entry.media_root is None:
            raise CliError(
                f"{video} is {entry.state.value}; only a video that is ready has files "
                "to check. hv tasks --video tells what it waits for."
            )
        playable = Playable(
            id=entry.id,
            public_id=entry.public_id,
            org_id=entry.org_id,
            env_id=entry.env_id,
            name=entry.name,
            is_public=entry.is_public,
            media_root=entry.media_root,
            chosen_poster=None,
            load_media=entry.load_media,
        )
        yield StorageSource(delivery=services.delivery, video=playable)


def _last(url: str) -> str:
    """Return the name of the file that an address leads to, with its query."""
    path, mark, query = url.partition("#")[0].partition("?")
    name = path.rpartition("/")[2] if urlsplit(url).path else ""
    # "a:b" alone would read as a scheme.
    return f"{'./' if ':' in name else ''}{name}{mark}{query}"


def _print(report: CheckReport) -> None:
    if report.findings:
        records = [_record(finding) for finding in report.findings]
        show(records, _COLUMNS, name="findings", as_json=False)
    if report.unlisted:
        say(f"{report.unlisted} more of the same kinds are not listed.")
    must, should = report.count(Level.MUST), report.count(Level.SHOULD)
    say(
        f"{'Conformant' if report.is_conformant else 'Not conformant'}: "
        f"{must} MUST and {should} SHOULD not kept; {report.playlists} playlists "
        f"and {report.segments} segments examined."
    )


def _record(finding: Finding) -> dict[str, object]:
    return {
        "level": finding.rule.level.value,
        "rule": finding.rule.id,
        "file": finding.file,
        "place": finding.place or None,
        "message": finding.message,
        "says": finding.rule.says,
        "source": finding.rule.source,
    }


def _document(report: CheckReport) -> dict[str, object]:
    return {
        "conformant": report.is_conformant,
        "findings": [_record(finding) for finding in report.findings],
        "unlisted": report.unlisted,
        "playlists": report.playlists,
        "segments": report.segments,
        "readBytes": report.read_bytes,
    }
