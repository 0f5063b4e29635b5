"""The check of ``hv doctor`` for the transcriber, which writes down what is said."""

from collections.abc import Sequence
from typing import Final

from hvcore.assembly import Services
from hvcore.domain.health_findings import HealthFinding, ambiguous, broken, healthy
from hvcore.domain.processing.speech import TranscriberCapabilities
from hvcore.errors import UnavailableError, require_answer
from hvcore.ports.repositories.access.tenants import CaptionedEnvironments
from hvcore.ports.transcriber import SupportsCostMeasurement
from hvcore.services.captions.orders import NO_TRANSCRIBER

CHECK: Final = "transcriber"
_MOST_NAMED: Final = 5


def transcriber(services: Services) -> Sequence[HealthFinding]:
    """Check that sounds can be transcribed, and say in which languages and at which cost."""
    chosen = services.transcriber
    wishes = services.settings.transcriber.generate
    if chosen is None:
        none = (
            _cannot_generate(wishes, NO_TRANSCRIBER)
            if wishes
            else healthy(CHECK, "none: HV_TRANSCRIBER__BACKEND chooses no backend")
        )
        return [none, *_lost_wishes(services, _wanted_of_environments(services))]
    # Not within: a database that does not answer there is no fault of the transcriber.
    wanted = _wanted_of_environments(services)
    fix = "Correct HV_TRANSCRIBER__BACKEND and the backend's options."
    try:
        able = chosen.capabilities()
        require_answer(chosen.capabilities, able, TranscriberCapabilities)
        chosen.ping()
        refusal = services.caption_orders.refusal(wishes)
        lost = _lost_wishes(services, wanted)
        cost = (
            f"; a minute of speech costs about {chosen.processor_s_per_minute():.1f} s "
            "of processor time on this machine"
            if isinstance(chosen, SupportsCostMeasurement)
            else ""
        )
    except UnavailableError as exc:
        said = f" ({exc.said})" if exc.said else ""
        return [broken(CHECK, f"{exc.detail}{said}", fix)]
    if refusal:
        return [_cannot_generate(wishes, refusal), *lost]
    return [healthy(CHECK, f"{able.name}: {_languages(able)}{cost}"), *lost]


def _wanted_of_environments(services: Services) -> Sequence[CaptionedEnvironments]:
    """Return the captions that environments want for new videos; none if the database does not answer."""
    try:
        if services.why_unusable():
            return []
        with services.uow.read() as work:
            return work.tenants.captioned_environments()
    except UnavailableError:
        # The check of the database says that.
        return []


def _lost_wishes(
    services: Services, wanted: Sequence[CaptionedEnvironments]
) -> Sequence[HealthFinding]:
    """Find captions that environments want for new videos, and that can no longer be made."""
    told = [
        f"captions of new videos of {one.example}"
        f"{f' and {one.count - 1} more' if one.count > 1 else ''}: {refusal}"
        for one in wanted
        if (refusal := services.caption_orders.refusal(one.languages))
    ]
    more = [f"{len(told) - _MOST_NAMED} more such"] if len(told) > _MOST_NAMED else []
    fix = (
        "Choose a model that knows the language, or change the setting: "
        "hv envs captions ORG ENV."
    )
    return ambiguous(CHECK, [*told[:_MOST_NAMED], *more], fix)


def _cannot_generate(wishes: Sequence[str], refusal: str) -> HealthFinding:
    asked = f"HV_TRANSCRIBER__GENERATE={','.join(wishes)}" if wishes else "captions"
    fix = "Correct HV_TRANSCRIBER__GENERATE, or choose what can make such captions."
    return broken(CHECK, f"{asked}: {refusal}", fix)


def _languages(able: TranscriberCapabilities) -> str:
    known = sorted(able.languages)
    names = ", ".join(known) if len(known) <= _MOST_NAMED else f"{len(known)} languages"
    return (
        f"{names}, told apart"
        if able.detects_languages
        else f"{names}; {able.assumed_language} is assumed where none is asked for"
    )
