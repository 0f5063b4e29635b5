"""
List the messages to an owner whose file cannot become a video.

Each message says what is wrong with the file and what to do; none names a tool or a path.
"""

from typing import Final

SEND_AGAIN: Final = "Check that it plays on your own device, and upload it again."
CONVERT: Final = (
    "Convert it to MP4 with H.264 video and AAC sound, and upload it again."
)

EMPTY: Final = "The file is empty. Upload it again."
NOT_A_VIDEO: Final = (
    "The file is not a video in a supported format (MP4, MOV, WebM, MKV or AVI)."
)
PICTURE: Final = "The file is a picture, not a video."
ENCRYPTED: Final = (
    "The file is encrypted (copy protected). Upload it without encryption."
)
ELSEWHERE: Final = (
    "The file only refers to pictures in another file. Export it as a "
    "self-contained movie, and upload it again."
)
UNREADABLE: Final = (
    f"The file is damaged or incomplete and cannot be read. {SEND_AGAIN}"
)
UNSUPPORTED: Final = (
    f"The file uses a video or audio format that is not supported. {CONVERT}"
)
TOO_HARD: Final = (
    f"The file is damaged: reading it takes too much time or memory. {CONVERT}"
)
UNDECODABLE: Final = f"The file is damaged: its video cannot be decoded. {SEND_AGAIN}"
WITHOUT_PICTURES: Final = f"The file has a video track without pictures. {SEND_AGAIN}"
TRACK_LEFT_OUT: Final = (
    "A track of the file is damaged or of a format that is not supported; it was left "
    "out."
)
SOUND_LEFT_OUT: Final = (
    "The file has sound that cannot be decoded or mixed; it was left out."
)
UNEVEN_SOUND: Final = (
    "The sound changes its format in the middle of the file, which is not "
    f"supported. {CONVERT}"
)
"""The message for sound whose times go back, so that ffmpeg gives some frames no length."""
DOLBY_VISION: Final = (
    "The video is in Dolby Vision without a picture for other screens (profile 5). "
    "Export it as HDR10 or as standard dynamic range, and upload it again."
)
