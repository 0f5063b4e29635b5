"""``hv upload``: upload a video as a client of the API."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from hvcore_cli.commands.videos.quality import quality_option
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.output import json_option, print_json, put, say


def _tags(
    _context: click.Context, _parameter: click.Parameter, given: Sequence[str]
) -> Sequence[str]:
    for tag in given:
        if "," in tag:
            raise click.BadParameter(f"{tag!r} has a comma; give --tag twice instead.")
    return given


def _pairs(
    _context: click.Context, _parameter: click.Parameter, given: Sequence[str]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in given:
        key, sign, value = pair.partition("=")
        if not sign or not key or not value:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE.")
        found[key] = value
    return found


@click.command(cls=HvCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", help="The video's name; by default the name of the file.")
@quality_option
@click.option("--public", is_flag=True, help="Allow playback without a token.")
@click.option(
    "--external-id", help="Your own ID of the video; no other video may have it."
)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    callback=_tags,
    help="A tag of the video; repeatable.",
)
@click.option(
    "--metadata",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_pairs,
    help="Metadata of the video; repeatable.",
)
@click.option("--wait", is_flag=True, help="Wait until the video can be played.")
@click.option(
    "--env",
    default="live",
    show_default=True,
    help="The environment whose first key is used if HV_API_KEY is not set.",
)
@json_option
@pass_invocation
def upload(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    file: Path,
    name: str | None,
    quality: str,
    public: bool,
    external_id: str | None,
    tags: Sequence[str],
    metadata: dict[str, str],
    wait: bool,
    env: str,
    as_json: bool,
) -> None:
    """
    Upload FILE as a client of the API.

    The service is the one of HV_API_URL and HV_API_KEY, or the one that hv up
    runs on the data folder. HV_API_URL is called through the proxy in HTTPS_PROXY,
    unless the address is on this machine or in NO_PROXY.
    """
    from hvcore_cli.commands.videos.api_access import api_client  # noqa: PLC0415 - not for --help
    from hvcore_cli.commands.videos.uploading import (  # noqa: PLC0415
        UploadWanted,
        send,
        wait_until_ready,
    )
    from hvcore_client import playback_url  # noqa: PLC0415
    from hvcore_client.generated.upload_settings import UploadSettings  # noqa: PLC0415

    labels: UploadSettings = {}
    if external_id:
        labels["external_id"] = external_id
    if tags:
        labels["tags"] = tags
    if metadata:
        labels["metadata"] = metadata
    wanted = UploadWanted(
        path=file, name=name, quality=quality, is_public=public, labels=labels
    )
    with api_client(invocation, os.environ, env) as client:
        video_id = send(client, wanted)
        record = {"videoID": video_id, "status": "transcoding"}
        if wait:
            video = wait_until_ready(client, video_id)
            token = None
            if video.playback.needs_token:
                signed = client.get_signed_url(video_id).signed_url
                token = signed.partition("?token=")[2]
            record |= {
                "status": "ready",
                "playbackURL": playback_url(video, token),
                "embedURL": playback_url(video, token, of="embed"),
            }
    if as_json:
        print_json(record)
        return
    put(video_id)
    if wait:
        until = " for an hour" if video.playback.needs_token else ""
        say(f"Its page plays{until}: {record['embedURL']}")
        say(f"Its playlist plays{until}: {record['playbackURL']}")
