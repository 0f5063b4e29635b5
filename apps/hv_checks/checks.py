"""
The checks of an installation, by name, in the order of their findings.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from hv_checks.backend_checks import (
    analytics,
    database,
    disk,
    limits,
    queue,
    search,
    storage,
)
from hv_checks.machine_checks import (
    dashboard,
    edge,
    player,
    private_files,
    python,
    sandbox,
)
from hv_checks.notify_check import notify
from hv_checks.settings_checks import auth, fetch, keys, mail, plugins, spool
from hv_checks.sign_in_check import sign_in
from hv_checks.transcoder_checks import jobs, transcoder
from hvcore.assembly import Services, build
from hvcore.domain.health_findings import BROKEN, HealthFinding
from hvcore.errors import HvcoreError
from hvcore.settings import Settings

Check: TypeAlias = Callable[[Services], Sequence[HealthFinding]]

CHECKS: Final[Mapping[str, Check]] = {
    "python": python,
    "database": database,
    "search": search,
    "storage": storage,
    "notify": notify,
    "disk": disk,
    "auth": auth,
    "keys": keys,
    "queue": queue,
    "limits": limits,
    "analytics": analytics,
    "fetch": fetch,
    "spool": spool,
    "mail": mail,
    "edge": edge,
    "plugins": plugins,
    "transcoder": transcoder,
    "jobs": jobs,
    "sandbox": sandbox,
    "player": player,
    "dashboard": dashboard,
    "sign-in": sign_in,
    "secrets": private_files,
}


def examine(settings: Settings) -> Iterator[HealthFinding]:
    """
    Yield the findings of every check; what a check cannot do is its finding.

    Services are built anew: a check must not meet what a process made long ago.
    """
    with build(settings, rings=False) as services:
        for name, check in CHECKS.items():
            yield from asked(name, partial(check, services))


def asked(
    name: str, check: Callable[[], Sequence[HealthFinding]]
) -> Sequence[HealthFinding]:
    """
    Return what a check finds, or its failure as the finding.
    """
    try:
        return check()
    except HvcoreError as exc:
        found, mend = str(exc), "See what it says."
    except Exception as exc:  # noqa: BLE001 - one check's failure is its finding
        found, mend = f"{type(exc).__name__}: {exc}", "Report this as a bug of hv."
    return [HealthFinding(state=BROKEN, check=name, found=found, mend=mend)]
