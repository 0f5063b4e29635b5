"""Checks of ``hv doctor`` for the settings: signing keys, fetch hosts, spool and mail."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from hvcore.assembly import Services
from hvcore.domain.health_findings import OK, WARNING, HealthFinding, broken, healthy
from hvcore.errors import HvcoreError, UnavailableError
from hvcore.mail import SmtpMailer, mail_folder
from hvcore.ports.mail import MailRefusedError
from hvcore.spool import make_folder

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


def keys(services: Services) -> Sequence[HealthFinding]:
    """Check that the configured keys for signing and verifying can be used."""
    playback = "HV_PLAYBACK__SIGNING_KEY and HV_PLAYBACK__RETIRED_KEYS"
    uploads = "HV_UPLOADS__SIGNING_KEY"
    made: Mapping[str, Callable[[], object]] = {
        playback: lambda: services.key_ring,
        uploads: lambda: services.upload_signer,
    }
    findings = []
    for names, make in made.items():
        try:
            make()
        except (HvcoreError, ValueError) as exc:
            findings.append(broken("keys", str(exc), f"Correct {names}."))
    return findings or _unopened(services) or [healthy("keys", "can be used")]


def _unopened(services: Services) -> Sequence[HealthFinding]:
    # Another check tells of a database that does not answer, or is not up to date.
    with suppress(UnavailableError):
        if not services.why_unusable():
            return [
                broken(
                    "keys",
                    f"no key for {purpose} can be opened: the secret that seals them "
                    "was replaced",
                    f"Run hv keys rotate-signing --for {purpose}.",
                )
                for purpose, rotation in services.key_rotations.items()
                if not any(state.signs for state in rotation.states())
            ]
    return []


def fetch(services: Services) -> Sequence[HealthFinding]:
    """Check that the setting with the hosts from which files may be fetched is valid."""
    try:
        _ = services.outbound
    except HvcoreError as exc:
        return [broken("fetch", str(exc), "Correct HV_FETCH__ALLOWED_HOSTS.")]
    count = len(services.settings.fetch.allowed_hosts)
    return [healthy("fetch", f"public hosts, and {count} private ones")]


def spool(services: Services) -> Sequence[HealthFinding]:
    """Check that counts can be written to the spool: files in which they wait for the analytics sinks."""
    try:
        make_folder(services.spool_dir)
    except HvcoreError as exc:
        return [broken("spool", str(exc), "Correct HV_ANALYTICS__SPOOL_DIR.")]
    return [healthy("spool", str(services.spool_dir))]


def mail(services: Services) -> Sequence[HealthFinding]:
    """Check that mails could be sent, without sending one."""
    settings = services.settings
    if not settings.mail.url:
        found = f"mails are files in {mail_folder(settings)}"
        fix = "Set HV_MAIL__URL, or share links for one viewer let nobody in."
        is_local = urlsplit(settings.public.player_url).hostname in LOOPBACK
        state = OK if is_local else WARNING
        return [HealthFinding(state=state, check="mail", found=found, fix=fix)]
    mailer = services.mailer
    try:
        if isinstance(mailer, SmtpMailer):
            mailer.check()
    except (UnavailableError, MailRefusedError) as exc:
        return [broken("mail", str(exc), "Correct HV_MAIL__URL, or start the server.")]
    return [healthy("mail", "the mail server answers")]
