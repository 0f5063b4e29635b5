"""
The guide of the Python client says what there is.
"""

import ast
import inspect
import re
from pathlib import Path

import hvcore_client
from hvcore_client import AsyncHvClient, HvClient
from hvcore_client.generated.upload_settings import UploadSettings

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "python-client.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_its_programs_call_what_there_is() -> None:
    calls = [
        node
        for block in BLOCKS
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "client"
    ]

    assert len(calls) > 8
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        method = getattr(HvClient, call.func.attr)
        known = set(inspect.signature(method).parameters)
        if "settings" in known:
            known |= set(UploadSettings.__annotations__)
        assert {keyword.arg for keyword in call.keywords} <= known


def test_its_programs_import_what_there_is() -> None:
    imports = [
        alias.name
        for block in BLOCKS
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.ImportFrom) and node.module == "hvcore_client"
        for alias in node.names
    ]

    assert set(imports) <= set(hvcore_client.__all__)


def test_it_names_methods_and_errors_that_there_are() -> None:
    text = PAGE.read_text("utf-8")

    for name in re.findall(r"`client\.(\w+)", text):
        assert hasattr(HvClient, name)
        assert hasattr(AsyncHvClient, name)
    named = set(re.findall(r"\b(?:[A-Z][a-z]+)+Error\b", text)) - {"TimeoutError"}
    errors = {name for name in hvcore_client.__all__ if name.endswith("Error")}
    assert named <= errors
    assert errors - named == set()
