"""
List the names of languages in the languages themselves, for viewers who choose one.

Source: RFC 8216, section 4.3.4.1: a rendition's NAME should be in the language
that its LANGUAGE names.
"""

from typing import Final

_NAMES: Final = {
    "af": "Afrikaans",
    "am": "አማርኛ",
    "ar": "العربية",
    "az": "Azərbaycan",
    "be": "Беларуская",
    "bg": "Български",
    "bn": "বাংলা",
    "bo": "བོད་སྐད་",
    "br": "Brezhoneg",
    "bs": "Bosanski",
    "ca": "Català",
    "cs": "Čeština",
    "cy": "Cymraeg",
    "da": "Dansk",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "en": "English",
    "eo": "Esperanto",
    "es": "Español",
    "et": "Eesti",
    "eu": "Euskara",
    "fa": "فارسی",
    "fi": "Suomi",
    "fil": "Filipino",
    "fo": "Føroyskt",
    "fr": "Français",
    "fy": "Frysk",
    "ga": "Gaeilge",
    "gd": "Gàidhlig",
    "gl": "Galego",
    "gu": "ગુજરાતી",
    "ha": "Hausa",
    "he": "עברית",
    "hi": "हिन्दी",
    "hr": "Hrvatski",
    "hu": "Magyar",
    "hy": "Հայերեն",
    "id": "Bahasa Indonesia",
    "ig": "Igbo",
    "is": "Íslenska",
    "it": "Italiano",
    "ja": "日本語",
    "jv": "Jawa",
    "ka": "ქართული",
    "kk": "Қазақ тілі",
    "km": "ខ្មែរ",
    "kn": "ಕನ್ನಡ",
    "ko": "한국어",
    "ku": "Kurdî",
    "ky": "Кыргызча",
    "la": "Latina",
    "lb": "Lëtzebuergesch",
    "lo": "ລາວ",
    "lt": "Lietuvių",
    "lv": "Latviešu",
    "mg": "Malagasy",
    "mi": "Māori",
    "mk": "Македонски",
    "ml": "മലയാളം",
    "mn": "Монгол",
    "mr": "मराठी",
    "ms": "Bahasa Melayu",
    "mt": "Malti",
    "my": "မြန်မာ",
    "nb": "Norsk bokmål",
    "ne": "नेपाली",
    "nl": "Nederlands",
    "nn": "Norsk nynorsk",
    "no": "Norsk",
    "oc": "Occitan",
    "pa": "ਪੰਜਾਬੀ",
    "pl": "Polski",
    "ps": "پښتو",
    "pt": "Português",
    "qu": "Runasimi",
    "rm": "Rumantsch",
    "ro": "Română",
    "ru": "Русский",
    "se": "Davvisámegiella",
    "si": "සිංහල",
    "sk": "Slovenčina",
    "sl": "Slovenščina",
    "so": "Soomaali",
    "sq": "Shqip",
    "sr": "Српски",
    "sr-Latn": "Srpski",
    "sv": "Svenska",
    "sw": "Kiswahili",
    "ta": "தமிழ்",
    "te": "తెలుగు",
    "th": "ไทย",
    "tr": "Türkçe",
    "uk": "Українська",
    "ur": "اردو",
    "uz": "Oʻzbek",  # noqa: RUF001 - its letter, no quotation mark
    "vi": "Tiếng Việt",
    "xh": "isiXhosa",
    "yi": "ייִדיש",
    "yo": "Yorùbá",
    "yue": "粵語",
    "zh": "中文",
    "zh-Hans": "简体中文",
    "zh-Hant": "繁體中文",
    "zu": "isiZulu",
}


def language_name(tag: str) -> str:
    """
    Return the name of a language in the language itself; the tag if the name is not known.

    Further parts of the tag follow the name: ``pt-BR`` gives ``Português (BR)``.

    Args:
        tag: A language tag in canonical case (see languages.canonical_tag).
    """
    known, rest = tag, ""
    while known and known not in _NAMES:
        known, _, last = known.rpartition("-")
        rest = f"{last}-{rest}" if rest else last
    if not known:
        return tag
    return f"{_NAMES[known]} ({rest})" if rest else _NAMES[known]
