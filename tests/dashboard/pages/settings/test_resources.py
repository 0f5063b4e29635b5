"""
The settings of an organization on their page, and what they change.
"""

from typing import Final

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.new_video_defaults import NewVideoDefaults
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG, OTHER_ORG

SETTINGS: Final = f"/dashboard/{ORG}/settings"
UPLOAD: Final = f"/dashboard/{ORG}/upload"
CHOSEN: Final = {
    "access": "public",
    "videoQuality": "high",
    "domains": "Example.com,*.example.org, example.com",
}


def defaults_of(dashboard: Dashboard, org: str = ORG) -> NewVideoDefaults:
    return dashboard.world.services.new_video_defaults.of(org)


def test_an_organization_begins_with_the_defaults_of_the_api(
    dashboard: Dashboard,
) -> None:
    page = dashboard.sign_in(Role.ADMIN).get(SETTINGS)

    form = form_of(page, SETTINGS)
    assert ids_in(page)
    assert form["access"] == ["private"]
    assert form["videoQuality"] == ["standard"]
    assert form["domains"] == [""]
    assert "The API does not heed them" in page.text


def test_forms_for_new_videos_begin_with_the_defaults(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    video = f"{VIDEOS}/{dashboard.world.ready(is_public=False)}"

    answer = admin.submit(SETTINGS, CHOSEN)

    assert answer.headers["location"] == SETTINGS
    assert defaults_of(dashboard) == NewVideoDefaults(
        is_public=True, preset=Preset.HIGH, domains=("example.com", "*.example.org")
    )
    upload = admin.get(UPLOAD)
    fetched = form_of(upload, UPLOAD)
    assert fetched["videoQuality"] == ["high"]
    assert fetched["allowPublicAccess"] == ["true"]
    assert 'id="public" name="allowPublicAccess" value="true" checked' in upload.text
    assert upload.text.count('<option value="high" selected>') == 2
    domains = ["example.com, *.example.org"]
    embed = form_of(admin.get(f"{video}/embed"), f"{video}/embed")
    assert embed["domains"] == embed["sites"] == domains
    sharing = admin.get(f"{video}/sharing")
    key_form = form_of(sharing, f"{video}/sharing", form_id="new-edge-key-form")
    assert key_form["domains"] == domains


def test_a_form_that_was_refused_keeps_what_its_user_chose(
    dashboard: Dashboard,
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    admin.submit(SETTINGS, CHOSEN)

    refused = admin.post(UPLOAD, {"videoURL": "nonsense", "videoQuality": "standard"})

    form = form_of(refused, UPLOAD)
    assert refused.status_code == 400
    assert form["videoQuality"] == ["standard"]
    assert "allowPublicAccess" not in form


def test_the_api_does_not_heed_the_defaults(dashboard: Dashboard) -> None:
    dashboard.sign_in(Role.ADMIN).submit(SETTINGS, CHOSEN)
    upload = "/v1/videos/upload-url"

    answer = dashboard.world.post(upload, {"fileName": "clip.mp4"})

    video = dashboard.video(answer.json["body"]["videoID"])
    assert not video.is_public
    assert video.settings.preset is Preset.STANDARD


def test_defaults_are_of_one_organization(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    admin.submit(SETTINGS, CHOSEN)

    theirs = dashboard.sign_in(Role.ADMIN, org=OTHER_ORG)

    path = f"/dashboard/{OTHER_ORG}/settings"
    assert form_of(theirs.get(path), path)["access"] == ["private"]
    assert defaults_of(dashboard, OTHER_ORG) == NewVideoDefaults()
    assert theirs.get(SETTINGS).status_code == 404
    assert theirs.post(SETTINGS, CHOSEN).status_code == 404


def test_a_change_of_defaults_is_audited(dashboard: Dashboard) -> None:
    dashboard.sign_in(Role.ADMIN).submit(SETTINGS, CHOSEN)

    audited = dashboard.last_audited()

    assert audited == ("organization.defaults", ORG, "Admin Person")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("access", "both"),
        ("access", ""),
        ("videoQuality", "best"),
        ("domains", "not a domain"),
        ("domains", "https://example.com/"),
        ("domains", "*"),
        ("domains", ", ".join(f"a{number}.example.com" for number in range(500))),
        ("domains", "example.com\0"),
        ("domains", "\u202eexample.com"),
    ],
)
def test_a_wrong_default_is_told_beside_its_field(
    dashboard: Dashboard, field: str, value: str
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)

    refused = admin.submit(SETTINGS, {field: value})

    assert refused.status_code == 400
    assert f'id="{field}-about"' in refused.text
    assert defaults_of(dashboard) == NewVideoDefaults()


def test_admins_see_what_the_organization_uses_and_may_use(
    dashboard: Dashboard,
) -> None:
    quotas = dashboard.world.services.quotas
    quotas.change(ORG, {"stored_bytes": 100 * 1024**3, "weight": 2.5})
    admin = dashboard.sign_in(Role.ADMIN)

    text = admin.get(SETTINGS).text

    assert "of 100 GB" in text
    assert "no limit" in text
    assert "Requests to the API" in text
    assert "10,000" in text
    # How organizations are weighed is the operator's.
    assert "Weight" not in text
    assert f'<dd><a href="/dashboard/{ORG}/members">1</a></dd>' in text
    assert f'href="/dashboard/{ORG}/environments/' in text


def test_an_admin_sets_no_limit(dashboard: Dashboard) -> None:
    quotas = dashboard.world.services.quotas
    before = quotas.of_one(ORG).limits
    admin = dashboard.sign_in(Role.ADMIN)

    admin.submit(SETTINGS, {"stored_bytes": "1 TB", "weight": "100"})

    assert quotas.of_one(ORG).limits == before
