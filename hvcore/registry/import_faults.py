"""Describe the faults of plugins that cannot be imported."""

from hvcore import plugin_api
from hvcore.registry.code_locations import CodeLocation, locations_of
from hvcore.registry.faults import PluginFault, PluginSource, described
from hvcore.registry.required_api import THIS_API


def fault_of_import(source: PluginSource, error: BaseException) -> PluginFault:
    """Return the fault of a plugin whose import has raised an error."""
    return PluginFault(
        source=source,
        problem=f"it cannot be imported: {described(error)}",
        location=_location(source, error),
        fix=_fix(source, error),
    )


def _location(source: PluginSource, error: BaseException) -> CodeLocation | None:
    for location in reversed(locations_of(error)):
        # A syntax error's location has no module: no line of it has run.
        if source.has(location) or not location.module:
            return location
    return None


def _fix(source: PluginSource, error: BaseException) -> str:
    lacking = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
    is_its_own = lacking == source.package or source.plugin.startswith(lacking)
    # The module of a file is imported by nobody, and may be called like what it needs.
    if lacking and is_its_own and not source.is_file:
        if source.is_listed:
            return (
                f"Correct its name in {source.distribution}, or put its folder into "
                "PYTHONPATH."
            )
        return f"Its files are not there: install {name_of(source)} again."
    if lacking:
        return f"Install what it needs: {lacking.partition('.')[0]}; or {source.leave_out}."
    if isinstance(error, AttributeError) and _location(source, error) is None:
        return (
            "Its entry point names what its module does not have: name the module "
            "alone, in pyproject.toml."
        )
    if isinstance(error, ImportError) and error.name == plugin_api.__name__:
        return (
            "Correct it there, or install the hvcore that it was written for "
            f"({THIS_API}); or {source.leave_out}."
        )
    return f"Correct it there, or {source.leave_out}."


def name_of(source: PluginSource) -> str:
    """Return the name of a plugin's distribution, without the version."""
    return source.distribution.partition(" ")[0]
