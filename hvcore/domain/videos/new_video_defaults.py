"""Defaults for new videos, with which an organization's forms on the dashboard begin."""

import attrs

from hvcore.domain.processing.encoding import Preset


@attrs.frozen(kw_only=True)
class NewVideoDefaults:
    """
    Hold the values with which the dashboard's forms for new videos and embed codes begin.

    The API does not read them: its own defaults are documented and stay.

    Attributes:
        is_public: Whether a new video plays without a signed address.
        preset: The quality of a new video.
        domains: The pages that may play by a new embed code; empty for every page.
    """

    is_public: bool = False
    preset: Preset = Preset.STANDARD
    domains: tuple[str, ...] = ()
