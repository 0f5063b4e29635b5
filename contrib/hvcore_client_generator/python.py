"""Write the generated package of the Python client, ``hvcore_client.generated``."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hvcore_client_generator.document import Api, Operation
from hvcore_client_generator.names import snake
from hvcore_client_generator.python_calls import (
    ASYNCHRONOUS,
    BLOCKING,
    Style,
    calls_module,
    class_name,
    operations_module,
)
from hvcore_client_generator.python_models import (
    choices_module,
    models_module,
    settings_module,
)

WRITTEN = "Written by hvcore_client_generator; do not change it by hand."


def write_python(api: Api, folder: Path) -> None:
    """
    Write all generated modules into a folder, format them, and remove other modules.

    Raises:
        CalledProcessError: ruff, which formats the modules, reports an error.
    """
    modules = python_modules(api)
    for path in folder.rglob("*.py"):
        if str(path.relative_to(folder)) not in modules:
            path.unlink()
    for name, text in modules.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    fix = ["check", "--isolated", "--quiet", "--fix", "--select"]
    one_line = [*fix, "D200", "--unsafe-fixes"]
    for words in ([*fix, "F401"], one_line, ["format", "--isolated", "--quiet"]):
        subprocess.run([*ruff, *words, folder], check=True)  # noqa: S603 - our own words


def python_modules(api: Api) -> Mapping[str, str]:
    """Return the unformatted text of each generated module, by its path in the package."""
    modules = {
        "__init__.py": f'"""\nWhat follows from the description of the API.\n\n{WRITTEN}\n"""\n',
        "choices.py": choices_module(api, WRITTEN),
        "models.py": models_module(api, WRITTEN),
        "operations.py": operations_module(api.operations, WRITTEN),
        "upload_settings.py": settings_module(api, WRITTEN),
    }
    by_tag: dict[str, list[Operation]] = {}
    for operation in api.operations:
        by_tag.setdefault(operation.tag, []).append(operation)
    for style in (BLOCKING, ASYNCHRONOUS):
        modules[f"{style.folder}/__init__.py"] = _all_calls(list(by_tag), style)
        for tag, operations in by_tag.items():
            text = calls_module(tag, operations, style, WRITTEN)
            modules[f"{style.folder}/{snake(tag)}.py"] = text
    return modules


def _all_calls(tags: Sequence[str], style: Style) -> str:
    package = f"hvcore_client.generated.{style.folder}"
    imports = sorted(
        f"from {package}.{snake(tag)} import {class_name(tag, style)}" for tag in tags
    )
    bases = ",\n    ".join(class_name(tag, style) for tag in tags)
    return (
        f'"""\nA method for each operation of the API.\n\n{WRITTEN}\n"""\n\n'
        + "\n".join(imports)
        + f"\n\n\nclass {style.prefix}Calls(\n    {bases},\n):\n"
        + '    """\n    All calls of the API.\n    """\n'
    )
