"""Finish the built site: a policy without ``unsafe-inline``, Markdown, and ``llms.txt``."""

import base64
import hashlib
import json
import os
import re
import shutil
from importlib import metadata
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

INLINE = re.compile(r"<(script|style)\b([^>]*)>(.*?)</\1>", re.DOTALL)
# Attributes of styles cannot be allowed one by one: those of Furo's icons become
# attributes of SVG that look the same.
REPLACED = {
    # Readers of screens want the level of each heading.
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    'style="display: none;"': 'width="0" height="0" class="hidden-icons"',
    'style="opacity: 50%"': 'opacity="0.5"',
}
STYLE_ATTRIBUTE = re.compile(r'\sstyle="[^"]*"')
MARKDOWN_LINK = re.compile(r"\]\(([^)\s:]+)\)")
INCLUDED = re.compile(r"```\{include\} (\S+)")


LISTED = (
    "decisions/0",
    "measured/",
    "reference/commands/",
    "reference/embedding/",
    "reference/hooks/",
    "reference/ports/",
    "reference/settings/",
)
"""Prefixes of pages that stand in the list of a README and not in the navigation."""

ROOT_PAGES = {
    "CONTRIBUTING": "contributing",
    "CHANGELOG": "changes",
    "SECURITY": "security",
}
"""Pages beside the folder of the documentation, and what includes them."""
TO_ROOT_PAGE = re.compile(rf"\]\((?:\.\./)+({'|'.join(ROOT_PAGES)})\.md")


def lead_into_site(_app: Sphinx, _name: str, source: list[str]) -> None:
    """Have links to pages beside the folder lead to the pages that include them."""
    source[0] = TO_ROOT_PAGE.sub(
        lambda found: f"](/{ROOT_PAGES[found[1]]}.md", source[0]
    )


def hide_decisions(app: Sphinx, _doctree: nodes.document) -> None:
    """Leave pages of a list out of the navigation of each page: their README has it."""
    name = app.env.docname
    if name.startswith(LISTED) and not name.endswith("README"):
        app.env.metadata[name]["orphan"] = True


def finish(app: Sphinx, failure: Exception | None) -> None:
    """Write the policy, the Markdown sources, ``llms.txt`` and the licences into the built site."""
    if failure or app.builder.name != "html":
        return
    site = Path(app.outdir)
    policy: dict[str, set[str]] = {"script": set(), "style": set()}
    for page in site.rglob("*.html"):
        _make_strict(page, policy)
    # Some browsers ask the policy about the style within a picture, too.
    for picture in site.rglob("*.svg"):
        _note_inline(picture.read_text(encoding="utf-8"), policy)
    (site / "policy.json").write_text(
        json.dumps({kind: sorted(hashes) for kind, hashes in policy.items()}),
        encoding="utf-8",
    )
    _write_markdown(app, site)
    _write_llms(app, site)
    _copy_licences(site / "licences")
    for leftover in (*site.rglob("*.map"), site / ".buildinfo", site / "objects.inv"):
        leftover.unlink(missing_ok=True)


def _included(source: Path) -> Path:
    """Return the page that a page only includes, or the page itself."""
    found = INCLUDED.match(source.read_text(encoding="utf-8"))
    return source.parent / found[1] if found else source


def _write_markdown(app: Sphinx, site: Path) -> None:
    """Write the source of each page; its links lead to what the site has."""
    docs = Path(app.srcdir)
    sources = {
        name: _included(Path(app.env.doc2path(name))).resolve()
        for name in app.env.all_docs
    }
    places = {source: f"{name}.md" for name, source in sources.items()}
    for path, (_, file) in app.env.images.items():
        places[(docs / path).resolve()] = f"_images/{file}"
    for path, (_, file) in app.env.dlfiles.items():
        places[(docs / path).resolve()] = f"_downloads/{file}"
    for name, source in sources.items():

        def lead(found: re.Match[str], name: str = name, source: Path = source) -> str:
            path, anchor, rest = found[1].partition("#")
            place = places.get((source.parent / path).resolve()) if path else None
            if place is None:
                return found[0]
            way = os.path.relpath(place, Path(name).parent)
            return f"]({way}{anchor}{rest})"

        text = MARKDOWN_LINK.sub(lead, source.read_text(encoding="utf-8"))
        (site / f"{name}.md").write_text(text, encoding="utf-8")


def _make_strict(page: Path, policy: dict[str, set[str]]) -> None:
    """Take styles out of attributes, and note the hashes of inline scripts and styles."""
    text = page.read_text(encoding="utf-8")
    for written, wanted in REPLACED.items():
        text = text.replace(written, wanted)
    if found := STYLE_ATTRIBUTE.search(text):
        raise ValueError(f"{page}: no policy allows{found[0]}; use a class.")
    _note_inline(text, policy)
    page.write_text(text, encoding="utf-8")


def _note_inline(text: str, policy: dict[str, set[str]]) -> None:
    """Note the hashes of inline scripts and styles of a page or a picture."""
    for kind, _, content in INLINE.findall(text):
        if not content:
            continue
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        policy[kind].add(f"'sha256-{digest}'")


def _copy_licences(folder: Path) -> None:
    """Copy the licences of the programs whose scripts and styles the pages load."""
    folder.mkdir(exist_ok=True)
    for name in ("sphinx", "furo", "sphinx-copybutton", "sphinx-design"):
        (licence,) = (
            path
            for path in metadata.files(name) or ()
            if "dist-info" in path.parts[0] and path.name.startswith("LICENSE")
        )
        shutil.copyfile(licence.locate(), folder / f"{name}.txt")


def _write_llms(app: Sphinx, site: Path) -> None:
    """List all pages for programs; see https://llmstxt.org."""
    index = app.env.get_doctree(app.config.root_doc)
    lines = [f"# {app.config.project}", "", f"> {_first_sentences(index)}", ""]
    names = sorted(app.env.all_docs)
    for title, is_of in SECTIONS.items():
        lines += [f"## {title}", ""]
        for name in filter(is_of, names):
            doctree = app.env.get_doctree(name)
            about = _first_sentences(doctree)
            title_of = app.env.titles[name].astext()
            lines.append(f"- [{title_of}]({name}.md): {about}")
        lines.append("")
    (site / "llms.txt").write_text("\n".join(lines), encoding="utf-8")


def _first_sentences(doctree: nodes.document) -> str:
    """Return the first paragraph of a page, up to its first full stop after a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        return re.split(r"(?<=[a-z)`]\.) ", text, maxsplit=1)[0]
    return ""


SECTIONS = {
    "Tutorials": lambda name: name.startswith("tutorials/"),
    "How to": lambda name: name.startswith("how-to/"),
    "Reference": lambda name: name.startswith(("reference/", "errors/")),
    "Explanation": lambda name: name.startswith("explanation/"),
    "Optional": lambda name: name.startswith(("decisions/README", "measured/")),
}
"""By what the names of their pages begin with; the last may be left out by programs."""
