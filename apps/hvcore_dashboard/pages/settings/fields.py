"""Show and read an organization's defaults for new videos in a form."""

from collections.abc import Mapping
from typing import Final

from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.new_video_defaults import NewVideoDefaults
from hvcore.errors import FieldError, HvError, InvalidParametersError
from hvcore.services.access.new_video_defaults import DefaultChanges
from hvcore.wire.converter import read_query
from hvcore.wire.links.links import EdgeKeyRequest

ACCESSES: Final = (
    ("private", "Private: plays with a signed address"),
    ("public", "Public: plays for everybody who has the address"),
)
QUALITIES: Final = (
    (Preset.STANDARD.value, "Standard: up to 720p"),
    (Preset.HIGH.value, "High: up to 1080p"),
    (Preset.ULTRA.value, "Ultra: up to 2160p"),
)


def default_texts(defaults: NewVideoDefaults) -> Mapping[str, str]:
    """Return an organization's defaults for new videos as the texts that a form shows, by field name."""
    return {
        "access": "public" if defaults.is_public else "private",
        "videoQuality": defaults.preset.value,
        "domains": domains_text(defaults),
    }


def domains_text(defaults: NewVideoDefaults) -> str:
    """Return the domains to which embed codes are bound by default, as the text that a form shows."""
    return ", ".join(defaults.domains)


def stored_defaults(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return the texts of a submitted form of defaults for new videos, as they read once they are stored."""
    found = dict(texts)
    try:
        found["domains"] = ", ".join(_domains(texts.get("domains", "")))
    except HvError:
        # Refused when it is saved.
        return texts
    return found


def read_defaults(texts: Mapping[str, str | None]) -> DefaultChanges:
    """
    Parse changed defaults for new videos from the texts of a form.

    Raises:
        InvalidParametersError: Some texts are no defaults; all such fields are named.
    """
    found = DefaultChanges()
    wrong: list[FieldError] = []
    if "access" in texts:
        if texts["access"] not in dict(ACCESSES):
            wrong.append(_wrong("access", "Choose one of these."))
        found["is_public"] = texts["access"] == "public"
    if "videoQuality" in texts:
        quality = texts["videoQuality"]
        if quality in dict(QUALITIES):
            found["preset"] = Preset(quality)
        else:
            wrong.append(_wrong("videoQuality", "Choose one of these."))
    if "domains" in texts:
        try:
            found["domains"] = _domains(texts["domains"] or "")
        except HvError as error:
            text = error.errors[0].message if error.errors else error.detail
            wrong.append(_wrong("domains", text))
    if wrong:
        raise InvalidParametersError(wrong[0].message, errors=wrong)
    return found


def _domains(text: str) -> tuple[str, ...]:
    return read_query(EdgeKeyRequest, {"domains": text}).domains if text else ()


def _wrong(name: str, message: str) -> FieldError:
    return FieldError(message=message, location=f"body.{name}")
