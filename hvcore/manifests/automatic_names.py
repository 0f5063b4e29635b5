"""
List the endings of the names of automatic captions, by language.

Source: RFC 8216, section 4.3.4.1: a rendition's NAME should be in the language
that its LANGUAGE names.
"""

from typing import Final

_ELSEWHERE: Final = ", automatic"
_ENDINGS: Final = {
    "af": ", outomaties",
    "ar": "، تلقائي",
    "az": ", avtomatik",
    "be": ", аўтаматычна",
    "bg": ", автоматично",
    "bn": ", স্বয়ংক্রিয়",
    "bs": ", automatski",
    "ca": ", automàtic",
    "cs": ", automaticky",
    "cy": ", awtomatig",
    "da": ", automatisk",
    "de": ", automatisch",
    "el": ", αυτόματα",
    "en": ", automatic",
    "eo": ", aŭtomata",
    "es": ", automático",
    "et": ", automaatne",
    "eu": ", automatikoa",
    "fa": "، خودکار",
    "fi": ", automaattinen",
    "fil": ", awtomatiko",
    "fr": ", automatique",
    "ga": ", uathoibríoch",
    "gl": ", automático",
    "gu": ", સ્વચાલિત",
    "he": ", אוטומטי",
    "hi": ", स्वचालित",
    "hr": ", automatski",
    "hu": ", automatikus",
    "hy": ", ավտոմատ",
    "id": ", otomatis",
    "is": ", sjálfvirkt",
    "it": ", automatico",
    "ja": "、自動",
    "ka": ", ავტომატური",
    "kk": ", автоматты",
    "kn": ", ಸ್ವಯಂಚಾಲಿತ",
    "ko": ", 자동",
    "lt": ", automatinis",
    "lv": ", automātiski",
    "mk": ", автоматски",
    "mr": ", स्वयंचलित",
    "ms": ", automatik",
    "nb": ", automatisk",
    "ne": ", स्वचालित",
    "nl": ", automatisch",
    "nn": ", automatisk",
    "no": ", automatisk",
    "pl": ", automatycznie",
    "pt": ", automático",
    "ro": ", automat",
    "ru": ", автоматически",
    "sk": ", automaticky",
    "sl": ", samodejno",
    "sq": ", automatik",
    "sr": ", аутоматски",
    "sr-Latn": ", automatski",
    "sv": ", automatisk",
    "sw": ", otomatiki",
    "ta": ", தானியங்கி",
    "th": ", อัตโนมัติ",
    "tr": ", otomatik",
    "uk": ", автоматично",
    "ur": "، خودکار",
    "uz": ", avtomatik",
    "vi": ", tự động",
    "yue": "，自動",  # noqa: RUF001 - the comma of Chinese
    "zh": "，自动",  # noqa: RUF001 - the comma of Chinese
    "zh-HK": "，自動",  # noqa: RUF001 - the comma of Chinese
    "zh-Hant": "，自動",  # noqa: RUF001 - the comma of Chinese
    "zh-MO": "，自動",  # noqa: RUF001 - the comma of Chinese
    "zh-TW": "，自動",  # noqa: RUF001 - the comma of Chinese
}


def automatic_name(name: str, tag: str) -> str:
    """
    Return the name of captions with a word, in their language, for "a machine wrote them".

    Args:
        name: The name of the captions without that word.
        tag: The language tag of the captions in canonical case.
    """
    known = tag
    while known and known not in _ENDINGS:
        known = known.rpartition("-")[0]
    return name + _ENDINGS.get(known, _ELSEWHERE)
