"""The languages of Whisper's models, by the names that servers give them."""

from collections.abc import Mapping
from typing import Final

_NAMES: Final = """\
af afrikaans, am amharic, ar arabic, as assamese, az azerbaijani, ba bashkir,
be belarusian, bg bulgarian, bn bengali, bo tibetan, br breton, bs bosnian, ca catalan,
cs czech, cy welsh, da danish, de german, el greek, en english, es spanish, et estonian,
eu basque, fa persian, fi finnish, fo faroese, fr french, gl galician, gu gujarati,
ha hausa, haw hawaiian, he hebrew, hi hindi, hr croatian, ht haitian creole, hu hungarian,
hy armenian, id indonesian, is icelandic, it italian, ja japanese, jv javanese,
ka georgian, kk kazakh, km khmer, kn kannada, ko korean, la latin, lb luxembourgish,
ln lingala, lo lao, lt lithuanian, lv latvian, mg malagasy, mi maori, mk macedonian,
ml malayalam, mn mongolian, mr marathi, ms malay, mt maltese, my myanmar, ne nepali,
nl dutch, nn nynorsk, no norwegian, oc occitan, pa punjabi, pl polish, ps pashto,
pt portuguese, ro romanian, ru russian, sa sanskrit, sd sindhi, si sinhala, sk slovak,
sl slovenian, sn shona, so somali, sq albanian, sr serbian, su sundanese, sv swedish,
sw swahili, ta tamil, te telugu, tg tajik, th thai, tk turkmen, tl tagalog, tr turkish,
tt tatar, uk ukrainian, ur urdu, uz uzbek, vi vietnamese, yi yiddish, yo yoruba,
yue cantonese, zh chinese"""

CODE_OF_NAME: Final[Mapping[str, str]] = {
    name: code
    for code, _, name in (
        entry.strip().partition(" ") for entry in _NAMES.replace("\n", " ").split(",")
    )
}
"""The subtag of BCP 47 of each language's English name, in lower case."""
_OWN_CODES: Final = {"jw": "jv"}
"""Whisper's own name of Javanese."""


def subtag_of(told: str) -> str:
    """Return the subtag of a language that a server tells by its name or its code."""
    lowered = told.strip().lower()
    code = CODE_OF_NAME.get(lowered, lowered)
    return _OWN_CODES.get(code, code)


def whisper_code(language: str) -> str:
    """Return the code by which servers know a language."""
    return next((own for own, tag in _OWN_CODES.items() if tag == language), language)
