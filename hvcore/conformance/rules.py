"""All rules of the conformance check of published videos, by their ids."""

from collections.abc import Mapping
from typing import Final

from hvcore.conformance.media_rule_list import MEDIA_RULES
from hvcore.conformance.playlist_rule_list import PLAYLIST_RULES
from hvcore.conformance.rule import Rule

RULES: Final[Mapping[str, Rule]] = {
    rule.id: rule for rule in (*PLAYLIST_RULES, *MEDIA_RULES)
}
