"""
Templates of pages escape what they show.
"""

from pathlib import Path

import pytest

from hvcore.settings import PublicSettings, Settings
from hvcore.settings.sign_in import DashboardSettings
from hvcore_web.pages import STYLE, Markup, PageTemplate, dashboard_item, escaped


def test_every_value_but_markup_is_escaped(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text('<p title="$text">$text</p>$tag')

    page = PageTemplate(file).fill({"text": "\"<b>'&$tag\u202e", "tag": Markup("<i>")})

    text = "&quot;&lt;b&gt;&#x27;&amp;$tag"
    assert page.decode() == f'<p title="{text}">{text}</p><i>'


def test_an_escaped_text_is_not_escaped_again() -> None:
    assert escaped(escaped("<")) == "&lt;"


def test_a_missing_value_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("$text")

    with pytest.raises(KeyError):
        PageTemplate(file).fill({})


def test_a_front_page_leads_to_the_dashboard_if_there_is_one() -> None:
    public = PublicSettings(dashboard_url="https://people.test/a&b/")
    found = Settings(data_dir=Path(), public=public)
    missing = Settings(data_dir=Path(), dashboard=DashboardSettings(enabled=False))

    assert 'href="https://people.test/a&amp;b/dashboard"' in dashboard_item(found)
    assert dashboard_item(missing) == ""


def test_dark_has_every_colour_that_light_has() -> None:
    text = STYLE.read_text(encoding="utf-8")
    light, dark = text.split("@media (prefers-color-scheme: dark)")
    dark = dark.partition("*,")[0]
    colours = {
        line.split(":")[0].strip()
        for line in light.splitlines()
        if line.strip().startswith("--") and ("#" in line or "rgb" in line)
    }

    assert len(colours) > 10
    assert {name for name in colours if f"{name}:" not in dark} == set()
