"""
A program in which one more metric of playback is declared: frames that were dropped.

It does what a new metric asks for, and nothing else: one entry in ``METRICS`` and two
fields. Then a player tells it, and it goes by the spool into the tables of the
database that is named on the command line, and into the answer.
"""

import json
import sys
from typing import Final

import attrs

from hvcore.domain.analytics import playback_metrics as declared

DROPPED = declared.PlaybackMetric(
    key="dropped_frames",
    sums_as=declared.SumsAs.NUMBERS,
    comes_from="com.example-df",
    report_field="dropped_frames",
    answer_name="droppedFrames",
)
MUTED = declared.PlaybackMetric(
    key="muted",
    sums_as=declared.SumsAs.REPORTS,
    comes_from="com.example-mute",
    report_field="is_muted",
    answer_name="muted",
)
TOLD: Final = ("com.example-df=3,bs", "com.example-df=5,com.example-mute", "su")


@attrs.frozen(kw_only=True)
class Report(declared.PlayerReport):
    """
    What a player tells, with the new fields.
    """

    dropped_frames: int | None = None
    is_muted: bool = False


@attrs.frozen(kw_only=True)
class Quality(declared.PlaybackQuality):
    """
    What players told, likewise.
    """

    dropped_frames: declared.Measured
    muted: int


def declare() -> None:
    """
    Write the new lines of the module, before anybody else imports it.
    """
    for name, value in {
        "METRICS": (*declared.METRICS, DROPPED, MUTED),
        "COLUMNS": (*declared.COLUMNS, *DROPPED.columns, *MUTED.columns),
        "PlayerReport": Report,
        "PlaybackQuality": Quality,
    }.items():
        setattr(declared, name, value)


def main(database_url: str) -> None:
    """
    Print what is answered of the kits' video, after a player told the new metrics.
    """
    # Only now, as if the module had always said all of that.
    from hvcore.domain.analytics.cmcd import player_report  # noqa: PLC0415
    from hvcore.domain.analytics.playback_quality import (  # noqa: PLC0415
        VideoPlaybackQuality,
    )
    from hvcore.domain.analytics.segments import ALL_TIME, VideoScope  # noqa: PLC0415
    from hvcore.persistence.engine import make_engine  # noqa: PLC0415
    from hvcore.persistence.plugin_database import PluginDatabase  # noqa: PLC0415
    from hvcore.spool.lines import encode  # noqa: PLC0415
    from hvcore.spool.tally import read_lines  # noqa: PLC0415
    from hvcore.testing.analytics.served import VIDEO, batch, reported  # noqa: PLC0415
    from hvcore.wire.analytics.video_reports import playback_quality  # noqa: PLC0415
    from hvcore_analytics_sql.backend import SqlAnalytics  # noqa: PLC0415
    from tests.persistence import samples  # noqa: PLC0415

    engine = make_engine(database_url)
    store = SqlAnalytics(PluginDatabase(engine))
    was_prepared = store.is_prepared()
    store.prepare()
    reports = [player_report(text) for text in TOLD]
    notes = [reported(report) for report in reports if report is not None]
    lines = [encode(note).rstrip(b"\n") for note in notes]
    # What the spool said, and not what it was told.
    store.write(
        attrs.evolve(batch(*notes, file="new.log"), quality=read_lines(lines).quality)
    )
    days = store.quality(VideoScope(video_id=VIDEO), ALL_TIME)
    answer = playback_quality(VideoPlaybackQuality(video=samples.video(), days=days))
    result = {
        "was_prepared": was_prepared,
        "is_prepared": store.is_prepared(),
        "lines": [line.decode().partition(VIDEO)[2] for line in lines],
        "days": answer["playbackQuality"],
    }
    print(json.dumps(result))  # noqa: T201 - what it is for
    engine.dispose()


if __name__ == "__main__":
    declare()
    main(sys.argv[1])
