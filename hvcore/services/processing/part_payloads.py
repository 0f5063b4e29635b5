"""
The parts of a job as their tasks keep them.

A part is run as it was planned, by whatever version of the code: two versions
may cut the same order differently, and what they cut would not join.
"""

from collections.abc import Mapping

import attrs

from hvcore.domain.ids import JobId
from hvcore.domain.processing.transcoding import Part, TranscodeOrder
from hvcore.domain.tasks.task import Task
from hvcore.ports.transcoder import Transcoder
from hvcore.wire.stored import from_stored, to_stored


@attrs.frozen(kw_only=True)
class _Cut:
    """
    What a part is besides its index, its weight and its order.
    """

    start_s: float
    end_s: float | None
    has_pictures: bool
    has_sound: bool


def part_payload(job_id: JobId, part: Part) -> Mapping[str, object]:
    """
    Return what the task of a part keeps.
    """
    cut = _Cut(
        start_s=part.start_s,
        end_s=part.end_s,
        has_pictures=part.has_pictures,
        has_sound=part.has_sound,
    )
    return {
        "job": job_id,
        "part": part.index,
        "weight": part.weight,
        "cut": to_stored(cut),
    }


def planned_part(task: Task, order: TranscodeOrder, transcoder: Transcoder) -> Part:
    """
    Return the part that a task is to make.

    Args:
        transcoder: Asked for its plan only where the task does not keep the part,
            as it was before tasks did.
    """
    index, cut = part_index(task), task.payload.get("cut")
    if cut is None:
        return transcoder.plan(order)[index]
    weight = float(str(task.payload["weight"]))
    kept = from_stored(cut, _Cut)
    return Part(
        index=index,
        order=order,
        weight=weight,
        start_s=kept.start_s,
        end_s=kept.end_s,
        has_pictures=kept.has_pictures,
        has_sound=kept.has_sound,
    )


def part_index(task: Task) -> int:
    """
    Return a part's place in the plan.
    """
    index = task.payload["part"]
    if not isinstance(index, int):
        raise TypeError(f"not a number: {index!r}")
    return index
