"""
What the files for deployers have in common: commands, settings, secrets.
"""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
import yaml

from hvcore.settings import known_names, load
from hvcore.settings.tree import is_secret
from hvcore_cli.invocation import Invocation
from hvcore_cli.main import cli

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "contrib" / "deploy"
COMPOSE: Final = FOLDER / "compose.yaml"
CHART: Final = FOLDER / "helm" / "hvcore"
SECRETS_MOUNT: Final = "/run/secrets"
_DEFAULT: Final = re.compile(r"\$\{\w+:?-([^}]*)\}")
WITH_FURTHER_LEVELS: Final = ("options", "further", "oidc")


def parse_command(words: Sequence[str]) -> None:
    """
    Parse the words for ``hv`` as it does, and run nothing.

    Raises:
        click.UsageError: It would refuse them.
    """
    rest = list(words)
    group: click.Command = cli
    name, parent = "hv", None
    while isinstance(group, click.Group):
        context = group.make_context(name, rest, parent=parent, obj=Invocation())
        found, command, rest = group.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        assert command is not None
        name, group, parent = str(found), command, context
    group.make_context(name, rest, parent=parent)


def unknown_settings(environ: Mapping[str, str]) -> list[str]:
    """
    Return the variables of ``hv`` that are no settings of the tree.
    """
    own = [n for n in environ if n.startswith("HV_") and n != "HV_DATA"]
    return [name for name in own if not _is_known(name)]


def _is_known(name: str) -> bool:
    path = name.removeprefix("HV_").lower().split("__")
    dotted = ".".join(path)
    if dotted.endswith("_file") and is_secret(dotted.removesuffix("_file")):
        path[-1] = path[-1].removesuffix("_file")
    is_leaf = len(path) == 2 or path[1] in WITH_FURTHER_LEVELS
    return is_leaf and ".".join(path[:2]) in known_names()


def load_settings(environ: Mapping[str, str], *, secrets: Path, data: Path) -> None:
    """
    Read settings as a process with this environment does.

    Args:
        secrets: The folder that is mounted at ``/run/secrets``.

    Raises:
        ConfigError: They cannot be used.
    """
    own = {name: placed(value, secrets) for name, value in environ.items()}
    load(config_path=None, environ=own, data_dir=data)


def placed(value: str, secrets: Path) -> str:
    """
    Return a value as it is on this machine, with what is interpolated by default.
    """
    value = _DEFAULT.sub(r"\1", value)
    if not value.startswith(f"{SECRETS_MOUNT}/"):
        return value
    return str(secrets / Path(value).name)


def make_secrets(folder: Path) -> Path:
    """
    Write the secrets as a deployer does; return their folder.
    """
    subprocess.run([FOLDER / "make-secrets.sh", folder], check=True)
    return folder


def compose() -> Any:  # noqa: ANN401 - YAML data
    """
    Return the compose file.
    """
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))


def rendered_chart(*sets: str) -> list[Any]:
    """
    Return the objects that helm makes of the chart.

    Args:
        sets: Values, as ``--set`` takes them.
    """
    options = [word for one in sets for word in ("--set", one)]
    done = run_helm("template", "service", str(CHART), *options)
    assert done.returncode == 0, done.stderr
    return [found for found in yaml.safe_load_all(done.stdout) if found]


def run_helm(*words: str) -> subprocess.CompletedProcess[str]:
    """
    Run helm; ``./hv test`` provides it.
    """
    own = ROOT / ".venv" / "bin" / "helm"
    found = shutil.which("helm") or str(own)
    assert Path(found).exists(), "There is no helm; ./hv test provides it."
    return subprocess.run(
        [found, *words], capture_output=True, text=True, check=False, timeout=60
    )
