"""
Language tags as playlists want them.

Source: RFC 5646, section 2.2.1: where a language has a code of two letters,
that is its tag. Files carry codes of three (ISO 639-2), in two variants.
"""

import re
from typing import Final

_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*", re.IGNORECASE)
_NO_LANGUAGE: Final = frozenset({"und", "mis", "mul", "zxx"})

# Pairs "three letters:two letters".
_SHORT: Final = dict(
    pair.split(":")
    for pair in [
        "aar:aa",
        "abk:ab",
        "afr:af",
        "aka:ak",
        "alb:sq",
        "amh:am",
        "ara:ar",
        "arg:an",
        "arm:hy",
        "asm:as",
        "ava:av",
        "ave:ae",
        "aym:ay",
        "aze:az",
        "bak:ba",
        "bam:bm",
        "baq:eu",
        "bel:be",
        "ben:bn",
        "bih:bh",
        "bis:bi",
        "bod:bo",
        "bos:bs",
        "bre:br",
        "bul:bg",
        "bur:my",
        "cat:ca",
        "ces:cs",
        "cha:ch",
        "che:ce",
        "chi:zh",
        "chu:cu",
        "chv:cv",
        "cor:kw",
        "cos:co",
        "cre:cr",
        "cym:cy",
        "cze:cs",
        "dan:da",
        "deu:de",
        "div:dv",
        "dut:nl",
        "dzo:dz",
        "ell:el",
        "eng:en",
        "epo:eo",
        "est:et",
        "eus:eu",
        "ewe:ee",
        "fao:fo",
        "fas:fa",
        "fij:fj",
        "fin:fi",
        "fra:fr",
        "fre:fr",
        "fry:fy",
        "ful:ff",
        "geo:ka",
        "ger:de",
        "gla:gd",
        "gle:ga",
        "glg:gl",
        "glv:gv",
        "gre:el",
        "grn:gn",
        "guj:gu",
        "hat:ht",
        "hau:ha",
        "heb:he",
        "her:hz",
        "hin:hi",
        "hmo:ho",
        "hrv:hr",
        "hun:hu",
        "hye:hy",
        "ibo:ig",
        "ice:is",
        "ido:io",
        "iii:ii",
        "iku:iu",
        "ile:ie",
        "ina:ia",
        "ind:id",
        "ipk:ik",
        "isl:is",
        "ita:it",
        "jav:jv",
        "jpn:ja",
        "kal:kl",
        "kan:kn",
        "kas:ks",
        "kat:ka",
        "kau:kr",
        "kaz:kk",
        "khm:km",
        "kik:ki",
        "kin:rw",
        "kir:ky",
        "kom:kv",
        "kon:kg",
        "kor:ko",
        "kua:kj",
        "kur:ku",
        "lao:lo",
        "lat:la",
        "lav:lv",
        "lim:li",
        "lin:ln",
        "lit:lt",
        "ltz:lb",
        "lub:lu",
        "lug:lg",
        "mac:mk",
        "mah:mh",
        "mal:ml",
        "mao:mi",
        "mar:mr",
        "may:ms",
        "mkd:mk",
        "mlg:mg",
        "mlt:mt",
        "mon:mn",
        "mri:mi",
        "msa:ms",
        "mya:my",
        "nau:na",
        "nav:nv",
        "nbl:nr",
        "nde:nd",
        "ndo:ng",
        "nep:ne",
        "nld:nl",
        "nno:nn",
        "nob:nb",
        "nor:no",
        "nya:ny",
        "oci:oc",
        "oji:oj",
        "ori:or",
        "orm:om",
        "oss:os",
        "pan:pa",
        "per:fa",
        "pli:pi",
        "pol:pl",
        "por:pt",
        "pus:ps",
        "que:qu",
        "roh:rm",
        "ron:ro",
        "rum:ro",
        "run:rn",
        "rus:ru",
        "sag:sg",
        "san:sa",
        "sin:si",
        "slk:sk",
        "slo:sk",
        "slv:sl",
        "sme:se",
        "smo:sm",
        "sna:sn",
        "snd:sd",
        "som:so",
        "sot:st",
        "spa:es",
        "sqi:sq",
        "srd:sc",
        "srp:sr",
        "ssw:ss",
        "sun:su",
        "swa:sw",
        "swe:sv",
        "tah:ty",
        "tam:ta",
        "tat:tt",
        "tel:te",
        "tgk:tg",
        "tgl:tl",
        "tha:th",
        "tib:bo",
        "tir:ti",
        "ton:to",
        "tsn:tn",
        "tso:ts",
        "tuk:tk",
        "tur:tr",
        "twi:tw",
        "uig:ug",
        "ukr:uk",
        "urd:ur",
        "uzb:uz",
        "ven:ve",
        "vie:vi",
        "vol:vo",
        "wel:cy",
        "wln:wa",
        "wol:wo",
        "xho:xh",
        "yid:yi",
        "yor:yo",
        "zha:za",
        "zho:zh",
        "zul:zu",
    ]
)


def canonical_tag(tag: str) -> str:
    """
    Return a tag as RFC 5646, section 2.1.1, writes it: ``zh-Hant-TW``.

    Args:
        tag: Well-formed (domain.videos.captions.LANGUAGE_PATTERN), in any case.

    Returns:
        ``""`` if it names no language, or something twice.
    """
    language, *others = language_tag(tag).split("-")
    if len(set(others)) < len(others):
        return ""
    # Of these lengths, variants have a digit, and only regions and scripts none.
    shapes = {2: str.upper, 4: str.title}
    written = [
        shapes[len(part)](part) if part.isalpha() and len(part) in shapes else part
        for part in others
    ]
    return "-".join([language, *written])


def language_tag(code: str) -> str:
    """
    Return the tag of a source's language code, ``""`` if it names none.
    """
    if not _TAG.fullmatch(code):
        return ""
    language, dash, rest = code.lower().partition("-")
    if language in _NO_LANGUAGE:
        return ""
    return _SHORT.get(language, language) + dash + rest
