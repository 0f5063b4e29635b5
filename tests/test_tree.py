"""
The tree, its packaging and its import contracts describe the same packages.
"""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from graphlib import TopologicalSorter
from importlib.metadata import entry_points
from pathlib import Path

import hvcore
from tests.support.import_folders import layers_of, modules_of

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CLIENT_LIBRARIES = (
    *("authlib", "joserfc"),
    *("boto3", "botocore", "duckdb", "falcon", "fsspec", "gunicorn", "PIL", "redis"),
    "google.cloud",
    *("obstore", "rq"),
    *("s3fs", "sqlalchemy"),
)
NAME_IN_THE_CORE = re.compile(
    r"(?<![\w./])(?:hvcore\.)?((?:domain|incoming|manifests|persistence|pictures|ports"
    r"|safe_http|services|spool|testing|throttling|wire)(?:\.[A-Za-z_]\w*)+)"
)


def packages() -> set[str]:
    """Every import package of the tree."""
    folders = [ROOT, *(ROOT / name for name in ("plugins", "contrib", "apps"))]
    found = {init.parent.name for f in folders for init in f.glob("hv*/__init__.py")}
    assert "hvcore" in found
    return found


def sources() -> dict[str, Path]:
    """The files of every package, by the names of their modules."""
    folders = [ROOT, *(ROOT / name for name in ("plugins", "contrib", "apps"))]
    found = {}
    for folder in folders:
        for path in folder.glob("hv*/**/*.py"):
            # The built documentation has copies of samples.
            if "docs_site" in path.parts:
                continue
            parts = path.relative_to(folder).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports_of(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of the tree that a file imports, inside functions as well."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            submodules = names & modules.keys()
            found |= submodules
            # A package of which only modules are taken is not what is wanted.
            if len(submodules) < len(names):
                found.add(node.module)
    return found & modules.keys()


def comments_and_docstrings(path: Path) -> list[str]:
    """The texts of a file that explain it."""
    source = path.read_text(encoding="utf-8")
    docstrings = [
        node.value.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    return [*docstrings, *re.findall(r"# .*", source)]


def is_in_the_core(name: str, modules: dict[str, Path]) -> bool:
    """Whether a module of the core has a name, or a word that a module contains."""
    module, _, word = f"hvcore.{name}".rpartition(".")
    if f"{module}.{word}" in modules:
        return True
    if module not in modules:
        return False
    source = modules[module].read_text(encoding="utf-8")
    return re.search(rf"\b{word}\b", source) is not None


def mirrored_test(module: Path) -> Path:
    """Return the path at which the test of a module is looked for first."""
    top, *rest = module.relative_to(ROOT).parts
    if top == "hvcore" and len(rest) == 1:
        rest = ["core", *rest]
    if top in {"plugins", "contrib"}:
        rest[0] = f"plugins/{rest[0].removeprefix('hvcore_')}"
    if top == "apps":
        rest[0] = rest[0].removeprefix("hvcore_")
    return ROOT / "tests" / Path(*rest).with_name(f"test_{module.name}")


def test_import_contracts_cover_every_package() -> None:
    contracts = PROJECT["tool"]["importlinter"]

    assert set(contracts["root_packages"]) == packages()


def test_the_layers_name_every_package_once() -> None:
    (layers,) = (
        contract["layers"]
        for contract in PROJECT["tool"]["importlinter"]["contracts"]
        if contract["type"] == "folder_layers"
    )

    named = [name for layer in layers_of(layers) for name in layer.split(" | ")]
    assert sorted(named) == sorted(packages())


def test_the_contracts_are_numbered() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]

    assert [int(contract["name"].split()[0]) for contract in contracts] == list(
        range(1, len(contracts) + 1)
    )


def test_no_imports_form_a_circle() -> None:
    modules = sources()
    imported = {name: imports_of(path, modules) for name, path in modules.items()}

    # Raises CycleError, which names the circle.
    TopologicalSorter(imported).prepare()


def test_comments_and_docstrings_name_modules_that_exist() -> None:
    modules = sources()

    wrong = [
        f"{module}: {name}"
        for module, path in modules.items()
        for text in comments_and_docstrings(path)
        for name in NAME_IN_THE_CORE.findall(text)
        if not is_in_the_core(name, modules)
    ]

    assert wrong == []


def test_each_public_class_name_exists_once() -> None:
    modules_of: dict[str, list[str]] = {}
    for name, path in sources().items():
        # Another distribution and what writes it: they have the API's words, too.
        if name.split(".")[0] in {"hvcore_client", "hvcore_client_generator"}:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules_of.setdefault(node.name, []).append(name)

    assert {name: found for name, found in modules_of.items() if len(found) > 1} == {}


def test_the_client_is_a_distribution_of_its_own_that_needs_two_packages() -> None:
    text = (ROOT / "contrib" / "hvcore_client" / "pyproject.toml").read_text("utf-8")
    described = tomllib.loads(text)

    needed = [re.split("[<>=]", x)[0] for x in described["project"]["dependencies"]]
    assert sorted(needed) == ["attrs", "httpx"]


def test_distributions_of_contrib_have_one_version_and_the_licence_of_hvcore() -> None:
    licence = (ROOT / "LICENSE").read_bytes()
    folders = [path.parent for path in ROOT.glob("contrib/*/pyproject.toml")]
    versions = {
        version
        for folder in folders
        for file in ("__init__.py", "version.py")
        if (folder / file).exists()
        for version in re.findall(
            '__version__: Final = "(.+)"', (folder / file).read_text("utf-8")
        )
    }
    package = json.loads(
        (ROOT / "contrib" / "hvcore_client_js" / "package.json").read_text("utf-8")
    )

    assert len(folders) == 3
    assert {*versions, package["version"]} == {hvcore.__version__}
    for folder in [*folders, ROOT / "contrib" / "hvcore_client_js"]:
        # A link would lead out of what is packed.
        assert not (folder / "LICENSE").is_symlink()
        assert (folder / "LICENSE").read_bytes() == licence


def test_the_test_group_has_what_the_tools_of_developers_need() -> None:
    extra = PROJECT["project"]["optional-dependencies"]
    brought = {
        *PROJECT["project"]["dependencies"],
        *PROJECT["dependency-groups"]["test"],
    }
    brought |= {one for name in ("server", "ffmpeg") for one in extra[name]}

    for tool in ("hvcore_client_generator", "hvcore_mediaconvert_local"):
        text = (ROOT / "contrib" / tool / "pyproject.toml").read_text("utf-8")
        for needed in tomllib.loads(text)["project"]["dependencies"]:
            name = re.split("[<>=]", needed)[0]
            assert any(re.split(r"[\[<>=]", one)[0] == name for one in brought), needed


def test_mypy_and_coverage_take_every_folder_of_packages() -> None:
    folders = {"hvcore", "plugins", "contrib", "apps"}

    assert folders <= set(PROJECT["tool"]["mypy"]["files"])
    assert folders == set(PROJECT["tool"]["coverage"]["run"]["source"])


def test_contracts_about_apps_and_plugins_read_each_of_them() -> None:
    listed = PROJECT["tool"]["importlinter"]["contracts"]
    contracts = {c["name"].split()[0]: c for c in listed}
    apps = {i.parent.name for i in ROOT.glob("apps/hvcore_*/__init__.py")}
    offering = {
        f"{plugin.parent.name}.plugin"
        for folder in ("plugins", "contrib")
        for plugin in ROOT.glob(f"{folder}/hvcore_*/plugin.py")
    }
    clients = {"hvcore_client", "hvcore_client_generator", "hvcore_client_js"}
    islands = packages() - apps - clients - {"hvcore"}

    assert set(modules_of(contracts["2"]["source_modules"])) == apps
    assert set(modules_of(contracts["2"]["forbidden_modules"])) == islands
    assert set(modules_of(contracts["4"]["source_modules"])) == islands
    assert set(modules_of(contracts["8"]["source_modules"])) == offering


def test_no_contract_lists_the_plugins_again() -> None:
    plugins = {i.parent.name for i in ROOT.glob("plugins/hvcore_*/__init__.py")}

    listed = [
        (contract["name"], word)
        for contract in PROJECT["tool"]["importlinter"]["contracts"]
        for field in ("layers", "source_modules", "forbidden_modules")
        for entry in contract.get(field, ())
        for word in re.findall(r"[\w.]+", entry)
        if word.split(".")[0] in plugins
    ]
    assert listed == []


def test_every_package_is_typed() -> None:
    folders = [ROOT, *(ROOT / name for name in ("plugins", "contrib", "apps"))]
    inits = [init for f in folders for init in f.glob("hv*/__init__.py")]

    assert [i.parent.name for i in inits if not (i.parent / "py.typed").exists()] == []


def test_every_plugin_is_an_entry_point() -> None:
    plugins = {p.parent.name for p in ROOT.glob("plugins/hvcore_*/__init__.py")}
    contrib = {p.parent.name for p in ROOT.glob("contrib/hvcore_*/plugin.py")}
    named = {p.value.split(".")[0] for p in entry_points(group="hvcore")}

    assert plugins | contrib <= named


def test_loading_the_plugins_imports_no_client_library() -> None:
    code = (
        "import sys; from importlib.metadata import entry_points\n"
        "[point.load() for point in entry_points(group='hvcore')]\n"
        f"print([name for name in {CLIENT_LIBRARIES!r} if name in sys.modules])"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"


def test_no_constraint_names_a_host_or_a_hash() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()

    assert [x for x in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[\w.!+]+", x)] == []


def test_the_lock_has_what_the_service_needs_as_in_the_constraints_with_hashes() -> (
    None
):
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    blocks = re.findall(r"^(\S+)( ;[^\\\n]*)?((?: \\\n +\S+)+)$", lock, re.MULTILINE)

    def plain(name: str) -> str:
        return name.lower().replace("_", "-")

    # With a marker it is for another Python or system than this one.
    locked = {plain(name) for name, marker, _ in blocks if not marker}
    assert locked <= set(map(plain, constraints))
    names = {re.split("[=]=", name)[0] for name in locked}
    extra = PROJECT["project"]["optional-dependencies"]
    wanted = [*PROJECT["project"]["dependencies"], *extra["server"], *extra["rq"]]
    bare = {re.split(r"[\[<>=]", one)[0].lower() for one in wanted} - {"hvcore"}
    assert {*bare, "pip", "setuptools"} <= names
    for _, _, hashes in blocks:
        assert re.fullmatch(r"(?: \\\n +--hash=sha256:[0-9a-f]{64})+", hashes)
    assert "://" not in lock


def test_every_pinned_requirement_has_a_constraint() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in text.split()}
    project = PROJECT["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    groups += PROJECT["dependency-groups"].values()
    wanted = {
        re.split(r"[\[<>=;! ]", requirement)[0].lower()
        for group in groups
        for requirement in group
        if isinstance(requirement, str)
    }

    assert wanted - pinned - {"hvcore"} == set()


MOST_MODULES = 25


def test_no_folder_has_more_modules_than_a_reader_takes_in() -> None:
    counts = Counter(
        str(path.parent.relative_to(ROOT))
        for top in ("hvcore", "plugins", "contrib", "apps", "tests")
        for path in (ROOT / top).rglob("*.py")
        if path.name != "__init__.py"
        # A migration is a module, and none is ever removed.
        and not {"build", "docs_site", "versions"} & {*path.parts}
    )
    larger = {folder: n for folder, n in counts.items() if n > MOST_MODULES}

    assert larger == {}, "split the folder by subject"


WORLDS = {
    "tests/plugins/transcoder_mediaconvert/cloud_world.py": "CloudWorld",
    "tests/services/conftest.py": "World",
    "tests/services/processing/remote_world.py": "RemoteWorld",
    "tests/support/http/world.py": "World",
}
"""Services with all that they stand on: of tests over HTTP, one; at most five in all."""


def test_tests_over_http_share_one_world() -> None:
    found = {
        str(path.relative_to(ROOT)): node.name
        for path in (ROOT / "tests").rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name.endswith("World")
    }

    assert found == WORLDS, "have the world of tests.support.http, and a client of it"


MIRRORED_PERCENT = 40
"""At least; the share of modules whose test has their path. It never falls."""


def test_modules_have_their_test_at_the_mirrored_path() -> None:
    modules = [
        path
        for name, path in sources().items()
        if path.name != "__init__.py" and "versions" not in path.parts and name
    ]

    with_test = [path for path in modules if mirrored_test(path).is_file()]

    assert 100 * len(with_test) / len(modules) >= MIRRORED_PERCENT
