"""The JSON block ``playback`` of a video: the URLs at which it plays."""

from typing import Final

from hvcore.domain.playback.addresses import PlaybackAddresses
from hvcore.wire.schema import BOOLEAN, Schema, record

PLACE: Final[Schema] = {"type": "string", "format": "uri-template"}
"""RFC 6570: with a place for a token, if the video is private."""
PLAYBACK: Final[Schema] = record(
    "Playback",
    {
        "playlistURL": PLACE,
        "manifestURL": PLACE,
        "embedURL": PLACE,
        "thumbnailURL": PLACE,
        "storyboardURL": PLACE,
        "needsToken": BOOLEAN,
    },
)


def playback(addresses: PlaybackAddresses) -> dict[str, object]:
    """Return the JSON payload of the URLs at which a video plays."""
    return {
        "playlistURL": addresses.playlist,
        "manifestURL": addresses.manifest,
        "embedURL": addresses.embed,
        "thumbnailURL": addresses.thumbnail,
        "storyboardURL": addresses.storyboard,
        "needsToken": addresses.needs_token,
    }
