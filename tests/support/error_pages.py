"""
The documentation's page of each error code, made from the code and from ``errors.toml``.

``python -m tests.support.error_pages`` writes the pages.
"""

import importlib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import hvcore_client
from hvcore.errors import HvError
from hvcore_client.errors import Refusal, error_of

FOLDER: Final = Path(__file__).parents[2] / "docs" / "errors"
TEXTS: Final = FOLDER / "errors.toml"
# Other apps show their errors on pages, to people.
SOURCES: Final = (
    "hvcore.errors",
    "hvcore.domain.uploads.resumable",
    "hvcore_web.errors",
)


def documented_errors() -> dict[str, type[HvError]]:
    """Return the errors that callers can get, by their codes."""
    found: dict[str, type[HvError]] = {}
    for name in SOURCES:
        for error in vars(importlib.import_module(name)).values():
            if (
                isinstance(error, type)
                and issubclass(error, HvError)
                and error is not HvError
            ):
                found.setdefault(error.code, error)
    return dict(sorted(found.items()))


def all_codes() -> set[str]:
    """Return the codes of all errors of the packages that are loaded."""
    return {error.code for error in _below(HvError)}


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    texts = tomllib.loads(TEXTS.read_text(encoding="utf-8"))
    errors = documented_errors()
    made = {f"{c}.md": _page(c, error, texts[c]) for c, error in errors.items()}
    return {"index.md": _index(errors, texts), **made}


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


_THROWN: Final[Mapping[str, str]] = {
    "already_deleted": "AlreadyDeletedError",
    "precondition_failed": "PreconditionFailedError",
}
"""The classes of the client for JavaScript besides ``ApiError``."""


def _below(error: type[HvError]) -> Iterator[type[HvError]]:
    for narrower in error.__subclasses__():
        yield narrower
        yield from _below(narrower)


def _page(code: str, error: type[HvError], text: Mapping[str, Any]) -> str:
    refusal = Refusal(request="GET /", status=error.status, code=code)
    raised = type(error_of(refusal)).__name__
    assert hasattr(hvcore_client, raised)
    steps = "\n".join(f"- {step}" for step in text["do"])
    return f"""# `{code}`

{text["means"]}

| | |
|---|---|
| Status | {error.status} |
| Usual `detail` | {error.default_detail} |
| Python client | raises `hvcore_client.{raised}` with `code == "{code}"` |
| JavaScript client | throws `{_THROWN.get(code, "ApiError")}` with `code === "{code}"` |

## What to do

{steps}
"""


def _index(
    errors: Mapping[str, type[HvError]], texts: Mapping[str, Mapping[str, Any]]
) -> str:
    rows = "\n".join(
        f"| [`{code}`]({code}.md) | {error.status} | {texts[code]['means'].split('. ')[0].rstrip('.')} |"
        for code, error in errors.items()
    )
    listed = "\n".join(errors)
    return f"""# Error codes

This page lists the `code` of each error that the API, uploads and the player answer. Each code has
a page with its meaning and what to do; answers link to it (`Link: <…>; rel="help"`).

| Code | Status | Meaning |
|---|---|---|
{rows}

```{{toctree}}
:hidden:
{listed}
```
"""


if __name__ == "__main__":
    main()
