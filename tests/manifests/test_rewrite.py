"""
Carrying a token through a playlist or a manifest.
"""

from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.manifests import dash, hls
from hvcore.manifests.rewrite import carry_token, carry_token_in_manifest
from tests.support.media_samples import audio_track, index, video_track

ADDRESSES = st.text("abcXYZ019-._~/?&=#%", min_size=1, max_size=30).filter(
    lambda text: not text.startswith(("#", "//", "/"))
)


def test_every_address_of_a_master_playlist_carries_the_token() -> None:
    media = index(video_track(), audio_track(), audio_track(1, AudioCodec.MP3))

    text = carry_token(hls.multivariant_playlist(media), "a.b.c")

    assert "\nvideo-720p.m3u8?token=a.b.c\n" in text
    assert ',URI="audio.m3u8?token=a.b.c"\n' in text
    assert ',URI="audio-1.m3u8?token=a.b.c"\n' in text


def test_every_address_of_a_media_playlist_carries_the_token() -> None:
    text = carry_token(hls.media_playlist(video_track(), target_s=6), "T")

    assert '#EXT-X-MAP:URI="video/720p/init.m4s?token=T"\n' in text
    addresses = [line for line in text.splitlines() if line[:1] not in {"", "#"}]
    assert addresses == [f"video/720p/{number}.m4s?token=T" for number in range(2)]


def test_the_rest_of_a_playlist_stays_as_it_is() -> None:
    text = (
        '#EXTM3U\r\n# a comment URI="x"\r\n\r\n#EXTINF:6.0,URI="x"\r\n'
        '#EXT-X-KEY:METHOD=AES-128,URI="data:text/plain,x",IV=0x1\r\n'
        '#EXT-X-MEDIA:TYPE=AUDIO,NAME="a,URI=b",OTHER-URI="x"\r\n'
        "https://elsewhere.example/a.m4s\r\n//elsewhere.example/b.m4s\r\n"
    )

    assert carry_token(text, "T") == text


def test_lines_that_end_like_those_of_windows_keep_their_ends() -> None:
    text = 'a.m4s\r\n#EXT-X-MAP:URI="i"\r\n  \r\n'

    assert carry_token(text, "T") == (
        'a.m4s?token=T\r\n#EXT-X-MAP:URI="i?token=T"\r\n  \r\n'
    )


def test_a_query_is_continued_and_a_fragment_stays_last() -> None:
    text = 'a?b=c\na?\na?b=c&\na#f\n??\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i?x=1"\n'

    assert carry_token(text, "T") == (
        "a?b=c&token=T\na?token=T\na?b=c&token=T\na?token=T#f\n??&token=T\n"
        '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i?x=1&token=T"\n'
    )


def test_a_token_cannot_break_out_of_its_place() -> None:
    text = carry_token('#EXT-X-MAP:URI="i"\ns\n', 'a"&b=c\n#x')

    assert text == (
        '#EXT-X-MAP:URI="i?token=a%22%26b%3Dc%0A%23x"\ns?token=a%22%26b%3Dc%0A%23x\n'
    )


@given(ADDRESSES, st.text(min_size=1))
def test_the_token_arrives_as_it_was_sent(address: str, token: str) -> None:
    token = token.encode("utf-8", "replace").decode()

    [line] = carry_token(address, token).splitlines()

    before = urlsplit(f"https://host/{address}")
    after = urlsplit(f"https://host/{line}")
    assert parse_qs(after.query, keep_blank_values=True)["token"][-1] == token
    assert (after.path, after.fragment) == (before.path, before.fragment)


@given(st.text())
def test_no_text_loses_or_gains_a_line(text: str) -> None:
    assert carry_token(text, "T").count("\n") == text.count("\n")


def test_every_address_of_a_manifest_carries_the_token() -> None:
    media = index(video_track(360), video_track(), audio_track())

    text = carry_token_in_manifest(dash.manifest(media), "a.b.c")

    for name in ("video/360p", "video/720p", "audio"):
        assert f' initialization="{name}/init.m4s?token=a.b.c"' in text
        assert f' media="{name}/$Number$.m4s?token=a.b.c"' in text
    assert text.replace("?token=a.b.c", "") == dash.manifest(media)


def test_a_token_cannot_break_out_of_a_manifest() -> None:
    text = '<SegmentTemplate media="a?b=c&amp;d" initialization="https://e/i">'

    assert carry_token_in_manifest(text, '"><x y="&$Number$') == (
        '<SegmentTemplate media="a?b=c&amp;d&amp;'
        'token=%22%3E%3Cx%20y%3D%22%26%24Number%24" initialization="https://e/i">'
    )


def test_what_a_manifest_says_in_words_stays_as_it_is() -> None:
    text = '<Label>&lt;SegmentTemplate media="x"&gt; media="y"</Label><S media="z"/>'

    assert carry_token_in_manifest(text, "T") == text
