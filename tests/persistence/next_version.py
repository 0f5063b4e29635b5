"""
The version after this one, made up: a further expand and a contract.
"""

import shutil
from pathlib import Path
from typing import Final

from hvcore.persistence.schema_version import NEWEST_CONTRACT, NEWEST_EXPAND
from tests.persistence.migration_rules import MIGRATIONS

FOLLOWING: Final = f"{int(NEWEST_EXPAND) + 1:04}"
FOLLOWING_CONTRACT: Final = f"contract_{int(NEWEST_CONTRACT[-4:] or 0) + 1:04}"
ADDS: Final = """
    op.add_column("videos", sa.Column("mood", sa.Text()))
    op.create_index("ix_videos_mood", "videos", ["mood"])
"""
TAKES_AWAY: Final = 'op.drop_column("videos", "chapters")'

_FILE: Final = '''"""
Made up.
"""

import sqlalchemy as sa
from alembic import op

revision = {revision!r}
down_revision = {down!r}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """
    Change the tables.
    """
    {body}
'''


def next_migrations(
    parent: Path, *, expand: str = ADDS, contract: str | None = None
) -> Path:
    """
    Copy the migrations, and put others behind them; return their folder.

    Args:
        expand: The body of the expand.
        contract: That of a contract, if there is one.
    """
    folder = parent / "migrations"
    shutil.copytree(MIGRATIONS, folder, ignore=shutil.ignore_patterns("*.pyc"))
    add_migrations(folder, expand=expand, contract=contract)
    return folder


def add_migrations(
    folder: Path, *, expand: str = ADDS, contract: str | None = None
) -> None:
    """
    Put further migrations into a folder; see next_migrations.
    """
    text = _FILE.format(revision=FOLLOWING, down=NEWEST_EXPAND, body=expand)
    (folder / "versions" / "following.py").write_text(text)
    if contract is not None:
        down = NEWEST_CONTRACT or None
        text = _FILE.format(revision=FOLLOWING_CONTRACT, down=down, body=contract)
        (folder / "contracts" / "following.py").write_text(text)
