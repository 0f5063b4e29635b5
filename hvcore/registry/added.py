"""Faults of the additions of plugins to the service."""

from hvcore.registry.code_locations import location_of_definition
from hvcore.registry.faults import PluginFault, PluginFaultError
from hvcore.registry.hooks import Offer


def fault_of_added(offer: Offer, problem: str) -> PluginFaultError:
    """
    Return the error for something that cannot be added.

    Args:
        problem: What is wrong with it, in words.
    """
    return PluginFaultError(
        PluginFault(
            source=offer.source,
            problem=f"{offer.kind} {offer.backend.name!r}: {problem}",
            location=location_of_definition(offer.backend.factory),
            fix=f"Correct it there, or {offer.source.leave_out}.",
        )
    )
