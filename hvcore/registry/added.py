"""Report faults of additions that plugins make to the service: routes, middleware, commands and the like."""

from hvcore.registry.code_locations import location_of_definition
from hvcore.registry.faults import PluginFault, PluginFaultError
from hvcore.registry.hooks import Offer


def fault_of_added(offer: Offer, problem: str) -> PluginFaultError:
    """
    Return the error for a plugin whose addition to the service cannot be used.

    Args:
        problem: What is wrong with the addition, in words.
    """
    return PluginFaultError(
        PluginFault(
            source=offer.source,
            problem=f"{offer.kind} {offer.backend.name!r}: {problem}",
            location=location_of_definition(offer.backend.factory),
            fix=f"Correct it there, or {offer.source.leave_out}.",
        )
    )
