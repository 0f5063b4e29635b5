"""
One more metric of playback is one more declaration, also for tables that are full.
"""

import json
import subprocess
import sys
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.playback_metrics import COLUMNS, PlayerReport
from hvcore.domain.analytics.segments import ALL_TIME, VideoScope
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.testing.analytics.served import VIDEO, batch, reported
from hvcore_analytics_sql.backend import SqlAnalytics
from hvcore_analytics_sql.tables import quality_days
from tests.support.further_metric import DROPPED, MUTED


def run_with_more(engine: Engine) -> dict[str, Any]:
    url = engine.url.render_as_string(hide_password=False)
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.further_metric", url],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_each_metric_has_its_columns_in_the_table() -> None:
    keys = {column.name for column in quality_days.primary_key}

    names = [name for name in quality_days.columns.keys() if name not in keys]  # noqa: SIM118 - its names

    assert names == [column.name for column in COLUMNS]


def test_a_metric_that_is_declared_goes_from_the_player_to_the_answer(
    engine: Engine,
) -> None:
    """
    Into tables that were made and filled before; what was told then stays.
    """
    before = SqlAnalytics(PluginDatabase(engine))
    before.prepare()
    before.write(batch(reported(PlayerReport(has_starved=True, buffer_ms=9))))

    result = run_with_more(engine)

    assert (result["was_prepared"], result["is_prepared"]) == (False, True)
    assert [line.rpartition(" ")[0] for line in result["lines"]] == [
        " b- - - - dropped_frames=3",
        " -- - - - dropped_frames=5 muted=1",
        " -s - - -",
    ]
    (day,) = result["days"]
    assert (day["reports"], day["rebufferingReports"], day["maxBufferMs"]) == (4, 2, 9)
    assert list(day.items())[-5:] == [
        ("droppedFramesReports", 2),
        ("avgDroppedFrames", 4.0),
        ("minDroppedFrames", 3),
        ("maxDroppedFrames", 5),
        ("mutedReports", 1),
    ]


def test_who_does_not_know_a_new_metric_goes_on_writing(engine: Engine) -> None:
    store = SqlAnalytics(PluginDatabase(engine))
    store.prepare()
    run_with_more(engine)
    with engine.connect() as connection:
        names = {
            one["name"] for one in sa.inspect(connection).get_columns(quality_days.name)
        }

    store.write(batch(reported(PlayerReport(), "vid_kit_2"), file="old.log"))
    store.write(batch(reported(PlayerReport(is_startup=True)), file="old-2.log"))

    new = {column.name for column in (*DROPPED.columns, *MUTED.columns)}
    assert new < names
    assert store.is_prepared()
    (day,) = store.quality(VideoScope(video_id=VIDEO), ALL_TIME)
    assert (day.quality.reports, day.quality.startups) == (4, 2)
