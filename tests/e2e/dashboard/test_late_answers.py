"""
Answers that come late, are lost, or are for another page, in the pages of the dashboard.
"""

from typing import Final

import pytest

from tests.e2e.dashboard.opened_tabs import page_of
from tests.e2e.people import ORG, services_of
from tests.e2e.tabs import Tab
from tests.support.live import LiveService

HOLD_ANSWERS: Final = """() => {
    // Answers come when they are let go, in the order of the questions.
    const ask = window.fetch;
    window.let = [];
    window.fetch = async (...question) => {
        const answer = await ask(...question);
        await new Promise((go) => { window.let.push(go); });
        return answer;
    };
}"""


def test_a_list_is_that_of_what_was_asked_for_last(
    service: LiveService, first: Tab, short_id: str
) -> None:
    first.open(page_of(service, "videos", query="?view=table"))
    first.ask(HOLD_ANSWERS)
    first.ask(
        """() => {
            document.getElementById('sortBy').value = 'status';
            document.querySelector('form[role=search]').requestSubmit();
        }"""
    )
    first.wait_for("() => window.let.length === 1")
    first.ask(
        """() => {
            [...document.querySelectorAll('#results th a')]
                .find((link) => link.textContent === 'Name').click();
        }"""
    )
    first.wait_for("() => window.let.length === 2")

    shown = first.ask(
        """async () => {
            const swaps = [];
            for (const go of window.let) {
                const over = new Promise((done) => {
                    document.addEventListener('htmx:finally:request', done, {once: true});
                });
                go();
                await over;
                swaps.push(document.querySelector('#results th[aria-sort]').textContent);
            }
            return swaps;
        }"""
    )

    assert shown == ["Created", "Name"]
    assert "sortBy=name" in first.ask("() => location.search")


def test_two_clicks_on_copy_leave_the_label(
    service: LiveService, first: Tab, short_id: str
) -> None:
    first.open(page_of(service, "videos", short_id))
    first.ask(
        """() => {
            const clipboard = {writeText: async () => {}};
            Object.defineProperty(navigator, 'clipboard', {value: clipboard});
        }"""
    )
    label = first.ask("() => document.querySelector('button.copy').ariaLabel")

    first.ask(
        """async () => {
            const button = document.querySelector('button.copy');
            button.click();
            await new Promise((done) => { setTimeout(done); });
            button.click();
        }"""
    )

    first.wait_for("() => document.querySelector('button.copied') !== null")
    first.wait_for("() => document.querySelector('button.copied') === null")
    assert first.ask("() => document.querySelector('button.copy').ariaLabel") == label


def test_a_fragment_of_a_deleted_video_does_not_ask_again(
    service: LiveService, first: Tab
) -> None:
    wanted = {"fileName": "clip.mp4"}
    made = service.call("POST", "/v1/videos/upload-url", wanted).body
    video_id = made["videoID"]
    first.open(page_of(service, "videos", video_id))
    assert first.ask("() => document.getElementById('watch').matches('[hx-get]')")
    with services_of(service) as services, services.uow.write() as work:
        video = work.videos.find(video_id, for_update=True)
        assert video is not None
        video.delete(services.clock.now())
        work.videos.save(video)
        work.commit()

    # Not in three seconds.
    first.ask(
        """() => {
            document.getElementById('watch').dispatchEvent(new Event('every'));
        }"""
    )

    first.wait_for("() => !document.getElementById('watch').matches('[hx-get]')")
    assert "was removed" in first.ask(
        "() => document.getElementById('messages').textContent"
    )


REFUSE_THE_TOKEN: Final = """() => {
    // The player in the frame asks for another one, whose answer waits for window.answer.
    window.noted = [];
    window.addEventListener('unhandledrejection', ({reason}) => {
        window.noted.push(String(reason));
    });
    window.addEventListener('message', ({data}) => {
        if (data?.type === 'hv-player:answer' && String(data.id).startsWith('setToken')) {
            window.noted.push(data.error ?? 'obeyed');
        }
        window.page = data?.page;
    });
    const {fetch} = window;
    window.fetch = (address) => new Promise((come, fail) => {
        window.answer = {
            come: () => { come(fetch(address)); },
            fail: () => { fail(new TypeError('no connection')); },
        };
    });
    window.frame = document.getElementById('player');
    const {origin} = new URL(window.frame.src);
    const call = (method, ...args) => window.frame.contentWindow.postMessage(
        {type: 'hv-player:call', id: 'begin', method, args}, origin,
    );
    window.addEventListener('message', () => {
        call('setMuted', true);
        call('setToken', 'old');
        call('play');
    }, {once: true});
    // If it has said that it is there before.
    call('getState');
}"""


@pytest.mark.parametrize(
    ("change", "noted"),
    [
        ("frame.remove(); answer.come()", []),
        ("frame.replaceWith(frame.cloneNode()); answer.come()", []),
        ("answer.fail()", []),
        ("answer.come()", ["obeyed"]),
    ],
    ids=["removed", "replaced", "no connection", "the same"],
)
def test_a_token_goes_to_the_frame_that_has_asked(
    service: LiveService, first: Tab, short_id: str, change: str, noted: list[str]
) -> None:
    first.open(page_of(service, "videos", short_id))
    first.ask(REFUSE_THE_TOKEN)
    first.wait_for("() => window.answer !== undefined")

    first.ask(f"() => {{ {change}; }}")

    first.wait_for("(count) => window.noted.length >= count", len(noted))
    # Rejections that nobody handles are told after the turn that they happen in.
    first.ask("() => new Promise((done) => { setTimeout(done, 100); })")
    assert first.ask("() => window.noted") == noted


def test_a_token_is_not_given_to_the_next_page_of_a_frame(
    service: LiveService, first: Tab, short_id: str
) -> None:
    first.open(page_of(service, "videos", short_id))
    first.ask(REFUSE_THE_TOKEN)
    first.wait_for("() => window.answer !== undefined")

    first.ask("() => { window.former = window.page; frame.src += '&t=1'; }")
    first.wait_for("() => window.page !== window.former")
    first.ask("() => { answer.come(); }")

    said = first.wait_for("() => window.noted[0]")
    assert said == "the frame shows another page by now"


def test_a_form_whose_answer_was_lost_is_saved_when_it_is_sent_again(
    service: LiveService, first: Tab, short_id: str
) -> None:
    first.open(page_of(service, "videos", short_id))

    first.ask(
        """async () => {
            const form = document.getElementById('tags').form;
            form.elements.tags.value = 'red,green';
            const body = new URLSearchParams(new FormData(form));
            await fetch(form.action, {method: 'POST', body, redirect: 'manual'});
            form.requestSubmit();
        }"""
    )

    first.wait_for("() => document.querySelector('#messages .message') !== null")
    assert first.ask("() => document.getElementById('not-saved')") is None
    assert first.ask("() => document.getElementById('tags').value") == "red, green"


WRITE: Final = """(name, text) => {
    const field = document.getElementById(name);
    field.value = text;
    field.dispatchEvent(new Event('input', {bubbles: true}));
}"""


def test_what_was_written_into_one_form_outlives_the_refusal_of_another(
    service: LiveService, first: Tab
) -> None:
    page = f"{service.api}/dashboard/organizations/{ORG}"
    first.open(page)
    before = first.ask("() => document.getElementById('stored_bytes').value")
    first.ask(WRITE, "stored_bytes", "100 GB")

    first.ask(WRITE, "name", "no name!")
    first.ask("() => document.getElementById('name').form.requestSubmit()")

    first.wait_for("() => document.getElementById('not-saved') !== null")
    assert first.ask("() => document.getElementById('stored_bytes').value") == "100 GB"
    assert first.ask("() => document.getElementById('name').value") == "no name!"
    messages = first.ask("() => document.getElementById('messages').textContent")
    assert "Not saved" in messages
    assert "It is not saved yet" in messages
    first.ask("() => document.querySelector('#messages .stays button').click()")
    assert first.ask("() => document.getElementById('stored_bytes').value") == before
    assert first.ask("() => document.getElementById('name').value") == "no name!"
