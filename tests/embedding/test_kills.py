"""
A host program that is killed in the middle of an order and its upload.
"""

import io
import os
import random
import signal
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from hvcore import failpoints
from hvcore.embedding import EmbeddedVideo, Overrides, VideoState, embed
from tests.embedding.conftest import ENVIRON, sqlite_of_a_host
from tests.embedding.sellers import kill_a_seller
from tests.support.fakes import MemoryQueue

HALVES = """
SELECT id FROM orders WHERE video_id NOT IN (SELECT id FROM hv_videos)
UNION ALL SELECT id FROM hv_videos WHERE id NOT IN (SELECT video_id FROM orders)
UNION ALL SELECT id FROM hv_videos WHERE id NOT IN (SELECT video_id FROM hv_grants)
"""


def sell(folder: Path, told: int) -> None:
    """
    Sell films until this process is killed; a byte for each sold one.
    """
    engine = sa.create_engine(f"sqlite:///{folder}/shop.db")
    hv = embed(
        folder / "hv",
        engine=engine,
        schema="hv",
        environ=ENVIRON,
        overrides=Overrides(queue=MemoryQueue()),
    )
    shop = hv.environment("shop")
    order = sa.text("INSERT INTO orders VALUES ('1', :video_id)")
    is_first = False
    while True:
        is_first = not is_first
        with engine.begin() as connection:
            if is_first:
                connection.execute(sa.text("UPDATE orders SET id = '1' WHERE id = '2'"))
            upload = shop.in_transaction(connection).grant_upload(file_name="a.mp4")
            connection.execute(order, {"video_id": upload.video_id})
        os.write(told, b".")


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize(
    "kills", [6, pytest.param(200, marks=[pytest.mark.long, pytest.mark.timeout(600)])]
)
def test_no_kill_leaves_half_of_an_order_and_its_upload(
    tmp_path: Path, kills: int
) -> None:
    (tmp_path / "shop.db").write_bytes(sqlite_of_a_host())
    chance = random.Random(kills)  # noqa: S311 - moments, not secrets

    sold = sum(kill_a_seller(partial(sell, tmp_path), chance) for _ in range(kills))

    engine = sa.create_engine(f"sqlite:///{tmp_path}/shop.db")
    with engine.connect() as connection:
        halves = connection.execute(sa.text(HALVES)).all()
        orders = connection.execute(sa.text("SELECT count(*) FROM orders")).scalar_one()
    engine.dispose()
    assert halves == []
    # What was told of is there, and at most one more of each seller.
    assert sold <= orders <= sold + kills


FILM = b"\0\0\0\x18ftypmp42" + bytes(100_000)


class KillingStream(io.BytesIO):
    """
    A film whose reader is killed before its end.
    """

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        if not found:
            os.kill(os.getpid(), signal.SIGKILL)
        return found


def import_film(folder: Path, source: io.BytesIO) -> EmbeddedVideo:
    """
    Upload a film under the external ID of its order.
    """
    with embed(
        folder / "hv",
        database_url=f"sqlite:///{folder}/shop.db",
        schema="hv",
        environ=ENVIRON,
        overrides=Overrides(queue=MemoryQueue()),
    ) as hv:
        shop = hv.environment("shop")
        made = shop.upload(source, file_name="a.mp4", external_id="order 1")
        assert [one.id for one in shop.list().videos] == [made.id]
        return made


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("moment", ["stream", "upload.stored", "upload.taken"])
def test_an_upload_whose_process_was_killed_can_be_repeated_at_once(
    tmp_path: Path, moment: str
) -> None:
    (tmp_path / "shop.db").write_bytes(sqlite_of_a_host())
    child = os.fork()
    if child == 0:
        try:
            is_cut = moment == "stream"
            failpoints.arm("" if is_cut else f"{moment}=kill")
            import_film(tmp_path, KillingStream(FILM) if is_cut else io.BytesIO(FILM))
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL

    made = import_film(tmp_path, io.BytesIO(FILM))

    assert (made.external_id, made.state) == ("order 1", VideoState.TRANSCODING)
