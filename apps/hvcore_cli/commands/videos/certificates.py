"""``hv videos certificate``: make signed proof that a video's files were deleted."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import click

from hvcore.assembly import Services
from hvcore.errors import ConflictError
from hvcore.services.videos.deletion_certificates import FORMAT
from hvcore.signing.documents import SignatureBrokenError, check_signed
from hvcore_cli.invocation import CliError, HvCommand, Invocation, pass_invocation
from hvcore_cli.output import json_option, print_json, put, say

_DAYS: Final = re.compile(r"([1-9][0-9]{0,4})d")


def _since(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> datetime | None:
    if value is None:
        return None
    found = _DAYS.fullmatch(value)
    if found:
        return datetime.now(UTC) - timedelta(days=int(found[1]))
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(
            "give a number of days such as 30d, or a moment such as 2026-01-31 or "
            "2026-01-31T12:00:00Z"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@click.command(cls=HvCommand)
@click.option(
    "--deleted", metavar="VIDEO_ID", help="Make the certificate of this deleted video."
)
@click.option(
    "--since",
    callback=_since,
    help="Make the certificates of all videos deleted since then: 30d, or a moment"
    " such as 2026-01-31.",
)
@click.option(
    "--check",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Check the certificates in this file instead of making any.",
)
@click.option(
    "--public-key",
    help="With --check: the public key that must have signed; by default this "
    "installation's.",
)
@click.option(
    "--org",
    help="The organization; by default org_local with --deleted, and all with --since.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the certificates into this file, as --check reads them.",
)
@json_option
@pass_invocation
def certificate(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    deleted: str | None,
    since: datetime | None,
    check: Path | None,
    public_key: str | None,
    org: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """
    Make signed certificates that videos were deleted, after a check of the storage.

    A video that is not yet deleted completely gets no certificate: the refusal says
    when to try again, and the exit status is 1.
    """
    if sum(one is not None for one in (deleted, since, check)) != 1:
        raise click.UsageError("Name one of --deleted, --since and --check.")
    if check is not None:
        _check(invocation, check, public_key)
        return
    with invocation.services() as services:
        if deleted is not None:
            wanted: Sequence[tuple[str, str]] = [(org or "org_local", deleted)]
        else:
            assert since is not None  # noqa: S101 - one of three, see above
            wanted = services.deletion_certificates.deleted_since(since, org_id=org)
        made, refused = _make(services, wanted)
    # One stands by itself, as does its file.
    document = made[0] if deleted and made else {"certificates": made}
    if out is not None and made:
        _write(out, document)
    if as_json and (made or not deleted):
        print_json(document)
    elif not as_json:
        for one in made:
            put("\n".join(_lines(one)))
    for why in refused:
        say(why)
    if refused:
        click.get_current_context().exit(1)


def _make(
    services: Services, wanted: Sequence[tuple[str, str]]
) -> tuple[list[dict[str, object]], list[str]]:
    made: list[dict[str, object]] = []
    refused = []
    for org_id, video_id in wanted:
        try:
            made.append(services.deletion_certificates.make(org_id, video_id))
        except ConflictError as exc:
            refused.append(exc.detail)
    return made, refused


def _write(out: Path, document: object) -> None:
    try:
        out.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    except OSError as exc:
        raise CliError(f"{out} cannot be written: {exc.strerror}.") from exc


def _check(invocation: Invocation, file: Path, public_key: str | None) -> None:
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except OSError as exc:
        raise CliError(f"{file} cannot be read: {exc.strerror}.") from exc
    except ValueError as exc:
        raise CliError(f"{file} is no JSON document.") from exc
    if public_key is None:
        with invocation.unmigrated_services() as services:
            public_key = services.document_signer.public_key
    several = read.get("certificates") if isinstance(read, dict) else None
    found = several if isinstance(several, list) else [read]
    if not found:
        raise CliError(f"{file} has no certificate.")
    for number, one in enumerate(found, start=1):
        try:
            document = check_signed(one, public_key=public_key)
        except SignatureBrokenError as exc:
            raise CliError(f"{file}, certificate {number}: {exc}") from exc
        if document.get("format") != FORMAT:
            raise CliError(
                f"{file}, certificate {number}: it is signed, but no certificate of a "
                "deletion that this version knows."
            )
        video = document["video"]
        put(f"good: {video['videoID']} of {video['orgID']}, made {document['madeAt']}")


def _lines(signed: Mapping[str, Any]) -> Iterator[str]:
    """Write a certificate for people."""
    document = signed["document"]
    video, deleted = document["video"], document["deleted"]
    yield f"Deletion of {video['videoID']} ({video['publicID']})"
    yield f"  of {video['orgID']}, environment {video['envID']}"
    reason = f", reason {deleted['reason']}" if deleted["reason"] else ""
    by = deleted["by"] or "somebody that was not written down"
    yield f"  deleted {deleted['at']} by {by}{reason}"
    yield "Removed"
    for one in document["removed"]:
        size = f", {one['bytes']} bytes" if one.get("bytes") else ""
        yield (
            f"  {one['kind']}: {one['place']}: {one['pieces']}{size}, "
            f"{one['firstAt']} to {one['lastAt']}, by {one['by']}"
        )
    if not document["removed"]:
        yield "  nothing was written down when it was deleted"
    yield "Looked at"
    for one in document["lookedAt"]:
        yield f"  {one['at']}: {one['objects']} objects under {one['place']}"
    yield "Stays"
    for one in document["stays"]:
        yield f"  {one['table']}: {one['rows']} rows: {one['why']}"
    yield "Not covered"
    for text in document["notCovered"]:
        yield f"  {text}"
    yield f"Signed {signed['digest']}"
    yield f"  with the key {signed['signature']['publicKey']}"
