"""``hv demo``: start a service, upload a file, and show its playing video."""

import asyncio
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click

from hvcore.extras import install_command
from hvcore_cli.commands.videos.quality import quality_option
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import (
    DEFAULT_DATA,
    CliError,
    HvCommand,
    Invocation,
    pass_invocation,
)
from hvcore_cli.output import put, say
from hvcore_cli.processes.local_service import LocalService, running
from hvcore_cli.processes.up import HIGHEST_PORT, Pair, open_pair, tell, until_stopped
from hvcore_web.documentation.site import documentation_url

DEFAULT_PORT: Final = 8080
OTHER_PORTS: Final = range(18_080, 18_180, 2)
CLIP_SECONDS: Final = 10


@click.command(cls=HvCommand)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--check", is_flag=True, help="Play the video once, then exit.")
@click.option(
    "--port",
    type=click.IntRange(1, HIGHEST_PORT),
    help="The port of the API; 8080 by default, or another port if 8080 is taken.",
)
@quality_option
@pass_invocation
def demo(
    invocation: Invocation,
    *,
    file: Path | None,
    check: bool,
    port: int | None,
    quality: str,
) -> None:
    """Start a service, upload FILE or a generated clip, and serve it."""
    if file is not None:
        from hvcore_cli.commands.videos.uploading import check_file  # noqa: PLC0415 - pays for rich

        check_file(file)
    folder = DataFolder(invocation.data)
    folder.make()
    with folder.locked(), ExitStack() as sockets:
        service = LocalService(
            invocation,
            listeners=_free_pair(port, sockets),
            workers=None,
            tell=tell,
        )
        asyncio.run(
            until_stopped(
                lambda: _demonstrate(service, file, quality=quality, checks=check)
            )
        )


async def _demonstrate(
    service: LocalService, file: Path | None, *, quality: str, checks: bool
) -> None:
    # Before any thread: a fork must not find another thread loading a module.
    # These are what the threads of _show and _check load.
    import hvcore_cli.commands.videos.api_access  # noqa: PLC0415
    import hvcore_cli.commands.videos.uploading  # noqa: F401, PLC0415

    clip = asyncio.create_task(asyncio.to_thread(_clip, service.folder, file))
    say("hv: starts the service")
    try:
        async with running(service):
            say(f"hv: the API is at {service.addresses.api_url}")
            # Blocking calls in a thread: this one keeps the processes running.
            video_id, playlist = await asyncio.to_thread(
                _show, service, await clip, quality
            )
            if checks:
                await asyncio.to_thread(_check, playlist)
                return
            put(next_steps(service, video_id))
            say("hv: serves until it is stopped (Ctrl-C)")
            await service.failed()
    finally:
        clip.cancel()


def _show(service: LocalService, clip: Path, quality: str) -> tuple[str, str]:
    """
    Upload the clip, wait until it plays, and print where.

    Returns:
        Its id, and the address of its playlist.
    """
    from hvcore_cli.commands.videos.api_access import client_at  # noqa: PLC0415 - while processes start
    from hvcore_cli.commands.videos.uploading import (  # noqa: PLC0415
        UploadWanted,
        send,
        wait_until_ready,
    )

    key = service.folder.first_keys().get("live")
    if key is None:
        raise CliError(f"{service.folder.first_keys_file} has no key for live.")
    wanted = UploadWanted(path=clip, quality=quality, is_public=True)
    with client_at(service.addresses.api_url, key) as client:
        video_id = send(client, wanted)
        plays = wait_until_ready(client, video_id).playback
    put(f"player    {plays.embed_url}")
    put(f"playlist  {plays.playlist_url}")
    return video_id, plays.playlist_url


def next_steps(service: LocalService, video_id: str) -> str:
    """Return the text of ``hv demo`` with the API keys and three commands to try next."""
    at, keys = service.addresses, service.folder.first_keys()
    key = keys.get("live", "KEY")
    with_key = f"-H 'X-Api-Key: {key}'"
    data = (
        ""
        if service.folder.path == DEFAULT_DATA.absolute()
        else (f" --data {shlex.quote(str(service.folder.path))}")
    )
    lines = [
        f"docs      {documentation_url(at.api_url)}",
        f"keys      {service.folder.first_keys_file}",
        *(f"  {name:<8}{value}" for name, value in keys.items()),
        "Next, in another terminal:",
        f"  curl -s {at.api_url}/v1/videos {with_key}",
        f"  curl -s -X POST {at.api_url}/v1/videos/{video_id}/share {with_key}",
        f"  {_own_command()} upload FILE --wait{data}",
    ]
    return "\n".join(lines)


def _own_command() -> str:
    """Return the command that starts this program again, quoted for a shell."""
    started = Path(sys.argv[0])
    if started.name != "hv":
        # python -m hvcore_cli.
        return "hv"
    return shlex.quote(
        os.path.relpath(started) if started.is_absolute() else str(started)
    )


def _check(playlist: str) -> None:
    """Play the video through, every rung of it."""
    from hvcore_cli.commands.videos.playback_check import play_through  # noqa: PLC0415 - only for --check

    for line in play_through(playlist, _ffmpeg()):
        say(f"hv: {line}")
    say("hv: everything plays")


def _free_pair(port: int | None, sockets: ExitStack) -> Pair:
    if port is not None:
        return open_pair("127.0.0.1", port, sockets)
    for candidate in (DEFAULT_PORT, *OTHER_PORTS):
        with ExitStack() as attempt:
            try:
                pair = open_pair("127.0.0.1", candidate, attempt, patience_s=0)
            except CliError:
                continue
            sockets.enter_context(attempt.pop_all())
            return pair
    raise CliError("No port is free; name one with --port.")


def _clip(folder: DataFolder, file: Path | None) -> Path:
    """Return the file to upload; make one the first time, if none is given."""
    if file is not None:
        return file
    clip = folder.path / "demo-clip.mp4"
    if clip.exists():
        return clip
    unfinished = clip.with_name(".demo-clip.mp4")
    command = [
        *(_ffmpeg(), "-y", "-nostdin", "-loglevel", "error"),
        *("-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30"),
        *("-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000"),
        *("-t", str(CLIP_SECONDS), "-c:v", "libx264", "-preset", "ultrafast"),
        *("-pix_fmt", "yuv420p", "-c:a", "aac", str(unfinished)),
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own arguments
    if made.returncode != 0:
        raise CliError(f"ffmpeg could not make a clip: {made.stderr.strip()}")
    unfinished.replace(clip)
    return clip


def _ffmpeg() -> str:
    """Return the path of an ffmpeg: the machine's, else the one from PyPI."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        import imageio_ffmpeg  # noqa: PLC0415 - an optional package
    except ImportError as exc:
        raise CliError(
            f"There is no ffmpeg here. Install it, or: {install_command('ffmpeg')}"
        ) from exc
    return str(imageio_ffmpeg.get_ffmpeg_exe())
