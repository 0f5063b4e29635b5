"""The pages of what embedding programs import, by subject."""

import enum
import inspect
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, Final

import attrs

from hvcore import embedding, testing
from tests.support.plugin_reference.markdown import code, from_docstring
from tests.support.plugin_reference.source import (
    Member,
    constant_of,
    fields_of,
    function_signature,
    members_of,
)

HOW_TO: Final = "[The service within your own program](../../how-to/embedding.md)"


@attrs.frozen(kw_only=True)
class Subject:
    """
    A page of the reference, with the names that it explains.

    Attributes:
        about: The first sentence of the page, on what the page is for.
        names: The names in the order of the page.
        package: The package that has the names.
    """

    title: str
    about: str
    names: Sequence[str]
    package: ModuleType = embedding


SUBJECTS: Final[Mapping[str, Subject]] = {
    "building": Subject(
        title="Build the service",
        about="This page has the function that makes hvcore part of a Python program, and the "
        "service that it returns: its tables, web app, worker, sweep and removal.",
        names=("embed", "EmbeddedService", "WsgiApp"),
    ),
    "videos": Subject(
        title="Videos of an embedded service",
        about="This page has the methods with which a program that embeds hvcore uploads, "
        "finds, lists, changes, plays and deletes videos, and the values that they "
        "take and return.",
        names=(
            *("EmbeddedEnvironment", "NewVideo", "Upload", "EmbeddedVideo"),
            *("VideoState", "Preset", "VideoUpdate", "VideoFilters", "SortBy"),
            *("SortDir", "VideoList", "ListedVideo"),
        ),
    ),
    "transactions": Subject(
        title="Transactions of the host program",
        about="This page has the classes with which a program that embeds hvcore grants "
        "uploads and deletes videos within a database transaction of its own.",
        names=(
            *("EnvironmentInTransaction", "DatabaseConnection", "OnCommit"),
            "OwnTransactionError",
        ),
    ),
    "captions-and-posters": Subject(
        title="Captions and posters",
        about="This page has the classes with which a program that embeds hvcore sets "
        "captions and still pictures of its videos.",
        names=("EnvironmentCaptions", "Caption", "CaptionList", "EnvironmentPosters"),
    ),
    "reports": Subject(
        title="Reports on videos",
        about="This page has the reports on watched and stored videos that a program which "
        "embeds hvcore can read.",
        names=("EnvironmentReports", "Report", "BreakdownBy"),
    ),
    "events": Subject(
        title="Events of videos",
        about="This page says how a program that embeds hvcore is told, without a webhook, "
        "that a video is ready, has failed, was changed or was deleted.",
        names=("OnEvent", "SubscribedEvent", "EventKind"),
    ),
    "sign-in": Subject(
        title="Callers of the API",
        about="This page says how a program that embeds hvcore names the sender of a "
        "request to the API, by its own sign-in or by tokens of its own.",
        names=(
            *("SignIn", "WsgiEnviron", "person", "Principal", "Permission"),
            *("AuthProvider", "Credentials", "BearerScheme", "HeaderScheme"),
        ),
    ),
    "backends": Subject(
        title="Backends of the host program",
        about="This page says how a program that embeds hvcore replaces backends by "
        "objects of its own: storage, sinks of analytics, mailer, clock, outbound "
        "HTTP and others.",
        names=(
            *("Overrides", "AnalyticsSink", "BatchRefusedError", "Clock", "Mailer"),
            *("Mail", "MailAnswerLostError", "MailRefusedError"),
            *("OutboundHttp", "OutboundError"),
            "TargetRefusedError",
        ),
    ),
    "testing": Subject(
        title="Tests of the host program",
        about="This page has the names of `hvcore.testing` with which the tests of a "
        "program that embeds hvcore make ready videos without ffmpeg.",
        names=("make_ready_video", "FakeTranscoder"),
        package=testing,
    ),
    "errors": Subject(
        title="Errors of an embedded service",
        about="This page has the errors that a program which embeds hvcore catches.",
        names=(
            *("HvcoreError", "ConfigError", "PluginError", "NotMigratedError"),
            *("HvError", "UnavailableError", "InvalidParametersError"),
            *("UnauthorizedError", "NotFoundError", "VideoNotFoundError"),
            *("AlreadyDeletedError", "ConflictError", "PreconditionFailedError"),
            *("QuotaExceededError", "InvalidFileSizeError", "UnsupportedFormatError"),
        ),
    ),
}
"""The pages by the names of their files, in the order of the list of pages."""


def page(name: str, note: str) -> Iterator[str]:
    """Give the parts of a page."""
    subject = SUBJECTS[name]
    yield f"# {subject.title}"
    yield note
    yield (
        f"{subject.about} {HOW_TO} shows the names at work; the [list of all "
        "names](README.md) says which page has a name that a signature mentions."
    )
    for one in subject.names:
        yield f"## {one}"
        yield from _entry(one, getattr(subject.package, one))


def pages_table() -> Iterator[tuple[str, str]]:
    """Yield a row for each page: a link to the page, and its purpose."""
    for name, subject in SUBJECTS.items():
        about = subject.about.split(maxsplit=3)[-1]
        yield f"[{subject.title}]({name}.md)", f"{about[:1].upper()}{about[1:]}"


def names_table() -> Iterator[tuple[str, str]]:
    """Yield a row for each name: a link to its heading, and the title of its page."""
    places = _places()
    titles = {f"{name}.md": subject.title for name, subject in SUBJECTS.items()}
    for one in sorted(places, key=str.lower):
        yield f"[{one}]({places[one]})", titles[places[one].partition("#")[0]]


def _places() -> Mapping[str, str]:
    """Return the address of each name's heading."""
    return {
        one: f"{name}.md#{one.lower()}"
        for name, subject in SUBJECTS.items()
        for one in subject.names
    }


def _entry(name: str, found: Any) -> Iterator[str]:  # noqa: ANN401 - anything public
    if inspect.isfunction(found):
        yield code(function_signature(found))
        yield from_docstring(found.__doc__ or "")
        return
    if not isinstance(found, type):
        assigned, doc = constant_of(name, embedding)
        yield code(assigned)
        yield from_docstring(doc)
        return
    has_fields = attrs.has(found) or issubclass(found, enum.Enum)
    if fields := [f"    {one}" for one in fields_of(found) if has_fields]:
        yield code("\n".join([f"class {name}:", *fields]))
    yield from_docstring(found.__doc__ or "")
    for base in found.__bases__:
        if base.__name__ in _places():
            yield (
                f"A subclass of [{base.__name__}]({_places()[base.__name__]}), with its "
                "fields and methods."
            )
    for member in _members(found):
        yield f"### {name}.{member.name}"
        yield code(member.signature)
        yield from_docstring(member.doc)


def _members(found: type) -> Iterator[Member]:
    """Yield the members of a class, with those of bases that programs cannot import."""
    for base in found.__mro__:
        is_own = base.__module__.startswith("hvcore.embedding.")
        if base is found or (is_own and base.__name__ not in _places()):
            known = {one.name for one in members_of(found)} if base is not found else ()
            yield from (one for one in members_of(base) if one.name not in known)
