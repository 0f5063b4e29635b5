"""
JSON files of chapters that owners import.
"""

import json

import pytest

from hvcore.domain.processing.chapters import MAX_CHAPTERS
from hvcore.domain.videos.chapter_json import read_json_chapters
from hvcore.errors import InvalidParametersError


@pytest.mark.parametrize(
    "found",
    [
        {
            "chapters": [
                {"startSeconds": 0, "endSeconds": 1.5, "title": "A"},
                {"startSeconds": 1.5, "endSeconds": 9, "title": "B"},
            ]
        },
        {
            "version": "1.2.0",
            "chapters": [
                {"startTime": 0, "title": "A"},
                {"startTime": 1.5, "title": "B", "img": "https://example.com/"},
            ],
        },
        [
            {"chapter": 1, "start-time": 0, "titles": [{"title": "A"}]},
            {"chapter": 2, "start-time": 1.5, "titles": [{"title": "B"}]},
        ],
    ],
    ids=["the service", "podcasts", "Apple"],
)
def test_chapters_are_read_as_programs_write_them(found: object) -> None:
    data = json.dumps(found).encode()

    assert read_json_chapters(data) == ((0, "A"), (1500, "B"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "must be a JSON list"),
        (b"[" * 100_000, "must be a JSON list"),
        (b"\xff", "must be a JSON list"),
        (b"{}", "must be a JSON list"),
        (b"[]", "must be a JSON list"),
        (b'{"chapters": {}}', "must be a JSON list"),
        (b"[1]", "Chapter 1"),
        (b'[{"startTime": 0}]', "Chapter 1"),
        (b'[{"startTime": 0, "title": " "}]', "Chapter 1"),
        (b'[{"startTime": 0, "titles": [1]}]', "Chapter 1"),
        (b'[{"title": "A"}]', "Chapter 1"),
        (b'[{"startTime": "0", "title": "A"}]', "Chapter 1"),
        (b'[{"startTime": true, "title": "A"}]', "Chapter 1"),
        (b'[{"startTime": -1, "title": "A"}]', "Chapter 1"),
        (b'[{"startTime": NaN, "title": "A"}]', "Chapter 1"),
        (b'[{"startTime": 1e999, "title": "A"}]', "Chapter 1"),
        (b'[{"startTime": 43201, "title": "A"}]', "Chapter 1"),
        (
            json.dumps([{"startTime": 0, "title": "x" * 201}]).encode(),
            "chapter 1 has 201",
        ),
        (
            json.dumps([{"startTime": 0, "title": "A"}] * (MAX_CHAPTERS + 1)).encode(),
            "at most 500 chapters",
        ),
    ],
)
def test_a_file_that_has_no_chapters_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InvalidParametersError, match=said):
        read_json_chapters(data)
