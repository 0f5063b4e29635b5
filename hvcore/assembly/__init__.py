"""
Build the services from the settings (composition root).

Other programs use the functions of ``hvcore.embedding`` instead. Every service is made when it is
first asked for, so that each process loads and connects only what it uses. Build after a
fork, never before.
"""

from collections.abc import Mapping
from pathlib import Path

from hvcore.assembly.recipe import OVERRIDABLE, Recipe
from hvcore.assembly.services import Services
from hvcore.errors import ConfigError
from hvcore.persistence.engine import CONNECTIONS
from hvcore.settings import Settings

__all__ = ["OVERRIDABLE", "Services", "build"]


def build(  # noqa: PLR0913 - each has a default
    settings: Settings,
    *,
    work_dir: Path | None = None,
    overrides: Mapping[str, object] | None = None,
    rings: bool = True,
    connections: int = CONNECTIONS,
    answers_requests: bool = False,
) -> Services:
    """
    Return the services of a process, wired together as the settings say.

    Args:
        work_dir: A folder for temporary files; default in the data folder.
        overrides: Ready-made ports by name, instead of the chosen backends:
            ``clock``, ``storage``, ``transcoder``, ``transcriber``, ``queue``, ``outbound``,
            ``rate_limit_store``, ``analytics_store``, ``mailer``;
            ``auth_providers``, a tuple, and ``further_auth_providers``, which are
            asked before those of the settings; ``sign_in_providers`` and ``cache_invalidators``,
            mappings by their names; ``analytics_sinks`` and ``further_subscribers``,
            likewise, beside what the settings choose and plugins add; and ``engine``, another program's engine of
            the database. None and an empty group leave the choice to the settings.
        rings: Whether new tasks are put into the queue right after a commit. A tool
            without a connection to the queue leaves that to the sweep.
        connections: The most connections to a database server at a time, at least 5: as
            many as threads use the services.
        answers_requests: Whether callers wait for the answers: a database server that
            is silent is waited for as ``database.timeout_s`` says, not for half a
            minute.

    Raises:
        ConfigError: An override names something that cannot be overridden.
    """
    overrides = dict(overrides or {})
    if unknown := overrides.keys() - OVERRIDABLE:
        raise ConfigError(
            f"Cannot override {', '.join(sorted(unknown))}; possible are "
            f"{', '.join(sorted(OVERRIDABLE))}."
        )
    folder = work_dir or settings.data_dir / "work"
    return Services(
        Recipe(
            settings=settings,
            work_dir=folder,
            overrides=overrides,
            rings=rings,
            connections=connections,
            answers_requests=answers_requests,
        )
    )
