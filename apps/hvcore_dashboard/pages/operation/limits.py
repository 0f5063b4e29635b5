"""Show and read the limits (quotas) of an organization in a form for operators."""

import re
from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.access.quotas import MAX_WEIGHT, MIN_WEIGHT, Quota, QuotaLimits
from hvcore.errors import FieldError, InvalidParametersError

_UNITS: Final = ("", "KB", "MB", "GB", "TB")
"""The units of sizes, each 1,024 times the unit before, as on all pages."""
_UNIT: Final = 1024
_AMOUNT: Final = re.compile(r"([0-9]{1,18}) ?(|[KMGT]B)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")


@attrs.frozen(kw_only=True)
class LimitField:
    """
    A form field for one limit of an organization.

    Attributes:
        name: The name of the field, and of the attribute of ``QuotaLimits``.
        title: The heading of the table column that shows how much of the limit is used.
        is_size: Whether the limit is a number of bytes, which may be given in larger
            units.
    """

    name: str
    label: str
    title: str
    help: str
    quota: Quota
    is_size: bool = False


LIMIT_FIELDS: Final = (
    LimitField(
        name="concurrent_encodes",
        label="Videos encoded at a time",
        title="Encodes",
        help="From 1 on. Empty: no limit.",
        quota=Quota.CONCURRENT_ENCODES,
    ),
    LimitField(
        name="encoded_minutes_per_month",
        label="Encoded minutes a month",
        title="Minutes",
        help="Minutes of source video that may become ready in a UTC month. Empty: no limit.",
        quota=Quota.ENCODED_MINUTES,
    ),
    LimitField(
        name="stored_bytes",
        label="Stored",
        title="Stored",
        help="Sources and published media, such as 500 GB. Empty: no limit.",
        quota=Quota.STORED_BYTES,
        is_size=True,
    ),
    LimitField(
        name="delivered_bytes_per_month",
        label="Delivered a month",
        title="Delivered",
        help="Video that viewers may be sent in a UTC month, such as 2 TB. Empty: no limit.",
        quota=Quota.DELIVERED_BYTES,
        is_size=True,
    ),
    LimitField(
        name="caption_minutes_per_month",
        label="Minutes of captions a month",
        title="Captions",
        help="Minutes of sound that a machine may hear for captions in a UTC month. Empty: no limit.",
        quota=Quota.CAPTION_MINUTES,
    ),
)
WEIGHT: Final = "weight"


def limit_texts(limits: QuotaLimits) -> Mapping[str, str]:
    """Return an organization's limits as the texts that a form shows, by field name."""
    texts = {WEIGHT: _text(None, limits.weight)}
    for field in LIMIT_FIELDS:
        limit = limits.of(field.quota)
        texts[field.name] = "" if limit is None else _text(field, limit)
    return texts


def read_limits(texts: Mapping[str, str | None]) -> Mapping[str, int | float | None]:
    """
    Parse an organization's limits from the texts of a form, as ``Quotas.change`` takes them.

    Raises:
        InvalidParametersError: Some texts are no limits; all such fields are named.
    """
    found: dict[str, int | float | None] = {}
    wrong: list[FieldError] = []
    fields = {field.name: field for field in LIMIT_FIELDS}
    for name, written in texts.items():
        text = written or ""
        field = fields.get(name)
        found[name] = _weight(text) if field is None else _read(field, text)
        if found[name] is None and (text or field is None):
            wrong.append(_wrong(name, _rule(field), text))
    if wrong:
        raise InvalidParametersError(wrong[0].message, errors=wrong)
    return found


def stored_limits(texts: Mapping[str, str]) -> Mapping[str, str]:
    """
    Return the texts of an organization's limits from a form, each written as stored limits are.

    So `` 007 `` becomes ``7``, and a limit that was not changed is recognized. A text that
    is no valid limit stays as it is.

    Args:
        texts: The text of each limit, by the name of its field.
    """
    fields = {field.name: field for field in LIMIT_FIELDS}
    found = dict(texts)
    for name, text in texts.items():
        field = fields.get(name)
        limit = _weight(text) if field is None else _read(field, text)
        if limit is not None:
            found[name] = _text(field, limit)
    return found


def amount_text(count_bytes: int) -> str:
    """Return a number of bytes exactly, in the largest unit that divides it."""
    unit = 0
    while count_bytes and count_bytes % _UNIT == 0 and unit < len(_UNITS) - 1:
        count_bytes, unit = count_bytes // _UNIT, unit + 1
    return f"{count_bytes} {_UNITS[unit]}".strip()


def _text(field: LimitField | None, limit: float) -> str:
    if field is None:
        return f"{limit:g}"
    return amount_text(int(limit)) if field.is_size else str(int(limit))


def _read(field: LimitField, text: str) -> int | None:
    if not field.is_size:
        return int(text) if _NUMBER.fullmatch(text) else None
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    return int(found[1]) * int(_UNIT ** _UNITS.index(found[2].upper()))


def _weight(text: str) -> float | None:
    return float(text) if _DECIMAL.fullmatch(text) else None


def _rule(field: LimitField | None) -> str:
    if field is None:
        return f"Write a number from {MIN_WEIGHT:g} to {MAX_WEIGHT:g}; normally 1."
    if field.is_size:
        return "Write a number of bytes, or a size such as 500 GB."
    return "Write a whole number, such as 100."


def _wrong(name: str, message: str, text: str) -> FieldError:
    return FieldError(message=message, location=f"body.{name}", value=text)
