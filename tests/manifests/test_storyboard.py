"""
The index of a storyboard, and the token in its addresses.
"""

from hvcore.domain.processing.media_index import Sprite, Storyboard
from hvcore.domain.processing.transcoding import MediaFile
from hvcore.manifests.rewrite import carry_token_in_storyboard
from hvcore.manifests.storyboard import storyboard_index


def board(*counts: int, interval_s: int = 2) -> Storyboard:
    return Storyboard(
        interval_s=interval_s,
        tile_width_px=160,
        tile_height_px=90,
        columns=2,
        sprites=tuple(
            Sprite(
                path=f"storyboard-a1/{number}.jpg",
                count=count,
                file=MediaFile(size_bytes=1, sha256="0"),
            )
            for number, count in enumerate(counts)
        ),
    )


def test_the_index_names_the_place_of_every_moment() -> None:
    assert storyboard_index(board(3, 1), duration_s=7.32) == (
        "WEBVTT\n"
        "\n"
        "00:00:00.000 --> 00:00:02.000\n"
        "storyboard-0.jpg#xywh=0,0,160,90\n"
        "\n"
        "00:00:02.000 --> 00:00:04.000\n"
        "storyboard-0.jpg#xywh=160,0,160,90\n"
        "\n"
        "00:00:04.000 --> 00:00:06.000\n"
        "storyboard-0.jpg#xywh=0,90,160,90\n"
        "\n"
        "00:00:06.000 --> 00:00:07.320\n"
        "storyboard-1.jpg#xywh=0,0,160,90\n"
    )


def test_times_of_long_videos_have_hours() -> None:
    index = storyboard_index(board(8, interval_s=600), duration_s=4321.0)

    assert "01:10:00.000 --> 01:12:01.000\n" in index


def test_every_address_of_an_index_carries_the_token() -> None:
    index = storyboard_index(board(1, 1), duration_s=4)

    assert carry_token_in_storyboard(index, "a.b$").splitlines() == [
        "WEBVTT",
        "",
        "00:00:00.000 --> 00:00:02.000",
        "storyboard-0.jpg?token=a.b%24#xywh=0,0,160,90",
        "",
        "00:00:02.000 --> 00:00:04.000",
        "storyboard-1.jpg?token=a.b%24#xywh=0,0,160,90",
    ]
