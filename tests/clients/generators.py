"""
The generators of clients, and how each is called.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.support.npm_packages import npm_packages
from tests.support.python_programs import python_programs

CALLS: Final = Path(__file__).with_name("calls")

_PYTHON: Final = (
    "openapi-generator-cli==7.26.0",
    "openapi-python-client==0.29.1",
    "httpx==0.28.1",
    "pydantic==2.14.4",
    "python-dateutil==4.0.0",
    "urllib3==2.8.0",
    "mypy==2.4.1",
    "pytest==9.2.0",
    "types-python-dateutil==2.9.0.20261116",
)
_NPM: Final = (
    "@hey-api/openapi-ts@0.99.0",
    "openapi-fetch@0.17.0",
    "openapi-typescript@7.13.0",
    "orval@8.38.0",
    "typescript@5.9.3",
    "@types/node@20.9.5",
)
_OPENAPI_GENERATOR: Final[Mapping[str, Mapping[str, object]]] = {
    "python": {},
    "typescript-fetch": {},
    "go": {
        # Without it, words of two lists have one name.
        "enumClassPrefix": True,
        "disallowAdditionalPropertiesIfNotPresent": False,
        "packageName": "client",
    },
    "java": {
        "library": "native",
        "openApiNullable": False,
        "dateLibrary": "legacy",
        "disallowAdditionalPropertiesIfNotPresent": False,
        "useJakartaEe": False,
        "documentationProvider": "none",
        "annotationLibrary": "none",
    },
}
"""The languages of openapi-generator, and the options of each."""
_CODE_ALONE: Final = {
    "apiDocs": "false",
    "apiTests": "false",
    "modelDocs": "false",
    "modelTests": "false",
}
_ORVAL: Final = """\
// It cannot send either JSON or a picture, and takes what may be JSON or NDJSON for a
// stream: it is shown the first of them.
const first = (content) => Object.fromEntries(Object.entries(content).slice(0, 1));
const transformer = (document) => {
  for (const item of Object.values(document.paths)) {
    for (const { requestBody, responses } of Object.values(item)) {
      for (const part of [requestBody, ...Object.values(responses ?? {})]) {
        if (part?.content) part.content = first(part.content);
      }
    }
  }
  return document;
};
module.exports = {
  hv: { input: { target: %s, override: { transformer } }, output: %s },
};
"""
_SHORT_LIVED: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of a Java that ends before it is worth compiling well."""

_GENERATED: Final = """\
package javax.annotation;

public @interface Generated {
  String[] value();
  String comments() default "";
  String date() default "";
}
"""
"""The one class that the client for Java takes of a library."""


def npm() -> Path:
    """
    Return the ``node_modules`` with the generators for TypeScript.
    """
    return npm_packages(*_NPM)


def python() -> Path:
    """
    Return the environment with the generators for Python, and with openapi-generator.
    """
    return python_programs(*_PYTHON)


def run(
    command: Sequence[str | Path],
    folder: Path,
    environ: Mapping[str, str] | None = None,
) -> str:
    """
    Run a program, and return what it wrote.
    """
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **(environ or {})},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, (
        f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    )
    return done.stdout


def jar() -> Path:
    """
    Return openapi-generator.
    """
    (found,) = python().glob("lib/*/site-packages/**/openapi-generator*.jar")
    return found


def openapi_generator(document: Path, folder: Path) -> Path:
    """
    Have openapi-generator write a client in each language; return their folder.

    They come without documentation and tests of their own. Java starts once.
    """
    java = shutil.which("java")
    assert java, "java is needed; fix: apt install default-jdk-headless"
    orders = []
    for language, options in _OPENAPI_GENERATOR.items():
        orders.append(folder / f"{language}.json")
        order = {
            "generatorName": language,
            "inputSpec": str(document),
            "outputDir": str(folder / language),
            "additionalProperties": options,
            "globalProperties": _CODE_ALONE,
        }
        orders[-1].write_text(json.dumps(order))
    command: list[str | Path] = [java, *_SHORT_LIVED, "-Xmx1g", "-jar", jar(), "batch"]
    run([*command, "--threads", "1", *orders], folder)
    return folder


def openapi_python_client(document: Path, folder: Path) -> None:
    """
    Write ``video_hosting_and_delivery_client``.
    """
    program = python() / "bin" / "openapi-python-client"
    command = [program, "generate", "--path", document, "--output-path", folder]
    told = run([*command, "--overwrite"], document.parent)
    # It sends no WebVTT and no pictures, and says so of these bodies.
    assert "Endpoint will not be generated" not in told, told


def check_python(folder: Path, *calls: Path) -> None:
    """
    Compile the clients in a folder, and check the types of calls and of what they use.
    """
    programs = python() / "bin"
    run([programs / "python", "-m", "compileall", "-q", "."], folder)
    command = [programs / "mypy", "--cache-dir", os.devnull]
    run([*command, *calls], folder, {"MYPYPATH": str(folder)})


def go_client(generated: Path, folder: Path) -> Path:
    """
    Compile the client in Go, and return the program of its calls.
    """
    go = shutil.which("go")
    assert go, "go is needed; fix: apt install golang-go"
    shutil.copytree(generated / "go", folder / "client")
    for name in ("go.mod", "go.sum"):
        (folder / "client" / name).unlink()
    (folder / "go.mod").write_text("module hv\n\ngo 1.19\n")
    shutil.copy(CALLS / "main.go", folder)
    run([go, "build", "-o", folder / "calls", "."], folder, {"GOFLAGS": "-mod=mod"})
    return folder / "calls"


def java_client(generated: Path, folder: Path) -> Sequence[str | Path]:
    """
    Compile the client in Java, and return the command of its calls.
    """
    annotation = folder / "Generated.java"
    annotation.write_text(_GENERATED)
    classes = folder / "classes"
    sources = sorted((generated / "java" / "src" / "main").rglob("*.java"))
    # openapi-generator is written in Java, and brings what its clients need.
    path = f"{classes}:{jar()}"
    javac = shutil.which("javac")
    assert javac, "javac is needed; fix: apt install default-jdk-headless"
    options: list[str | Path] = [f"-J{option}" for option in _SHORT_LIVED]
    options += ["-nowarn", "-proc:none", "-d", classes, "-cp", path]
    run([javac, *options, *sources, annotation, CALLS / "Calls.java"], folder)
    return ["java", "-cp", path, "Calls"]


def typescript_clients(document: Path, generated: Path, folder: Path) -> None:
    """
    Bring the client of openapi-generator, and write that of openapi-typescript.
    """
    clients, programs = folder / "clients", npm() / ".bin"
    shutil.copytree(generated / "typescript-fetch", clients / "typescript-fetch")
    types = clients / "openapi-typescript.ts"
    # With it, what has a default would have to be sent.
    options = ["--default-non-nullable", "false"]
    run([programs / "openapi-typescript", document, "-o", types, *options], folder)


def hey_api(document: Path, folder: Path) -> None:
    """
    Have hey-api write ``clients/hey-api``.
    """
    output = folder / "clients" / "hey-api"
    run([npm() / ".bin" / "openapi-ts", "-i", document, "-o", output], folder)


def orval(document: Path, folder: Path, url: str) -> None:
    """
    Have orval write ``clients/orval.ts``, for one address.
    """
    config = folder / "orval.config.cjs"
    output = {
        "target": str(folder / "clients" / "orval.ts"),
        "client": "fetch",
        "baseUrl": url,
    }
    config.write_text(_ORVAL % (json.dumps(str(document)), json.dumps(output)))
    run([npm() / ".bin" / "orval", "--config", config], folder)


def compile_typescript(folder: Path, clients: Sequence[str]) -> Path:
    """
    Compile clients and their calls strictly; return the folder of the compiled calls.
    """
    calls = [CALLS / f"{client}.ts" for client in clients]
    (folder / "calls").mkdir()
    for source in calls:
        shutil.copy(source, folder / "calls")
    options = {
        "strict": True,
        "target": "es2022",
        "module": "commonjs",
        "moduleResolution": "node10",
        "esModuleInterop": True,
        "lib": ["es2022", "dom", "dom.iterable"],
        "types": ["node"],
        "skipLibCheck": True,
        "outDir": "compiled",
        "rootDir": ".",
    }
    files = [f"calls/{source.name}" for source in calls]
    described = {"compilerOptions": options, "files": files}
    (folder / "tsconfig.json").write_text(json.dumps(described))
    run([npm() / ".bin" / "tsc", "-p", folder], folder)
    return folder / "compiled" / "calls"
