"""Playback tokens: signed permission to watch one video for a while."""

from hvcore.playback_tokens.claims import LEEWAY_S, PlaybackClaims, TokenUse
from hvcore.playback_tokens.keys import TokenKey
from hvcore.playback_tokens.ring import KeyRing

__all__ = ["LEEWAY_S", "KeyRing", "PlaybackClaims", "TokenKey", "TokenUse"]
