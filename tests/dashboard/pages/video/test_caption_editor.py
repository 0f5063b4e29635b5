"""
The editor of captions, as its form is sent with and without scripts.
"""

import json
import re
from contextlib import ExitStack, suppress
from html import unescape

import attrs
import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import MAX_CAPTION_BYTES, CaptionTrack
from hvcore.errors import UnavailableError
from tests.dashboard.opened import VIDEOS, Dashboard, PersonClient, ids_in, two
from tests.dashboard.pages.video.sent_files import post_file
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG

RLM = "\u200f"
FILE = f"""WEBVTT

00:00:00.100 --> 00:00:00.250
<b>Hello</b> &lt;i&gt; &amp; you
  and {RLM}all

00:00:00.300 --> 00:00:00.400 line:0
Bye
"""


@pytest.fixture
def path(dashboard: Dashboard) -> str:
    """
    The address of the editor of the English captions of a video.
    """
    tab = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    put(dashboard.sign_in(Role.EDITOR), tab)
    return f"{tab}/en/edit"


def put(person: PersonClient, tab: str, text: str = FILE) -> None:
    file = ("file", "a.vtt", "text/vtt", text.encode())
    sent = post_file(person, tab, file, {"language": "en", "label": "Mine"})
    assert sent.status_code == 303


def track(dashboard: Dashboard, path: str) -> CaptionTrack:
    with dashboard.world.services.uow.read() as work:
        (found,) = work.captions.of_video(VideoId(path.split("/")[-4]))
    return found


def stored(dashboard: Dashboard, path: str) -> str:
    found = track(dashboard, path)
    with dashboard.world.services.storage.open(found.path) as file:
        return file.read().decode()


@pytest.mark.parametrize("ending", ["edit", "files/srt"])
def test_captions_are_read_while_many_others_are_received(
    dashboard: Dashboard, path: str, ending: str
) -> None:
    captions = dashboard.world.services.captions
    person = dashboard.sign_in(Role.EDITOR)

    with ExitStack() as held:
        with suppress(UnavailableError):
            for _ in range(100):
                held.enter_context(captions.receiving(ORG))
        answer = person.get(path.replace("edit", ending))

    assert answer.status_code == 200


def save(
    person: PersonClient,
    path: str,
    *changed: tuple[str, str],
    seen: Result | None = None,
) -> Result:
    """
    Change parts of the text that the editor shows, and send its form as browsers do.
    """
    form = form_of(seen or person.get(path), path)
    # The other field is for scripts, which switch it on.
    text = form["captions"][0]
    for before, after in changed:
        assert before in text
        text = text.replace(before, after)
    shown = {name: sent[0] for name, sent in form.items() if name.startswith("shown.")}
    fields = {**shown, "captions": text}
    empty = ("none", "", "application/octet-stream", b"")
    return post_file(person, path, empty, fields)


def facts_of(answer: Result) -> dict[str, object]:
    found = re.search(r'data-facts="([^"]*)"', answer.text)
    assert found is not None
    facts: dict[str, object] = json.loads(unescape(found[1]))
    return facts


def test_captions_are_edited_as_text(dashboard: Dashboard, path: str) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    page = person.get(path)
    assert ids_in(page)
    assert facts_of(page)["doubts"] == {}

    answer = save(person, path, ("Bye", "Good & bye"))

    assert answer.status_code == 303
    assert answer.headers["location"] == path
    assert stored(dashboard, path).endswith(
        FILE.removeprefix("WEBVTT\n").replace("Bye", "Good &amp; bye")
    )
    assert track(dashboard, path).label == "Mine"
    assert dashboard.last_audited()[0] == "captions.put"


def test_captions_that_are_saved_as_they_were_are_not_changed(
    dashboard: Dashboard, path: str
) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    before = track(dashboard, path)

    answer = save(person, path)

    assert answer.status_code == 303
    assert track(dashboard, path) == before


def test_captions_that_are_sent_twice_after_a_lost_answer_are_saved(
    dashboard: Dashboard, path: str
) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    page = person.get(path)

    answers = [save(person, path, ("Bye", "Once"), seen=page) for _ in range(2)]

    assert [one.status_code for one in answers] == [303, 303]
    latest = dashboard.world.services.audit.latest(ORG, limit=3)
    assert [one.action for one in latest].count("captions.put") == 1


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("00:00:00.250", "00:00:00.100", "Cue 1 (line 3) must end after it begins."),
        ("00:00:00.300", "00:00:00.000", "Cue 2 (line 7) begins before the one above"),
        ("00:00:00.400", "10:00:00.400", "Cue 2 (line 7) ends after the end of the"),
        ("Bye", "Bye\n\nlost", "line 10: a text without times"),
        ("WEBVTT", "", "begins with a line WEBVTT"),
    ],
)
def test_wrong_captions_are_refused_with_what_was_typed(
    dashboard: Dashboard, path: str, before: str, after: str, message: str
) -> None:
    stored_before = stored(dashboard, path)

    answer = save(
        dashboard.sign_in(Role.EDITOR), path, (before, after), ("Hello", "Typed")
    )

    assert answer.status_code == 400
    assert message in answer.text
    assert 'id="captions-about"' in answer.text
    assert ids_in(answer)
    assert "Typed" in form_of(answer, path)["captions"][0]
    assert stored(dashboard, path) == stored_before


def test_captions_that_somebody_else_has_saved_are_shown_beside_ones_own(
    dashboard: Dashboard, path: str
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    page = second.get(path)
    save(first, path, ("Bye", "Theirs <b>"))
    theirs = stored(dashboard, path)

    asked = save(second, path, ("Bye", "Mine"), seen=page)

    assert asked.status_code == 409
    assert "Somebody else has changed these captions" in asked.text
    assert stored(dashboard, path) == theirs
    assert "<li>0:00:00.3 <bdi>Theirs</bdi></li>" in asked.text
    assert (
        "Hello" not in asked.text.partition('class="stored"')[2].partition("</div>")[0]
    )
    assert "Mine" in form_of(asked, path)["captions"][0]
    assert facts_of(asked)["isChanged"] is True
    assert save(second, path, seen=asked).status_code == 303
    assert "Mine" in stored(dashboard, path)


def test_captions_that_were_removed_meanwhile_are_asked_about(
    dashboard: Dashboard, path: str
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    page = second.get(path)
    tab = path.removesuffix("/en/edit")
    first.submit(f"{tab}/remove", page=tab)

    asked = save(second, path, ("Bye", "Mine"), seen=page)

    assert asked.status_code == 409
    assert "These captions were removed" in asked.text
    assert save(second, path, seen=asked).status_code == 303
    assert "Mine" in stored(dashboard, path)


def test_captions_that_were_removed_meanwhile_keep_their_name_and_purpose(
    dashboard: Dashboard, path: str
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    forced = attrs.evolve(track(dashboard, path), is_forced=True)
    with dashboard.world.services.uow.write() as work:
        work.captions.put(forced)
        work.commit()
    page = second.get(path)
    tab = path.removesuffix("/en/edit")
    first.submit(f"{tab}/remove", page=tab)

    asked = save(second, path, ("Bye", "Again"), seen=page)
    save(second, path, seen=asked)

    again = track(dashboard, path)
    assert (again.label, again.is_forced) == ("Mine", True)
    assert "Again" in stored(dashboard, path)


def test_a_forged_label_has_no_character_that_databases_refuse(
    dashboard: Dashboard, path: str
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    page = second.get(path)
    tab = path.removesuffix("/en/edit")
    first.submit(f"{tab}/remove", page=tab)
    asked = save(second, path, ("Bye", "Again"), seen=page)
    form = form_of(asked, path)
    shown = {name: sent[0] for name, sent in form.items() if name.startswith("shown.")}
    fields = {**shown, "shown.label": "a\0b", "captions": form["captions"][0]}

    empty = ("none", "", "application/octet-stream", b"")
    assert post_file(second, path, empty, fields).status_code == 303

    assert track(dashboard, path).label == "ab"


def test_edited_captions_of_a_deleted_video_are_shown_to_their_writer(
    dashboard: Dashboard, path: str
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    page = second.get(path)
    first.post(f"{path.removesuffix('/captions/en/edit')}/delete")

    answer = save(second, path, ("Bye", "an hour's work"), seen=page)

    assert answer.status_code == 409
    assert "This video was deleted meanwhile" in answer.text
    assert ">Captions</label>" in answer.text
    assert "an hour&#39;s work" in answer.text


def test_viewers_have_no_editor(dashboard: Dashboard, path: str) -> None:
    viewer = dashboard.sign_in(Role.VIEWER)

    assert viewer.get(path).status_code == 403
    assert viewer.post(path, {"captions": FILE}).status_code == 403
    assert path not in viewer.get(path.removesuffix("/en/edit")).text


def test_captions_in_no_language_of_the_video_have_no_editor(
    dashboard: Dashboard, path: str
) -> None:
    person = dashboard.sign_in(Role.EDITOR)

    assert person.get(path.replace("/en/", "/de/")).status_code == 404
    assert person.get(path.replace("/en/", "/EN/")).status_code == 200
    assert path in person.get(path.removesuffix("/en/edit")).text


def test_captions_that_are_too_long_are_changed_by_a_file(
    dashboard: Dashboard, path: str
) -> None:
    long = attrs.evolve(track(dashboard, path), size_bytes=MAX_CAPTION_BYTES + 1)
    with dashboard.world.services.uow.write() as work:
        work.captions.put(long)
        work.commit()

    answer = dashboard.sign_in(Role.EDITOR).get(path)

    assert "too long to be edited here" in answer.text
    assert "<form" not in answer.text.partition("<main")[2]


def test_a_text_that_is_longer_than_captions_may_be_is_refused(
    dashboard: Dashboard, path: str
) -> None:
    person = dashboard.sign_in(Role.EDITOR)

    answer = save(person, path, ("Bye", "x" * MAX_CAPTION_BYTES))
    flood = save(person, path, ("Bye", "x" * 3 * MAX_CAPTION_BYTES))

    assert answer.status_code == 400
    assert "too long" in answer.text
    assert flood.status_code == 413
    assert "Bye" in stored(dashboard, path)


def test_thousands_of_cues_are_opened_and_saved(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    tab = f"{VIDEOS}/{video_id}/captions"
    cues = (
        f"00:{n // 60:02}:{n % 60:02}.000 --> 00:{n // 60:02}:{n % 60:02}.900\n"
        f"No. {n}\n\n"
        for n in range(3_600)
    )
    person = dashboard.sign_in(Role.EDITOR)
    put(person, tab, "WEBVTT\n\n" + "".join(cues))

    answer = save(person, f"{tab}/en/edit", ("No. 3599", "The last"))

    assert answer.status_code == 303
    assert "The last" in stored(dashboard, f"{tab}/en/edit")
