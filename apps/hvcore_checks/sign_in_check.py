"""The check of ``hv doctor`` for signing in to the dashboard."""

from collections.abc import Sequence
from typing import Final

from hvcore.assembly import Services
from hvcore.domain.health_findings import HealthFinding, ambiguous, broken, healthy
from hvcore.errors import ConfigError, UnavailableError
from hvcore.ports.sign_in import LINK_BACKEND

CHECK: Final = "sign-in"


def sign_in(services: Services) -> Sequence[HealthFinding]:
    """Check that people can sign in, and say which addresses the identity provider must know."""
    settings = services.settings
    backend = settings.sign_in.backend
    if not settings.dashboard.enabled:
        return [healthy(CHECK, "there is no dashboard: HV_DASHBOARD__ENABLED is false")]
    try:
        sessions = services.sign_in_sessions
    except ConfigError as exc:
        fix = "Correct HV_SIGN_IN__BACKEND and the backend's options."
        return [broken(CHECK, f"{backend}: {exc}", fix)]
    if backend == LINK_BACKEND:
        return [healthy(CHECK, "by one-time links: hv dashboard link")]
    pages = sessions.pages
    register = healthy(
        CHECK,
        f"register at the provider: {pages.callback} (redirect) and "
        f"{pages.signed_out} (after sign-out)",
    )
    provider = sessions.providers[backend]
    doubts = ambiguous(
        CHECK, provider.ambiguous_settings(), "Correct the backend's options."
    )
    try:
        provider.ping()
    except UnavailableError as exc:
        fix = "Start the provider, or correct the backend's options."
        return [broken(CHECK, exc.detail, fix), register, *doubts]
    return [healthy(CHECK, f"{backend}: the provider answers"), register, *doubts]
