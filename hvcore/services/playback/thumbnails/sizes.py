"""Read the names of thumbnails: their size and format."""

import re
from typing import Final, Self

import attrs

from hvcore.domain.limits import MAX_THUMBNAIL_PX, MIN_THUMBNAIL_PX
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.videos.moments import PictureFormat
from hvcore.errors import FieldError, InvalidParametersError, NotFoundError
from hvcore.pictures.drawing_process import DrawingProcess

_NAME: Final = re.compile(r"([1-9][0-9]{0,5})x([1-9][0-9]{0,5})\.(jpg|webp)")


@attrs.frozen(kw_only=True)
class ThumbnailSize:
    """
    The size and format of a thumbnail.

    Attributes:
        name: ``<width>x<height>.<ending>`` as the path has it.
    """

    name: str
    width_px: int
    height_px: int
    format: PictureFormat

    @classmethod
    def read(cls, name: str) -> Self:
        """
        Return the size of a thumbnail from its name.

        Raises:
            NotFoundError: The name is not of the form of a thumbnail's name.
            InvalidParametersError: A side is not from 16 to 3840 pixels.
        """
        match = _NAME.fullmatch(name)
        if match is None:
            raise NotFoundError(rule=PlaybackRule.NO_SUCH_ADDRESS)
        size_px = int(match[1]), int(match[2])
        if not all(MIN_THUMBNAIL_PX <= side <= MAX_THUMBNAIL_PX for side in size_px):
            message = (
                f"Each side of a thumbnail must be from {MIN_THUMBNAIL_PX} to "
                f"{MAX_THUMBNAIL_PX} pixels."
            )
            problem = FieldError(message=message, location="path.size", value=name)
            raise InvalidParametersError(
                message, errors=[problem], rule=PlaybackRule.PICTURE_SIZE
            )
        passed(PlaybackRule.PICTURE_SIZE)
        return cls(
            name=name,
            width_px=size_px[0],
            height_px=size_px[1],
            format=PictureFormat(match[3]),
        )

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the thumbnail, in pixels."""
        return self.width_px, self.height_px

    def crop(self, child: DrawingProcess, picture: bytes) -> bytes:
        """Have a child process crop a picture to this size; return the thumbnail's bytes."""
        if self.format is PictureFormat.WEBP:
            return child.crop_to_webp(picture, self.width_px, self.height_px)
        return child.crop_to_fill(picture, self.width_px, self.height_px)
