"""
Playback tokens: signed permission to watch one video for a while.
"""

from hvcore.playback_tokens.keys import TokenKey
from hvcore.playback_tokens.ring import KeyRing, PlaybackClaims, TokenUse

__all__ = ["KeyRing", "PlaybackClaims", "TokenKey", "TokenUse"]
