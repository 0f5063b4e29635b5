"""
Captions of a video, which come in as files.
"""

from hvcore.domain.access.roles import Role
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.dashboard.pages.video.sent_files import VTT, post_file
from tests.support.http.world import ORG


def test_captions_are_uploaded_previewed_and_removed(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"
    assert "No captions yet" in person.get(path).text
    fields = {"language": "PT-br", "label": "<i>Português"}

    sent = post_file(person, path, ("file", "a.vtt", "text/vtt", VTT), fields)

    listed, preview = person.get(path), person.fragment(f"{path}/pt-BR")
    assert sent.status_code == 303
    assert "&lt;i&gt;Português" in listed.text
    assert "Hello &lt;i&gt; &amp; you<br>and all" in preview.text
    assert "0:01.000" in preview.text
    removed = person.post(f"{path}/remove", {"language": "pt-BR"})
    assert removed.status_code == 303
    assert "No captions yet" in person.get(path).text
    assert person.fragment(f"{path}/pt-BR").status_code == 404
    actions = [
        entry.action for entry in dashboard.world.services.audit.latest(ORG, limit=2)
    ]
    assert actions == ["captions.remove", "captions.put"]


def test_of_long_captions_the_beginning_is_previewed(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"
    cues = (f"00:{n:02}.000 --> 00:59.000\nNo. {n} {'&' * 1_500}" for n in range(10))
    file = "WEBVTT\n\n" + "\n\n".join(cues)
    fields = {"language": "en"}
    post_file(person, path, ("file", "a.vtt", "text/vtt", file.encode()), fields)

    preview = person.fragment(f"{path}/en").text

    assert "No. 0 &amp;" in preview
    assert "No. 9 &amp;" not in preview
    assert preview.count("No. ") + int(preview.split("And ")[1].split()[0]) == 10


def test_captions_that_are_just_replaced_have_no_preview(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"
    fields = {"language": "en"}
    post_file(person, path, ("file", "a.vtt", "text/vtt", VTT), fields)
    services = dashboard.world.services
    with services.uow.read() as work:
        video = work.videos.find(video_id)
        assert video
        (track,) = work.captions.of_video(video.id)
    services.storage.delete_tree(track.path)

    assert person.fragment(f"{path}/en").status_code == 404


def test_subrip_is_read_whatever_type_the_browser_says(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"
    srt = b"1\r\n00:00:01,000 --> 00:00:02,000\r\nHi\r\n"

    sent = post_file(
        person, path, ("file", "a.srt", "application/x-foo", srt), {"language": "en"}
    )

    assert sent.status_code == 303
    assert "Hi" in person.fragment(f"{path}/en").text


def test_what_is_wrong_with_captions_is_beside_its_field(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    person, path = dashboard.sign_in(Role.EDITOR), f"{VIDEOS}/{video_id}/captions"

    broken = post_file(
        person, path, ("file", "a.vtt", "text/vtt", b"no"), {"language": "en"}
    )
    nothing = post_file(
        person, path, ("file", "", "application/octet-stream", b""), {"language": "en"}
    )
    wrong = post_file(
        person, path, ("file", "a.vtt", "text/vtt", VTT), {"language": "!"}
    )

    answers = (broken, nothing, wrong)
    assert [answer.status_code for answer in answers] == [400, 400, 400]
    assert all('id="file-about"' in answer.text for answer in (broken, nothing))
    assert "must be a tag" in wrong.text
    assert "No captions yet" in wrong.text
