"""The check of ``hv doctor`` for the events by which the object store reports new files."""

from collections.abc import Iterator, Sequence
from typing import Final

from hvcore.assembly import Services
from hvcore.domain.health_findings import WARNING, HealthFinding, broken, healthy
from hvcore.domain.uploads.direct import DirectUploadMode
from hvcore.errors import ConfigError, UnavailableError
from hvcore.settings.notify import NotifySettings
from hvcore_notify.app import EVENTS_PATH, PUBSUB_PATH, SNS_PATH
from hvcore_notify.queue_reader import check_answer, queue_errors, sqs_client

CHECK: Final = "notify"


def notify(services: Services) -> Sequence[HealthFinding]:
    """Check that the queue of the store's events can be read, and say which settings the store needs."""
    settings = services.settings
    if not settings.notify.is_used:
        found = "the store tells nothing: sent files are found by looking"
        if settings.uploads.direct == DirectUploadMode.OFF.value:
            found = "not needed: files come through the service"
        return [healthy(CHECK, found)]
    if settings.uploads.direct == DirectUploadMode.OFF.value:
        found = "files come through the service, so there is nothing to tell"
        fix = "Set HV_UPLOADS__DIRECT, or leave HV_NOTIFY__… out."
        return [HealthFinding(state=WARNING, check=CHECK, found=found, fix=fix)]
    place = services.storage_events.place()
    if place is None:
        found = "this storage signs no addresses: files come through the service"
        fix = "Use a bucket and a key that can sign, or leave HV_NOTIFY__… out."
        return [broken(CHECK, found, fix)]
    return [*_queue(settings.notify), *_addresses(services), _filter(place)]


def _queue(settings: NotifySettings) -> Iterator[HealthFinding]:
    if not settings.sqs_url:
        return
    try:
        client = sqs_client(settings, waits_s=0)
        with queue_errors():
            # It tells of the right to use the queue; asking for messages would take them.
            answer = client.get_queue_attributes(
                QueueUrl=settings.sqs_url, AttributeNames=["QueueArn"]
            )
            check_answer(answer)
    except (ConfigError, UnavailableError) as exc:
        fix = (
            "Correct HV_NOTIFY__SQS_URL, the key or its rights: sqs:ReceiveMessage, "
            "sqs:DeleteMessage and, for this check, sqs:GetQueueAttributes."
        )
        yield broken(CHECK, str(exc), fix)
    else:
        yield healthy(CHECK, "the queue can be read, by hv notify")


def _addresses(services: Services) -> Iterator[HealthFinding]:
    settings, root = services.settings.notify, services.settings.public.upload_url
    for path, is_open in (
        (SNS_PATH, settings.sns_topics),
        (PUBSUB_PATH, settings.pubsub_audience),
        (EVENTS_PATH, settings.token),
    ):
        if is_open:
            yield healthy(CHECK, f"taken at {root}{path}, by hv delivery")


def _filter(place: str) -> HealthFinding:
    bucket, _, prefix = place.partition("/")
    found = f"to be told of: bucket {bucket}, prefix {prefix}, suffix /arrival"
    return healthy(CHECK, found)
