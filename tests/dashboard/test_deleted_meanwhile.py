"""
A person whose form comes after its video was deleted finds again what the form had.
"""

import pytest

from hvcore.domain.access.roles import Role
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.dashboard.sent_forms import form_of


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("share", {"viewers": "ada@example.com bob@example.com", "label": "Press"}),
        ("edge-key", {"domains": "*.example.org"}),
    ],
)
def test_a_new_link_of_a_deleted_video_is_shown_to_its_writer(
    dashboard: Dashboard, kind: str, written: dict[str, str]
) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}/sharing"
    seen = form_of(person.get(path), path, form_id=f"new-{kind}-form")
    sent = {name: values[0] for name, values in seen.items()} | written
    sent.pop("change_token")
    person.post(f"{VIDEOS}/{video_id}/delete")

    answer = person.post(path, sent)

    assert answer.status_code == 409
    for text in written.values():
        assert f"{text}</textarea>" in answer.text
    # Neither what the form says of itself, nor what it had to choose from.
    assert answer.text.count("</textarea>") == len(written)
