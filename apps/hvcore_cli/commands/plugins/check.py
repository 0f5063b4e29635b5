"""Run the conformance kit (the tests of a port) of an installed plugin, and report broken promises."""

import importlib.util
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

import attrs

from hvcore.extras import missing_module
from hvcore.registry import Registry
from hvcore.registry.loading import distribution_of, package_of
from hvcore_cli.invocation import CliError

GROUP: Final = "hvcore.kits"
"""The group of entry points that give a plugin's module of kits by the plugin's name."""
LIMIT_S: Final = 600.0
_TESTS_RAN: Final = (0, 1)
_EXPECTED: Final = "pytest.xfail"
"""The type of an expected failure in a JUnit report of pytest."""


@attrs.frozen(kw_only=True)
class KitReport:
    """
    The outcome of running a plugin against the conformance kit of its port.

    A promise is a test of the kit.

    Attributes:
        kept: The promises that hold.
        declared: The promises that the plugin declares not to keep, with reasons.
        not_offered: The promises of optional abilities that the plugin lacks.
        broken: The broken promises, each with the first line of its error.
    """

    kept: int
    declared: Sequence[str]
    not_offered: Sequence[str]
    broken: Sequence[str]


def run_kit(plugin: str, registry: Callable[[], Registry]) -> KitReport:
    """
    Run the conformance kit of a plugin in a separate process, and return the outcome.

    Args:
        plugin: The name of the kit, or of a backend of which exactly one plugin has a kit.
        registry: Loads installed plugins, to find the plugin of a backend.

    Raises:
        CliError: The plugin has no kit, or the kit cannot be run.
    """
    module = _module_of(plugin, registry)
    if importlib.util.find_spec("pytest") is None:
        raise CliError(f"Kits need pytest; {missing_module('pytest')}")
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        options = ["-q", "-p", "no:cacheprovider", "--rootdir", folder]
        command = [
            *(sys.executable, "-m", "pytest", *options),
            *(f"--junitxml={results}", "--pyargs", module),
        ]
        try:
            done = subprocess.run(  # noqa: S603 - our own Python
                command,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                timeout=LIMIT_S,
            )
        except subprocess.TimeoutExpired as exc:
            raise CliError(
                f"The kit of {plugin} does not end within {LIMIT_S:.0f} s. Run pytest "
                f"--pyargs {module} to see where it waits."
            ) from exc
        if done.returncode not in _TESTS_RAN or not results.exists():
            raise CliError(
                f"The kit of {plugin} cannot be run; run pytest --pyargs {module} to see "
                f"more.\n{(done.stdout + done.stderr).strip()}"
            )
        return _report(results)


def _module_of(plugin: str, registry: Callable[[], Registry]) -> str:
    found = {point.name: point for point in entry_points(group=GROUP)}
    if plugin in found:
        return _module(found[plugin])
    of_backend = _kits_of_backend(plugin, registry(), found.values()) if found else []
    if len(of_backend) == 1:
        return _module(found[of_backend[0]])
    if of_backend:
        raise CliError(
            f"Several kits may be meant by {plugin}; choose one of: "
            f"{', '.join(of_backend)}."
        )
    known = ", ".join(sorted(found)) or "none"
    raise CliError(
        f"No plugin {plugin} names a kit; there are: {known}. A plugin names it in its "
        f'pyproject.toml: [project.entry-points."{GROUP}"] {plugin} = '
        '"<its module of kits>".'
    )


def _kits_of_backend(
    name: str, registry: Registry, kits: Iterable[EntryPoint]
) -> Sequence[str]:
    """Return the kits in the packages or distributions of plugins that offer a backend."""
    sources = [one.source for one in registry.offers if one.backend.name == name]
    packages = {source.package for source in sources}
    distributions = {source.distribution for source in sources if not source.is_listed}
    by_package = [one for one in kits if package_of(_module(one)) in packages]
    # One distribution may bring several plugins, each in a package of its own.
    found = by_package or [one for one in kits if distribution_of(one) in distributions]
    return sorted(one.name for one in found)


def _module(kit: EntryPoint) -> str:
    return kit.value.partition(":")[0].strip()


def _report(results: Path) -> KitReport:
    kept, declared, not_offered, broken = 0, list[str](), list[str](), list[str]()
    # pytest has written it, a moment ago.
    for case in ET.parse(results).iter("testcase"):  # noqa: S314
        name = case.get("name", "")
        skipped = case.find("skipped")
        wrong = case.find("failure")
        if wrong is None:
            wrong = case.find("error")
        if wrong is not None:
            first = (wrong.get("message") or "").strip().split("\n")[0]
            broken.append(f"{name}: {first}")
        elif skipped is not None:
            # A deviation is an expected failure; a kit skips what is not there.
            is_declared = skipped.get("type") == _EXPECTED
            reason = (skipped.get("message") or "skipped").removeprefix("declared: ")
            (declared if is_declared else not_offered).append(f"{name}: {reason}")
        else:
            kept += 1
    return KitReport(
        kept=kept, declared=declared, not_offered=not_offered, broken=broken
    )
