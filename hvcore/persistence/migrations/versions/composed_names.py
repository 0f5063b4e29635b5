"""Compare names with composed letters (Unicode NFC), also names that older versions write."""

from alembic import op

revision = "0023"
down_revision = "0022"

# Until the contract, because of older versions beside us. Beside a file of SQLite none
# run: hv up has ended all processes before.
COMPOSING = (
    """
    CREATE FUNCTION {compose_video_name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.name_folded := normalize(NEW.name_folded, NFC);
      RETURN NEW;
    END $$
    """,
    """
    CREATE TRIGGER {compose_video_name} BEFORE INSERT OR UPDATE OF name_folded
    ON {videos} FOR EACH ROW WHEN (NEW.name_folded IS NOT NFC NORMALIZED)
    EXECUTE FUNCTION {compose_video_name}()
    """,
)


def upgrade() -> None:
    """Have PostgreSQL compose names that are written; see videos.composed_names for the stored ones."""
    bind = op.get_bind()
    if bind.dialect.name != "postgresql":
        return
    # Of other encodings it composes nothing.
    if bind.exec_driver_sql("SHOW server_encoding").scalar_one() == "UTF8":
        for statement in COMPOSING:
            op.execute(statement)
