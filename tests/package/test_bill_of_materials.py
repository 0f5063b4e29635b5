"""
The SBOM, but for what cyclonedx-py itself finds.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
FOUND: Final = {
    "bomFormat": "CycloneDX",
    "metadata": {"component": {"bom-ref": "root-component", "name": "hvcore"}},
    "components": [{"bom-ref": "attrs==26.1.0", "name": "attrs"}],
    "dependencies": [
        {"ref": "attrs==26.1.0"},
        {"ref": "root-component", "dependsOn": ["attrs==26.1.0"]},
    ],
}


def sbom(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / ".ci/sbom", "some/python"],
        env={**os.environ, "PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def names_of(components: list[dict[str, str]]) -> set[str]:
    return {one["name"] for one in components}


def test_the_libraries_of_pages_are_in_it(tmp_path: Path) -> None:
    tool = tmp_path / "cyclonedx-py"
    tool.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "assert sys.argv[1:4] == ['environment', '--of', 'JSON'], sys.argv\n"
        "assert sys.argv[-1] == 'some/python', sys.argv\n"
        f"print({json.dumps(FOUND)!r})\n"
    )
    tool.chmod(0o700)

    done = sbom(tmp_path)

    assert done.stderr == ""
    made = json.loads(done.stdout)
    vendored = {
        name: package
        for app in ("hvcore_dashboard", "hvcore_player")
        for name, package in json.loads(
            (ROOT / "apps" / app / "vendor.json").read_text()
        ).items()
    }
    attrs, *libraries = made["components"]
    assert attrs["name"] == "attrs"
    assert {one["purl"] for one in libraries} == {
        f"pkg:npm/{name}@{package['version']}" for name, package in vendored.items()
    }
    assert {one["name"]: one["licenses"] for one in libraries} == {
        name: [{"license": {"id": package["license"]}}]
        for name, package in vendored.items()
    }
    assert all(len(one["hashes"][0]["content"]) == 128 for one in libraries)
    assert {one["name"]: names_of(one["components"]) for one in libraries} == {
        name: set(package.get("bundles", {})) for name, package in vendored.items()
    }
    own = made["dependencies"][1]
    assert set(own["dependsOn"]) == {one["bom-ref"] for one in made["components"]}


def test_a_machine_without_cyclonedx_is_told_how_to_install_it(tmp_path: Path) -> None:
    done = sbom(tmp_path)

    assert done.returncode == 1
    assert done.stderr == ("cyclonedx-py is missing; fix: pip install cyclonedx-bom\n")


def test_the_list_of_third_parties_is_made_of_the_vendor_lists() -> None:
    made = subprocess.run(
        [sys.executable, ROOT / ".ci/third-party"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert (ROOT / "THIRD_PARTY.md").read_text("utf-8") == made.stdout


def test_each_library_of_pages_lies_beside_the_text_of_its_licence() -> None:
    words = {
        "0BSD": "Permission to use, copy, modify",
        "Apache-2.0": "Apache License, Version 2.0",
        "MIT": "Permission is hereby granted, free of charge",
    }
    for listed in ROOT.glob("apps/hvcore_*/vendor.json"):
        for package in json.loads(listed.read_text("utf-8")).values():
            text = listed.parent / "static/vendor" / package["files"]["package/LICENSE"]
            said = " ".join(text.read_text("utf-8").split())
            assert words[package["license"]] in said, text


def test_each_bundled_library_lies_beside_the_text_of_its_licence() -> None:
    words = {
        "Apache-2.0": "Apache License 2.0, below",
        "BSD-3-Clause": "Redistribution and use in source and binary forms",
        "ISC": "Permission to use, copy, modify",
        "MIT": "Permission is hereby granted, free of charge",
    }
    for listed in ROOT.glob("apps/hvcore_*/vendor.json"):
        for package in json.loads(listed.read_text("utf-8")).values():
            if "bundles" not in package:
                continue
            name = package["files"]["package/LICENSE"].replace("LICENSE", "BUNDLED")
            text = (listed.parent / "static/vendor" / name).read_text("utf-8")
            headings = re.findall(
                r"^=== (.+?)(?: ([\d.]+)|, adapted) \((.+)\)$", text, re.MULTILINE
            )
            assert [(*found,) for found in headings] == [
                (inner, found.get("version", ""), found["license"])
                for inner, found in package["bundles"].items()
            ]
            parts = re.split(r"^=== .+\n", text, flags=re.MULTILINE)[1:]
            for found, part in zip(package["bundles"].values(), parts, strict=False):
                assert words[found["license"]] in " ".join(part.split())
            if "Apache-2.0" in {
                found["license"] for found in package["bundles"].values()
            }:
                assert "=== Apache License 2.0\n" in text


@pytest.mark.long
@pytest.mark.services
def test_the_source_maps_of_vendored_files_name_no_package_that_is_not_listed(
    tmp_path: Path,
) -> None:
    for listed in ROOT.glob("apps/hvcore_*/vendor.json"):
        for name, package in json.loads(listed.read_text("utf-8")).items():
            spec = f"{name}@{package['version']}"
            command = ["npm", "pack", "--silent", "--ignore-scripts", spec]
            done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, check=True
            )
            with tarfile.open(tmp_path / done.stdout.strip()) as archive:
                maps = {f"{file}.map" for file in package["files"]}
                sources = [
                    source
                    for member in archive.getmembers()
                    if member.name in maps and (file := archive.extractfile(member))
                    for source in json.load(file)["sources"]
                ]
            inner = {
                found[1]
                for source in sources
                if (found := re.search(r"node_modules/((?:@[^/]+/)?[^/]+)", source))
            }
            assert inner <= set(package.get("bundles", {})), name
