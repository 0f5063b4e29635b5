"""Each generated page of docs/reference, by its file."""

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from hvcore import hookspecs
from hvcore.hookspecs import Backend
from hvcore.registry import KINDS, Kind
from hvcore.settings import env_name
from tests.plugin_faults.faults_of_loading import LOADING
from tests.support.plugin_reference import embedding_page, values_page
from tests.support.plugin_reference.examples import Example
from tests.support.plugin_reference.markdown import as_sentence, code, from_docstring
from tests.support.plugin_reference.shipped_code import (
    ROOT,
    callers,
    given,
    having,
    implementing,
    offering,
)
from tests.support.plugin_reference.source import (
    Member,
    class_node,
    fields_of,
    function_signature,
    members_of,
)
from tests.support.plugin_reference.subjects import (
    PORTS,
    hook_example,
    kits_by_name,
    ports,
)

REFERENCE: Final = ROOT / "docs" / "reference"
GENERATED: Final = ("embedding", "hooks", "ports")
NOTE: Final = "<!-- Written by: python -m tests.support.plugin_reference -->"


def pages() -> Mapping[Path, str]:
    """Return the text of each page that is written from code."""
    found = {
        REFERENCE / "ports" / "README.md": _ports_index(),
        REFERENCE / "hooks" / "README.md": _hooks_index(),
        REFERENCE / "plugin-values.md": values_page.page(NOTE),
        REFERENCE / "embedding" / "README.md": _embedding_index(),
    }
    for subject in embedding_page.SUBJECTS:
        file = REFERENCE / "embedding" / f"{subject}.md"
        found[file] = embedding_page.page(subject, NOTE)
    for name, port in ports().items():
        found[REFERENCE / "ports" / f"{name}.md"] = _port_page(name, port)
    for kind in KINDS.values():
        found[REFERENCE / "hooks" / f"{kind.hook}.md"] = _hook_page(kind)
    return {file: _joined(parts) for file, parts in found.items()}


def _joined(parts: Iterator[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _port_page(name: str, port: type) -> Iterator[str]:
    subject = PORTS[name]
    yield f"# {name}"
    yield NOTE
    yield from_docstring(port.__doc__ or "")
    yield from _offered_by(name, port)
    yield "## Methods"
    for base in _bases(port):
        if base is not port:
            yield f"It also has the methods of [{base.__name__}]({base.__name__}.md)."
    is_protocol = getattr(port, "_is_protocol", False)
    for member in members_of(port, is_protocol=is_protocol):
        yield from _member(member, is_given=bool(subject.given_as))
    module = _rules_of_module(port)
    if any(kind.port is port for kind in KINDS.values()) and module:
        yield "## Rules for all of it"
        yield module
    yield from _example(subject.example())
    yield "## Who uses it"
    yield from _users(name, port)
    yield "## Faults that its kit finds"
    if not subject.kits:
        yield subject.unproven
    for kit in subject.kits:
        yield from _kit(kit)


def _rules_of_module(port: type) -> str:
    """Return the docstring of a port's module without its first sentence."""
    doc = importlib.import_module(port.__module__).__doc__ or ""
    return from_docstring(doc.strip().partition("\n\n")[2])


def _bases(port: type) -> list[type]:
    known = ports()
    return [base for base in port.__mro__ if known.get(base.__name__) is base]


def _offered_by(name: str, port: type) -> Iterator[str]:
    for kind in KINDS.values():
        hook = f"[`{kind.hook}`](../hooks/{kind.hook}.md)"
        if kind.port is port:
            yield f"A plugin offers one by the hook {hook}."
        elif port in kind.abilities:
            yield (
                f"It stands beside [{kind.port.__name__}]({kind.port.__name__}.md), "
                f"which a plugin offers by the hook {hook}. `hv plugins` lists it as "
                f"`{name}`."
            )


def _member(member: Member, *, is_given: bool) -> Iterator[str]:
    yield f"### {member.name}"
    yield code(member.signature)
    if not member.is_required and not is_given:
        yield "A backend need not write it."
    yield from_docstring(member.doc)


def _example(example: Example) -> Iterator[str]:
    yield "## Example"
    yield f"{example.about} (`{example.file.as_posix()}`):"
    yield code(example.code)


def _users(name: str, port: type) -> Iterator[str]:
    if field := PORTS[name].given_as:
        yield f"Shipped plugins that take it from their `BuildContext`, as `{field}`:"
        yield _list(map(_named, given(field)))
    else:
        yield "Shipped plugins that implement it:"
        found = {one.name: one for one in implementing(name)}
        if getattr(port, "_is_protocol", False):
            found |= {one.name: one for one in having([*_names(port)])}
        yield _list(f"`{one.name}` in {_named(one.file)}" for one in found.values())
    yield "Packages of the service that name it:"
    yield _list(f"`{one}`" for one in callers().get(name, ()))


def _names(port: type) -> Iterator[str]:
    return (member.name for member in members_of(port))


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {one}" for one in items) or "- none"


def _named(file: Path) -> str:
    return f"`{file.as_posix()}`"


def _kit(name: str) -> Iterator[str]:
    module, _, short = name.rpartition(".")
    yield f"`hvcore.{module}.{short}` finds each backend that breaks one of these promises:"
    kit = kits_by_name()[name]
    tests = sorted(one for one in dir(kit) if one.startswith("test_"))
    lines = []
    for test in tests:
        doc = (getattr(kit, test).__doc__ or "").strip().partition("\n\n")[0]
        said = f" ({' '.join(doc.split()).rstrip('.')})" if doc else ""
        lines.append(f"- {as_sentence(test)}{said}.")
    yield "\n".join(lines).replace("``", "`")


def _hook_page(kind: Kind) -> Iterator[str]:
    hook = getattr(hookspecs, kind.hook)
    yield f"# {kind.hook}"
    yield NOTE
    yield from_docstring(hook.__doc__ or "")
    yield code(function_signature(hook).replace("@hookspec\n", "@hookimpl\n"))
    yield from_docstring((hookspecs.__doc__ or "").strip().partition("\n\n")[2])
    yield (
        "Called once in each process that loads plugins, in a thread of its own, with "
        "no argument. It may yield or return its records; what it raises is told, and "
        "keeps no other plugin out."
    )
    yield from _chosen_by(kind)
    yield f"## {kind.record.__name__}"
    yield from_docstring(kind.record.__doc__ or "")
    yield code("\n".join(_record_fields(kind)))
    if kind.record.__doc__ and "Attributes" in (Backend.__doc__ or ""):
        yield from_docstring((Backend.__doc__ or "").split("\n\n", 1)[1])
    yield from _example(hook_example(kind.name))
    yield "## Who uses it"
    yield "Shipped plugins that offer something by it:"
    yield _list(map(_named, offering(kind.hook)))
    yield (
        "`hvcore/registry` calls it, and `hvcore/assembly` builds what the settings "
        "choose."
    )
    yield "## Faults that are told when it is called"
    yield _told_faults()


def _chosen_by(kind: Kind) -> Iterator[str]:
    if kind.is_added:
        yield (
            "No setting chooses any: what is installed is used. "
            "`HV_PLUGIN__DISABLED=<plugin>` leaves a plugin out."
        )
    else:
        chosen = f"`{kind.setting}` (`HV_{env_name(kind.setting)}`)"
        several = "names those that are used" if kind.has_several else "chooses one"
        yield f"The setting {chosen} {several}, by the name of the record."
    if kind.port.__name__ in PORTS:
        yield f"The port is [{kind.port.__name__}](../ports/{kind.port.__name__}.md)."


def _record_fields(kind: Kind) -> Iterator[str]:
    yield f"class {class_node(kind.record).name}:"
    for one in (*fields_of(Backend), *fields_of(kind.record)):
        yield f"    {one}"


def _told_faults() -> str:
    return "\n".join(f"- {name[:1].upper()}{name[1:]}." for name in LOADING)


def _ports_index() -> Iterator[str]:
    yield "# Ports"
    yield NOTE
    yield (
        "A port is a class that a plugin implements, or that the service gives to a "
        "plugin. [The plugin API](../plugin-api.md) says what is promised and [how a "
        "method is called](../plugin-api.md#how-a-method-is-called); [the values](../plugin-values.md) "
        "that methods take and give have a page."
    )
    yield _table(("port", "what it is"), _port_rows())


def _port_rows() -> Iterator[tuple[str, str]]:
    for name, port in ports().items():
        yield f"[{name}]({name}.md)", _first(port.__doc__)


def _hooks_index() -> Iterator[str]:
    yield "# Hooks"
    yield NOTE
    yield (
        "A hook is a function of a plugin's module, marked with `@hookimpl`. [Write a "
        "plugin](../../how-to/plugins.md) and [Add to the service](../../how-to/extend.md) "
        "show them at work."
    )
    yield _table(
        ("hook", "record", "port", "what it does"),
        (
            (
                f"[{kind.hook}]({kind.hook}.md)",
                f"`{kind.record.__name__}`",
                f"[{kind.port.__name__}](../ports/{kind.port.__name__}.md)"
                if kind.port.__name__ in PORTS
                else "",
                _first(getattr(hookspecs, kind.hook).__doc__),
            )
            for kind in KINDS.values()
        ),
    )


def _embedding_index() -> Iterator[str]:
    yield "# hvcore.embedding"
    yield NOTE
    yield (
        "This page lists what a program imports to embed hvcore, each name with a link to its "
        "signature and its promise. "
        f"{embedding_page.HOW_TO} shows the names at work; [The plugin API](../plugin-api.md) "
        "says what is promised of them."
    )
    yield _table(("page", "what the page is for"), embedding_page.pages_table())
    yield "## All names"
    yield _table(("name", "page"), embedding_page.names_table())


def _first(doc: str | None) -> str:
    return from_docstring((doc or "").strip().partition("\n\n")[0].replace("\n", " "))


def _table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(
        f"| {' | '.join(' '.join(c.split()) for c in one)} |" for one in lines
    )
