"""
Still and moving pictures of moments of a video: the query parameters that ask for them.

Times lie on a grid of tenths of a second, so that ``1``, ``1.0`` and ``1.04`` are one
picture, which is made and kept once.
"""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final, TypeAlias

import attrs

from hvcore.domain.limits import (
    MAX_ANIMATION_PX,
    MAX_ANIMATION_S,
    MIN_THUMBNAIL_PX,
)

TENTHS: Final = 10
"""Steps of the grid in a second."""
DEFAULT_ANIMATION_S: Final = 5
DEFAULT_ANIMATION_PX: Final = 320
ANIMATION_NAME: Final = "animated.webp"
TIME, START, END, WIDTH = "time", "start", "end", "width"
PICTURE_PARAMETERS: Final = frozenset({TIME, START, END, WIDTH})
"""The query parameters that choose a picture; all others change nothing."""

Parameters: TypeAlias = Sequence[tuple[str, str]]
"""Names and decoded values of a query, in order."""

_SECONDS: Final = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,6}))?", re.ASCII)
_PIXELS: Final = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)


class PictureFormat(Enum):
    """The format of a thumbnail, JPEG or WebP; the value is the ending of the file's name."""

    JPEG = "jpg"
    WEBP = "webp"

    @property
    def content_type(self) -> str:
        """The media type of the format, such as ``image/webp``."""
        return f"image/{self.name.lower()}"


class PictureParameterError(ValueError):
    """
    A query parameter of a picture's address has a value that is not allowed.

    Args:
        name: The name of the parameter.
        value: The parameter's value, as the request has it.
        allowed: What is allowed, as the end of a sentence that begins with the name.
    """

    def __init__(self, name: str, value: str, allowed: str) -> None:
        super().__init__(f"{name} {allowed}")
        self.name = name
        self.value = value


@attrs.frozen(kw_only=True)
class Moment:
    """
    A moment of a video, in whole tenths of a second, as a query parameter asked for it.

    Attributes:
        name: The name of the query parameter.
        tenths: The tenths of a second from the beginning of the video.
        text: The parameter's value, as the request has it.
    """

    name: str
    tenths: int
    text: str

    @property
    def at_s(self) -> float:
        """The seconds from the beginning of the video."""
        return self.tenths / TENTHS

    def require_within(self, duration_s: float) -> None:
        """Raise PictureParameterError if the moment is behind the end of the video."""
        if self.tenths > int(duration_s * TENTHS):
            raise PictureParameterError(
                self.name, self.text, f"must be at most {duration_s:.3f}, the duration."
            )


@attrs.frozen(kw_only=True)
class AnimationQuery:
    """
    The part of a video and the size that a request for an animation (moving picture) asks for.

    Attributes:
        end: The end of the part; None for DEFAULT_ANIMATION_S after the start, or the end of
            the video.
        edge_px: The largest width or height of the animation in pixels.
    """

    start: Moment
    end: Moment | None
    edge_px: int

    def within(self, duration_s: float) -> "Animation":
        """
        Return the animation that a video with a given length has for this query.

        Raises:
            PictureParameterError: The animation begins or ends behind the video's end, lasts
                longer than an animation may, or does not end after its start.
        """
        self.start.require_within(duration_s)
        if self.end is not None:
            self.end.require_within(duration_s)
            end_tenths = self.end.tenths
        else:
            longest = self.start.tenths + DEFAULT_ANIMATION_S * TENTHS
            # An animation of the last moment still has a picture.
            end_tenths = max(
                self.start.tenths + 1, min(longest, int(duration_s * TENTHS))
            )
        tenths = end_tenths - self.start.tenths
        if not 0 < tenths <= MAX_ANIMATION_S * TENTHS:
            text = self.end.text if self.end else ""
            raise PictureParameterError(
                END, text, f"must be after start, by at most {MAX_ANIMATION_S} seconds."
            )
        return Animation(
            start_tenths=self.start.tenths, end_tenths=end_tenths, edge_px=self.edge_px
        )


@attrs.frozen(kw_only=True)
class Animation:
    """
    A moving picture (animated WebP) of a part of a video.

    Attributes:
        start_tenths: The start, in tenths of a second from the beginning of the video.
        end_tenths: The end, in tenths of a second from the beginning of the video.
        edge_px: The largest width or height in pixels.
    """

    start_tenths: int
    end_tenths: int
    edge_px: int

    @property
    def file_name(self) -> str:
        """The name of the file in which the animation is stored."""
        return f"{self.start_tenths}-{self.end_tenths}-{self.edge_px}.webp"

    def size_px(self, video_px: tuple[int, int]) -> tuple[int, int]:
        """
        Return the animation's width and height: even numbers with the video's aspect ratio.

        Args:
            video_px: The width and height of the video in pixels.
        """
        scale = min(1.0, self.edge_px / max(video_px))
        width_px, height_px = (max(2, round(side * scale / 2) * 2) for side in video_px)
        return width_px, height_px


def moment_file_name(thumbnail: str, moment: Moment) -> str:
    """
    Return the name of the file in which a thumbnail of a moment is stored.

    Args:
        thumbnail: The thumbnail's name in its address, ``<width>x<height>.<ending>``.
    """
    return f"{moment.tenths}-{thumbnail}"


def read_time(query: Parameters) -> Moment | None:
    """
    Return the moment of a video that a thumbnail's query asks for; None if it has no ``time``.

    Raises:
        PictureParameterError: ``time`` is no number of seconds, or is there twice.
    """
    return _moment(query, TIME)


def read_animation(query: Parameters) -> AnimationQuery:
    """
    Return the animation that the query parameters of an address ask for.

    Raises:
        PictureParameterError: A parameter is no number, is out of range, or is there twice.
    """
    start = _moment(query, START) or Moment(name=START, tenths=0, text="0")
    end = _moment(query, END)
    text = _one(query, WIDTH)
    if text is None:
        edge_px = DEFAULT_ANIMATION_PX
    else:
        edge_px = int(text) if _PIXELS.fullmatch(text) else 0
        if not MIN_THUMBNAIL_PX <= edge_px <= MAX_ANIMATION_PX:
            raise PictureParameterError(
                WIDTH,
                text,
                f"must be a whole number from {MIN_THUMBNAIL_PX} to "
                f"{MAX_ANIMATION_PX}.",
            )
    return AnimationQuery(start=start, end=end, edge_px=edge_px)


def _moment(query: Parameters, name: str) -> Moment | None:
    text = _one(query, name)
    if text is None:
        return None
    found = _SECONDS.fullmatch(text)
    if found is None:
        raise PictureParameterError(
            name,
            text,
            "must be a number of seconds, such as 12.5, with at most six digits before "
            "and after the point.",
        )
    # Cut, not rounded: a moment within the video stays within it.
    tenths = int(found[1]) * TENTHS + int((found[2] or "0")[0])
    return Moment(name=name, tenths=tenths, text=text)


def _one(query: Parameters, name: str) -> str | None:
    values = [value for given, value in query if given == name]
    if len(values) > 1:
        raise PictureParameterError(name, ", ".join(values), "must be there once.")
    return values[0] if values else None
