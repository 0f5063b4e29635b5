"""Describe faults of plugins: plugin, distribution, line of code, and what to do next."""

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from hvcore.errors import PluginError, WrongAnswerError
from hvcore.registry.code_locations import (
    CodeLocation,
    location_of_definition,
    locations_of,
)

OWN_DISTRIBUTION: Final = "hvcore"
LISTED: Final = "HV_PLUGINS"
EXTRA: Final = "HV_EXTRA_PLUGINS"
"""Each stands for the distribution of a plugin that this variable names."""
FILE_MODULES: Final = "hvcore_plugin_file_"
"""Begins the modules of plugins that are files: a json.py takes the place of no library."""
LONGEST_MESSAGE_CHARS: Final = 300

_VALUES: Final = (
    *("hvcore.domain", "hvcore.ports", "hvcore.errors", "hvcore.hookspecs"),
    "hvcore_api.sent_headers",
)
"""The code of values that plugins make or are given: whoever asks wrongly is at fault."""
_TAKES: Final = re.compile(
    r"([\w.]+)\(\) (?:got an unexpected|got multiple|missing|takes) "
)
"""How Python says that a function does not take the arguments of a call."""
_OURS: Final = ("hvcore", "hvcore_")


@attrs.frozen(kw_only=True)
class PluginSource:
    """
    The origin of a plugin: its entry point, distribution and package.

    Attributes:
        plugin: The entry point's name, or that of the module or the file.
        distribution: Name and version of the distribution that has the plugin; or the
            environment variable that names it; or the folder of its file.
        package: The Python package that has the plugin's modules.
    """

    plugin: str
    distribution: str
    package: str

    @property
    def is_own(self) -> bool:
        """Return whether the plugin is part of hvcore."""
        return self.distribution.partition(" ")[0] == OWN_DISTRIBUTION

    @property
    def is_listed(self) -> bool:
        """Return whether an environment variable names the plugin, so that its distribution is unknown."""
        return self.distribution in {LISTED, EXTRA}

    @property
    def is_file(self) -> bool:
        """Return whether the plugin is a single file, with no distribution or folder to import."""
        return self.package.startswith(FILE_MODULES)

    @property
    def leave_out(self) -> str:
        """Return the words that tell the operator how to do without the plugin."""
        if self.is_listed:
            return f"take {self.plugin} out of {self.distribution}"
        return f"leave it out: HV_PLUGIN__DISABLED={self.plugin}"

    def has(self, location: CodeLocation) -> bool:
        """Return whether a code location is in the plugin's code."""
        return is_within(location.module, self.package)

    def __str__(self) -> str:
        return f"Plugin {self.plugin} ({self.distribution})"


@attrs.frozen(kw_only=True)
class PluginFault:
    """
    A fault of a plugin, with its location and what to do next.

    Attributes:
        problem: A clause, such as "its factory has raised …".
        location: The line of the plugin's code that is at fault; None if it is not known.
        fix: What to do next, a sentence.
    """

    source: PluginSource
    problem: str
    location: CodeLocation | None
    fix: str

    @property
    def found(self) -> str:
        """A sentence that tells the plugin, the fault and its location."""
        at = f", at {self.location}" if self.location else ""
        return f"{self.source}: {self.problem}{at}."

    def __str__(self) -> str:
        return f"{self.found} {self.fix}"


class PluginFaultError(PluginError):
    """A plugin has a fault, so that one of its backends cannot be used."""

    def __init__(self, fault: PluginFault) -> None:
        super().__init__(fault.found, fault.fix)
        self.fault = fault


_loaded: list[PluginSource] = []
"""Those of the registry that this process has loaded last."""


def remember(sources: Sequence[PluginSource]) -> None:
    """Remember the plugins that this process has loaded, among which ``culprit`` finds the one at fault."""
    _loaded[:] = sources


def culprit(
    locations: Sequence[CodeLocation],
) -> tuple[PluginSource, CodeLocation] | None:
    """
    Return the plugin whose code the locations lead to, and the location there; None if they lead to the service's own code.

    Errors in libraries that a plugin has called, and in the service's value classes that it has
    used, count as the plugin's.
    """
    for location in reversed(locations):
        for source in _loaded:
            if source.has(location):
                return source, location
        if _is_of(location, _OURS) and not _is_of(location, _VALUES):
            return None
    return None


def fault_of(error: BaseException) -> PluginFault | None:
    """Return the fault of the plugin that has raised an error; None if no plugin did."""
    if isinstance(error, PluginFaultError):
        return error.fault
    if isinstance(error, WrongAnswerError):
        return _wrong_answer(error)
    found = _called_wrongly(error) or culprit(locations_of(error))
    if found is None or found[0].is_own:
        return None
    source, location = found
    at = (
        f"{location.function} has raised "
        if location.function
        else "a method takes less: "
    )
    return PluginFault(
        source=source,
        problem=f"{at}{described(error)}",
        location=location,
        fix=f"Report it to who maintains it, or {source.leave_out}.",
    )


def hung_fault(
    locations: Sequence[CodeLocation], what: str, *, after_s: float
) -> PluginFault | None:
    """
    Return the fault of the plugin in whose code a thread hangs; None if it hangs in no plugin's code.

    Args:
        locations: The code locations of the thread's call stack.
        what: The call that does not return, in words, such as "the check storage".
        after_s: The seconds for which the thread has hung.
    """
    found = culprit(locations)
    if found is None:
        return None
    source, location = found
    return PluginFault(
        source=source,
        problem=f"{what} has not come back after {after_s:.0f} s: it waits in "
        f"{location.function}",
        location=location,
        fix="Start what it waits for, correct its options, or report it to who "
        "maintains it: it needs a time limit of its own.",
    )


def _wrong_answer(error: WrongAnswerError) -> PluginFault | None:
    location = location_of_definition(error.method)
    found = culprit([location]) if location else None
    if found is None or found[0].is_own:
        return None
    return PluginFault(
        source=found[0], problem=error.problem, location=location, fix=error.fix
    )


def described(error: BaseException, *, secrets: Iterable[str] = ()) -> str:
    """
    Return the class of an error and the first line of its text, for a message.

    Args:
        secrets: Texts that are removed from the message before it is cut, so that not even parts
            of them stay.
    """
    text = text_of(error)
    # The longest first: one may be a part of another.
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "…")
    lines = text.strip().splitlines() or [""]
    text = lines[0][:LONGEST_MESSAGE_CHARS]
    name = type(error).__name__
    return f"{name}: {text}".rstrip(". ") if text else name


def text_of(error: BaseException) -> str:
    """Return the text of an error; "" if the error's ``__str__`` fails."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - whatever the class of a plugin does there
        return ""


def _called_wrongly(error: BaseException) -> tuple[PluginSource, CodeLocation] | None:
    """
    Return the method of a plugin that does not take what its port gives it.

    Python raises that where the call is, which is our code.
    """
    named = _TAKES.match(text_of(error)) if isinstance(error, TypeError) else None
    if named is None:
        return None
    for source in _loaded:
        for module in [*sys.modules]:
            if is_within(module, source.package):
                method: object = sys.modules.get(module)
                for name in named[1].split("."):
                    method = getattr(method, name, None)
                location = location_of_definition(method)
                if method is not None and location is not None and source.has(location):
                    return source, location
    return None


def is_within(module: str, package: str) -> bool:
    """Return whether a module is the given package, or within it."""
    return module == package or module.startswith(f"{package}.")


def _is_of(location: CodeLocation, names: Sequence[str]) -> bool:
    return any(
        location.module.startswith(name)
        if name.endswith("_")
        else is_within(location.module, name)
        for name in names
    )
