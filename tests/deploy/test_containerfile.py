"""
The image: small, without root, and without what belongs elsewhere.

The rules are those that hadolint has for such files.
"""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from tests.deploy.deployments import FOLDER, ROOT, parse_command

TEXT: Final = (FOLDER / "Containerfile").read_text(encoding="utf-8")
KNOWN: Final = {
    *("CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK"),
    *("RUN", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"),
}


def instructions(text: str) -> list[tuple[str, str]]:
    """
    Return the instructions and their words, each on one line.
    """
    lines = [
        x for x in text.splitlines() if x.strip() and not x.lstrip().startswith("#")
    ]
    whole = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(n, rest) for n, _, rest in (x.partition(" ") for x in whole.splitlines())]


def complaints(text: str) -> list[str]:
    """
    Return what is wrong with a file; each begins with hadolint's number of the rule.
    """
    found = instructions(text)
    wrong = [f"DL1000 {name} is unknown" for name, _ in found if name not in KNOWN]
    bases = [rest.split() for name, rest in found if name == "FROM"]
    stages = {words[2] for words in bases if len(words) == 3}
    for base, *_ in bases:
        if base not in stages and not re.fullmatch(r"[a-z0-9./-]+:[\w.-]+", base):
            wrong.append(f"DL3006 {base} has no tag")
        if base.endswith(":latest"):
            wrong.append(f"DL3007 {base}")
    for name, rest in found:
        wrong += _complaints_of_one(name, rest, stages)
    users = [rest for name, rest in found if name == "USER"]
    if not users or re.fullmatch(r"(root|0)(:.*)?", users[-1]):
        wrong.append("DL3002 the last user is root")
    if users and not re.fullmatch(r"\d+:\d+", users[-1]):
        wrong.append("HV1 the user is no number")
    if "HEALTHCHECK" not in dict(found):
        wrong.append("DL3057 no health check")
    return wrong


def _complaints_of_one(name: str, rest: str, stages: set[str]) -> list[str]:
    wrong = []
    if name in {"CMD", "ENTRYPOINT", "VOLUME"} and not rest.startswith("["):
        wrong.append(f"DL3025 {name} is not in exec form")
    if name == "HEALTHCHECK" and "CMD [" not in rest:
        wrong.append("DL3025 HEALTHCHECK is not in exec form")
    if name == "WORKDIR" and not rest.startswith("/"):
        wrong.append(f"DL3000 {rest} is relative")
    if (
        name == "COPY"
        and "--from=" in rest
        and rest[7:].partition(" ")[0] not in stages
    ):
        wrong.append(f"DL3022 {rest}")
    if name == "RUN":
        wrong += _complaints_of_a_run(rest)
    if name in {"ENV", "RUN"} and re.search(r"(?i)password|token=|secret=", rest):
        wrong.append(f"HV2 a secret in {name}")
    return wrong


def _complaints_of_a_run(rest: str) -> list[str]:
    wrong = []
    if re.search(r"\b(sudo|ssh|curl|wget)\b", rest):
        wrong.append(f"DL3004 {rest}")
    if "apt-get install" in rest:
        plain = re.sub(r"\s+", " ", rest)
        wrong += [
            f"DL3009 apt-get install without {words}"
            for words in ("apt-get update &&", "--no-install-recommends", "-y")
            if words not in plain
        ]
        if "rm -rf /var/lib/apt/lists/*" not in rest:
            wrong.append("DL3009 apt's lists stay")
    if "pip install" in rest and "--no-cache-dir" not in rest:
        wrong.append("DL3042 pip's cache stays")
    if "pip install" in rest and "--constraint" not in rest:
        wrong.append("DL3013 pip without versions")
    return wrong


def test_nothing_is_wrong_with_the_file() -> None:
    assert complaints(TEXT) == []


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("FROM debian:12-slim AS build", "FROM debian AS build", "DL3006"),
        ("FROM debian:12-slim AS build", "FROM debian:latest AS build", "DL3007"),
        ("USER 10001:10001", "USER root", "DL3002"),
        ("USER 10001:10001", "USER hv", "HV1"),
        (' ["up", "--host", "0.0.0.0"]', " up --host 0.0.0.0", "DL3025"),
        ("    && rm -rf /var/lib/apt/lists/*", "    && true", "DL3009"),
        ("--from=build", "--from=builder", "DL3022"),
        ("--no-cache-dir ", "", "DL3042"),
        ("HEALTHCHECK", "LABEL", "DL3057"),
        ("    HV_DATA=/data", "    HV_TOKEN=abc", "HV2"),
    ],
)
def test_what_is_wrong_is_found(before: str, after: str, rule: str) -> None:
    assert before in TEXT

    found = complaints(TEXT.replace(before, after))

    assert rule in {complaint.split()[0] for complaint in found}


def test_the_image_runs_hv() -> None:
    found = dict(instructions(TEXT))
    entry = json.loads(found["ENTRYPOINT"])

    assert entry[-1] == "hv"
    parse_command(json.loads(found["CMD"]))


def test_it_is_healthy_while_the_api_lives() -> None:
    check = dict(instructions(TEXT))["HEALTHCHECK"]

    assert "http://127.0.0.1:8080/health/live" in check


def test_what_it_copies_is_all_that_the_package_needs() -> None:
    copied = {
        word.rstrip("/")
        for name, rest in instructions(TEXT)
        if name == "COPY" and "--from" not in rest
        for word in rest.split()[:-1]
    }

    assert [name for name in copied if not (ROOT / name).exists()] == []
    sources = {"hvcore", "plugins", "contrib", "apps"}
    build = {
        "pyproject.toml",
        "setup.py",
        "constraints.txt",
        "requirements.lock",
        "hv",
        "LICENSE",
        "THIRD_PARTY.md",
        "README.md",
    }
    assert copied == sources | build


def test_no_file_for_deployers_names_the_host_of_a_registry() -> None:
    hosts = re.compile(
        r"pypi\.org|pythonhosted|npmjs|deb\.debian|docker\.io|ghcr\.io|quay\.io"
    )
    files = [path for path in FOLDER.rglob("*") if path.is_file()]

    assert files
    assert [p for p in files if hosts.search(Path(p).read_text("utf-8"))] == []


def test_the_launcher_finds_in_the_image_each_file_that_it_reads() -> None:
    launcher = (ROOT / "hv").read_text(encoding="utf-8")
    read = set(re.findall(r'ROOT / "([\w.-]+\.(?:txt|lock|toml))"', launcher))
    copied = {
        word
        for name, rest in instructions(TEXT)
        if name == "COPY" and "--from" not in rest
        for word in rest.split()
    }

    assert "requirements.lock" in read
    assert read <= copied
