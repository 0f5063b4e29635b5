"""``hv fsck``: find and repair differences between the database and the storage."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import attrs
import click

from hvcore.domain.ids import VideoId
from hvcore.services.repair.damages import GRACE, Damage, Repair, Scope
from hvcore_cli.invocation import (
    HvCommand,
    Invocation,
    duration_option,
    pass_invocation,
)
from hvcore_cli.output import json_option, print_json, put, say

_AGAIN: Final = (
    "What a worker is to encode is repaired once that is done; run hv fsck again then."
)


@click.command(cls=HvCommand)
@click.option("--org", help="Only check the videos and files of this organization.")
@click.option("--video", help="Only check this video and its files.")
@click.option(
    "--personal",
    metavar="VIDEO",
    help="Only tell where the database has personal data of this video; change "
    "nothing.",
)
@click.option(
    "--hashes",
    is_flag=True,
    help="Read every byte of the files, and compare checksums.",
)
@click.option("--repair", is_flag=True, help="Repair what is found, step by step.")
@click.option(
    "--give-up",
    is_flag=True,
    help="With --repair and --org or --video: also give up files that cannot be "
    "made again.",
)
@click.option(
    "--bring-back",
    is_flag=True,
    help="Only move files back that repairs have put in quarantine: all of them, "
    "or those of --video.",
)
@click.option(
    "--grace",
    callback=duration_option,
    help="The age from which leftover files are removed, such as 12h; default 7d.",
)
@json_option
@pass_invocation
def fsck(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    org: str | None,
    video: str | None,
    personal: str | None,
    hashes: bool,
    repair: bool,
    give_up: bool,
    bring_back: bool,
    grace: float | None,
    as_json: bool,
) -> None:
    """
    Compare the database with the storage, both ways, while the service runs.

    Without --repair nothing is changed. The exit status is 1 if faults are found, or
    with --repair, if a fault was not repaired.
    """
    if personal is not None:
        if org or video or hashes or repair or give_up or grace is not None:
            raise click.UsageError("--personal stands alone, or with --json.")
        _show_personal(invocation, VideoId(personal), as_json=as_json)
        return
    if bring_back:
        if org or hashes or repair or give_up or grace is not None or as_json:
            raise click.UsageError("--bring-back stands alone, or with --video.")
        _bring_back(invocation, None if video is None else VideoId(video))
        return
    if give_up and not (repair and (org or video)):
        # A storage that is not mounted looks like one in which everything is lost.
        raise click.UsageError("--give-up needs --repair, and --org or --video.")
    scope = Scope(
        org_id=org,
        video_id=None if video is None else VideoId(video),
        reads_bytes=hashes,
        grace=GRACE if grace is None else timedelta(seconds=grace),
    )
    run = _Run(repairs=repair, gives_up=give_up, is_quiet=as_json)
    with invocation.services() as services:
        if repair:
            services.fsck.refuse_wrong_database(scope)
            services.quarantine.expire()
        records = [
            record
            for damage in services.fsck.damages(scope, looked_at=run.looked_at)
            for record in run.treat(damage)
        ]
    if as_json:
        print_json({"damages": records, "videos": run.videos, "left": run.left})
    run.sum_up()
    if run.left:
        click.get_current_context().exit(1)


def _bring_back(invocation: Invocation, video_id: VideoId | None) -> None:
    with invocation.services() as services:
        moved = services.quarantine.bring_back(video_id)
    say(f"{moved} files are where they were before. What is in use again, is kept.")


def _show_personal(invocation: Invocation, video_id: VideoId, *, as_json: bool) -> None:
    """Count the rows with personal data of a video, by column; show no data."""
    with invocation.services() as services:
        left = services.erasure.left(video_id)
    if as_json:
        print_json({"videoID": video_id, "personal": left})
    else:
        for place, rows in left.items():
            put(f"{place}: {rows} rows")
        if not left:
            say(f"Nothing personal of {video_id} is left.")
    if left:
        click.get_current_context().exit(1)


@attrs.define(kw_only=True)
class _Run:
    """
    One call of the command.

    Attributes:
        left: Damages of which nothing was done.
    """

    repairs: bool
    gives_up: bool
    is_quiet: bool
    found: int = 0
    left: int = 0
    videos: int = 0

    def looked_at(self, videos: int) -> None:
        """Store the number of videos that were compared so far."""
        self.videos = videos

    def treat(self, damage: Damage) -> Iterator[dict[str, object]]:
        """
        Print a damage, and carry out its repair if the options allow that.

        Yields:
            The damage's record, only if records are to be printed as JSON: a million
            damages would take much memory.
        """
        self.found += 1
        outcome = None
        repair = damage.repair
        self._put(_line(damage))
        if repair is None:
            self.left += 1
            self._put(f"    not repaired yet: {damage.why_not}")
        elif not self.repairs:
            self.left += 1
            self._put(f"    {_option(repair)} would {repair.step}")
        elif repair.gives_up and not self.gives_up:
            self.left += 1
            self._put(f"    not done: only {_option(repair)} would {repair.step}")
        else:
            self._put(f"    now: {repair.step}")
            outcome = repair.carry_out()
            self._put(f"    done: {outcome}")
        if self.is_quiet:
            yield _record(damage, outcome)

    def sum_up(self) -> None:
        """Print the numbers of damages that were found and repaired."""
        if not self.found:
            say("Nothing is wrong.")
            return
        say(f"{self.found} found, {self.found - self.left} repaired or ordered.")
        if self.repairs:
            say(_AGAIN)

    def _put(self, text: str) -> None:
        if not self.is_quiet:
            put(text)


def _option(repair: Repair) -> str:
    return "--repair --give-up" if repair.gives_up else "--repair"


def _line(damage: Damage) -> str:
    of = " ".join(one for one in (damage.org_id, damage.video_id) if one)
    where = f" ({damage.path})" if damage.path else ""
    return f"{damage.kind.value}: {of}: {damage.what}{where}"


def _record(damage: Damage, outcome: str | None) -> dict[str, object]:
    repair = damage.repair
    return {
        "kind": damage.kind.value,
        "orgID": damage.org_id,
        "videoID": damage.video_id,
        "path": damage.path or None,
        "what": damage.what,
        "repair": repair.step if repair else None,
        "givesUp": repair.gives_up if repair else False,
        "whyNot": damage.why_not or None,
        "outcome": outcome,
    }
