"""The fields of the forms on the page of one environment."""

from collections.abc import Mapping, Sequence
from typing import Final

from hvcore.domain.access.tenants import Environment
from hvcore.domain.shown_text import one_line
from hvcore.errors import HvError
from hvcore.wire.converter import read_query
from hvcore.wire.videos.captions import CaptionDefaultRequest

NONE: Final = "none"
"""The text of the field of languages by which an environment gets no captions."""


def name_texts(env: Environment) -> Mapping[str, str]:
    """Return the name of an environment as the text that a form shows."""
    return {"title": env.shown_name}


def stored_name(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return the text of a submitted name as it reads once it is stored."""
    return {name: one_line(text) for name, text in texts.items()}


def caption_texts(env: Environment) -> Mapping[str, str]:
    """Return the default captions of an environment's new videos as the text that a form shows."""
    own = env.caption_languages
    return {"languages": "" if own is None else languages_text(own)}


def stored_captions(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return the text of submitted default captions as it reads once they are stored."""
    try:
        languages = read_languages(texts.get("languages", ""))
    except HvError:
        # Refused when it is saved.
        return texts
    return {"languages": "" if languages is None else languages_text(languages)}


def read_languages(text: str) -> tuple[str, ...] | None:
    """
    Parse the languages of captions from the text of a form; None for those of the deployment.

    Raises:
        InvalidParametersError: The text has something else than languages.
    """
    text = text.strip()
    if not text:
        return None
    if text.lower() == NONE:
        return ()
    return read_query(CaptionDefaultRequest, {"languages": text}).languages


def languages_text(languages: Sequence[str]) -> str:
    """Return the languages of captions as people write them."""
    return ", ".join(languages) or NONE
