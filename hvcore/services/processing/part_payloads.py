"""
Write and read the parts of a job in the payloads of their tasks.

A part is encoded as it was planned, by whatever version of the code runs it: two versions
may cut the same order differently, and parts of different cuts would not join.
"""

from collections.abc import Mapping

import attrs

from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.transcoding import Part, TranscodeOrder
from hvcore.domain.tasks.task import Task
from hvcore.ports.transcoder import Transcoder
from hvcore.wire.stored import from_stored, to_stored


@attrs.frozen(kw_only=True)
class _Cut:
    """The rest of a part beside its index, its weight and its order."""

    start_s: float
    end_s: float | None
    has_pictures: bool
    has_sound: bool


def part_payload(job: TranscodeJob, part: Part) -> Mapping[str, object]:
    """Return the payload of the task that encodes a part of a job."""
    cut = _Cut(
        start_s=part.start_s,
        end_s=part.end_s,
        has_pictures=part.has_pictures,
        has_sound=part.has_sound,
    )
    return {
        "job": job.id,
        "part": part.index,
        "weight": part.weight,
        "cut": to_stored(cut),
        # For hv tasks; the job decides.
        "transcoder": job.transcoder,
        "chosen_because": job.chosen_because,
    }


def planned_part(task: Task, order: TranscodeOrder, transcoder: Transcoder) -> Part:
    """
    Return the part that a task must encode.

    Args:
        transcoder: Asked for its plan only if the task's payload does not describe the part;
            older versions wrote such tasks.
    """
    index, cut = part_index(task), task.payload.get("cut")
    if cut is None:
        return transcoder.plan(order)[index]
    weight = float(str(task.payload["weight"]))
    stored = from_stored(cut, _Cut)
    return Part(
        index=index,
        order=order,
        weight=weight,
        start_s=stored.start_s,
        end_s=stored.end_s,
        has_pictures=stored.has_pictures,
        has_sound=stored.has_sound,
    )


def part_index(task: Task) -> int:
    """Return the index of a task's part in the plan of its job."""
    index = task.payload["part"]
    if not isinstance(index, int):
        raise TypeError(f"not a number: {index!r}")
    return index
