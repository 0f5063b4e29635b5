"""
The client is what the description and its parts make.
"""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from hvcore import __version__
from hvcore_api.openapi.document import make_document
from hvcore_api.routes import GROUPS
from hvcore_auth_apikey.backend import SCHEME as API_KEY
from hvcore_client_generator.javascript import javascript_files
from hvcore_client_generator.reading import LEFT_OUT, read_api
from hvcore_client_js import MODULE, TYPES
from tests.client_js.running import run

FOLDER: Final = MODULE.parent
FIX: Final = (
    "make it anew: hv openapi | "
    "python -m hvcore_client_generator javascript contrib/hvcore_client_js"
)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return make_document(GROUPS, "https://api.test", [API_KEY])


@pytest.mark.parametrize("path", [MODULE, TYPES], ids=lambda path: path.name)
def test_a_file_of_the_client_is_as_it_is_written_today(
    document: dict[str, Any], path: Path
) -> None:
    files = javascript_files(read_api(document), FOLDER / "source")

    assert path.read_text("utf-8") == files[path.name], FIX


def test_every_operation_but_pages_is_a_method_with_a_type(
    document: dict[str, Any],
) -> None:
    operations = {
        item[method]["operationId"]
        for item in document["paths"].values()
        for method in item
        if method != "parameters"
    }

    methods = run("return Object.keys(hv.HvClient.prototype);")
    types = TYPES.read_text("utf-8")

    assert operations - LEFT_OUT == set(methods)
    typed = types[types.index("export interface Operations") :]
    assert set(re.findall(r"^  (\w+)\(", typed, re.MULTILINE)) == set(methods)


def test_the_package_has_the_version_of_the_service() -> None:
    package = json.loads((FOLDER / "package.json").read_text("utf-8"))

    assert package["version"] == __version__
    assert "dependencies" not in package


def test_two_arguments_of_one_name_are_refused(document: dict[str, Any]) -> None:
    changed = json.loads(json.dumps(document))
    schema = changed["components"]["schemas"]["VideoChangeRequest"]
    schema["properties"]["videoID"] = {"type": "string"}

    with pytest.raises(ValueError, match=r"^updateVideo "):
        javascript_files(read_api(changed), FOLDER / "source")
