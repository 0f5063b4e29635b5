"""
Build the documentation as a site: ``tox -e docs``.

The pages go into the package that serves them. ``site_pages.py`` beside this file makes what a
strict content security policy and programs need of them.
"""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from site_pages import finish, hide_decisions, lead_into_site  # noqa: E402

VERSION = re.compile(r'^__version__: Final = "(.+)"$', re.MULTILINE)
project = "hvcore"
author = "the hvcore contributors"
project_copyright = "the hvcore contributors; Apache License 2.0"
release = VERSION.search((DOCS.parent / "hvcore/__init__.py").read_text("utf-8"))[1]

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["examples", "_static"]
suppress_warnings = ["misc.highlighting_failure"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "hvcore"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["scrollers.js"]
html_search_scorer = str(DOCS / "search_scorer.js")
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_theme_options = {
    "top_of_page_buttons": [],
    # The colours of all pages of the service; see hvcore_web/page.css.
    "light_css_variables": {
        "color-brand-primary": "#0b5cc0",
        "color-brand-content": "#0b5cc0",
        "color-background-primary": "#fff",
        "color-background-secondary": "#f6f7f9",
        "color-foreground-primary": "#1b1f24",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7ab6ff",
        "color-brand-content": "#7ab6ff",
        "color-background-primary": "#0f1216",
        "color-background-secondary": "#181c22",
        "color-foreground-primary": "#e8ebef",
    },
}


def setup(app: Sphinx) -> None:
    """Have the site finished by functions of ``site_pages.py``."""
    app.connect("source-read", lead_into_site)
    app.connect("doctree-read", hide_decisions)
    app.connect("build-finished", finish)
