"""
Read media segments, and check each one alone and against the segment before.

Source: ISO/IEC 23000-19, sections 7.3 and 7.5; ISO/IEC 14496-12, section 8.8.
Only boxes and the first picture's head are read, whatever a segment's size.
"""

from collections.abc import Callable, Sequence
from typing import Final

import attrs

from hvcore.conformance.boxes import BoxError, BoxLocation, box_locations
from hvcore.conformance.codecs import avc, hevc
from hvcore.conformance.codecs.messages import MOST_BYTES, Told, told_by
from hvcore.conformance.init_segments import TrackHeader
from hvcore.conformance.report import CheckLog
from hvcore.conformance.samples import Run, read_runs
from hvcore.conformance.source import Extent, UnreadableError

MOST_FRAGMENTS: Final = 256
"""The most fragments that one segment may have."""
_BEFORE_MOOF: Final = frozenset(
    {"styp", "prft", "emsg", "sidx", "free", "skip", "uuid"}
)
_MOST_NAL_UNITS: Final = 64
_RUN: Final = "trun"  # codespell:ignore trun
_NON_SYNC: Final = 0x10000


@attrs.frozen(kw_only=True)
class SegmentHeader:
    """
    The times and samples of a media segment; all times are in the track's timescale.

    Attributes:
        start: The decode time of the first sample.
        durations: The durations of the shortest and the longest sample, without the last sample.
        longest: The duration of the longest sample, the last one included.
        last_sequence: The sequence number of the last fragment.
        first_offset: The time from decoding to showing the first sample.
        has_captions: Whether the first picture holds closed captions.
    """

    start: int
    duration: int
    samples: int
    durations: tuple[int, int]
    longest: int
    last_sequence: int
    first_offset: int
    has_captions: bool = False

    @property
    def end(self) -> int:
        """The decode time at which the next segment begins, in units of the timescale."""
        return self.start + self.duration


def read_segment(
    file: Extent,
    name: str,
    track: TrackHeader,
    before: SegmentHeader | None,
    report: CheckLog,
) -> SegmentHeader | None:
    """
    Read and check a media segment; return None if its times cannot be read.

    Args:
        before: The segment before; None at the beginning and behind a discontinuity.
    """
    try:
        return _Reader(file, name, track, report).read(before)
    except BoxError as exc:
        report.add("boxes", name, f"The segment is malformed: {exc}.")
    except UnreadableError as exc:
        report.add("readable", name, str(exc))
    return None


def read_picture(file: Extent, name: str, track: TrackHeader, report: CheckLog) -> None:
    """Check that an entry of an I-frame playlist holds one whole key frame."""
    try:
        found = list(box_locations(file, may_be_cut=True))
        moof = next((box for box in found if box.kind == "moof"), None)
        media = next((box for box in found if box.kind == "mdat"), None)
        if moof is None or media is None or media.start < moof.start:
            problem = "It is no moof with an mdat behind it"
        else:
            run = read_runs(moof.load(file).need("traf"), track.defaults)
            problem = _picture_problem(run, media, file)
    except BoxError as exc:
        problem = f"It is malformed: {exc}"
    except UnreadableError as exc:
        report.add("readable", name, str(exc))
        return
    if problem:
        report.add("iframe-pictures", name, f"{problem}.")


def _picture_problem(run: Run, media: BoxLocation, file: Extent) -> str:
    missing = media.body + run.first_size - file.size_bytes
    if not run.first_size:
        return "There is no picture in it"
    if run.first_flags & _NON_SYNC:
        return "The picture is not marked as sync sample"
    return f"The last {missing} bytes of the picture are missing" if missing > 0 else ""


@attrs.frozen
class _Reader:
    """A media segment while it is read."""

    file: Extent
    name: str
    track: TrackHeader
    report: CheckLog

    def read(self, before: SegmentHeader | None) -> SegmentHeader | None:
        """
        Read and check every fragment of the segment.

        Raises:
            BoxError: A fragment is malformed.
            UnreadableError: The file has gone.
        """
        made: list[SegmentHeader] = []
        top = list(box_locations(self.file))
        self._check_structure(top)
        for number, box in enumerate(top):
            if box.kind != "moof":
                continue
            if len(made) >= MOST_FRAGMENTS:
                self._wrong("limits", f"It has more than {MOST_FRAGMENTS} fragments.")
                break
            after = top[number + 1 :]
            media = next((p for p in after if p.kind in {"mdat", "moof"}), None)
            found = self._fragment(box, media, is_first=not made)
            if found:
                self._check_follows(found, made[-1] if made else before)
                made.append(found)
        return _joined(made)

    def _wrong(self, rule: str, message: str, place: str = "") -> None:
        self.report.add(rule, self.name, message, place)

    def _check_structure(self, top: Sequence[BoxLocation]) -> None:
        kinds = [box.kind for box in top]
        if "moof" not in kinds:
            self._wrong("fragment-structure", "It has no moof.")
            return
        before = kinds[: kinds.index("moof")]
        strange = [kind for kind in before if kind not in _BEFORE_MOOF]
        if strange or "styp" in kinds[1:]:
            order = " ".join(kinds[:8])
            self._wrong("fragment-structure", f"Its boxes begin with {order}.")

    def _fragment(
        self, box: BoxLocation, media: BoxLocation | None, *, is_first: bool
    ) -> SegmentHeader | None:
        moof = box.load(self.file)
        tracks = moof.all("traf")
        if len(tracks) != 1:
            self._wrong("fragment-structure", f"moof has {len(tracks)} traf.", "moof")
        if media is None or media.kind != "mdat":
            self._wrong("fragment-structure", "No mdat follows the moof.", "moof")
            media = None
        if not tracks:
            return None
        part = tracks[0]
        base = part.need("tfdt")
        start = base.number("Q" if base.number("B") else "I", 4)
        run = read_runs(part, self.track.defaults)
        self._check_header(run)
        has_captions = False
        if media is not None:
            self._check_data(run, box, media)
            if is_first and self.track.kind == "vide" and run.samples:
                has_captions = self._check_first_picture(run, media)
        return SegmentHeader(
            start=start,
            duration=run.duration,
            samples=run.samples,
            durations=run.durations,
            longest=run.longest,
            last_sequence=moof.need("mfhd").number("I", 4),
            first_offset=run.first_offset,
            has_captions=has_captions,
        )

    def _check_header(self, run: Run) -> None:
        if run.track_id != self.track.id:
            self._wrong(
                "track-id",
                f"The fragment is of track {run.track_id}, the init segment of "
                f"{self.track.id}.",
                "tfhd",
            )
        if run.has_base or not run.is_moof_base:
            self._wrong(
                "fragment-base",
                "default-base-is-moof is not set, or a base is.",
                "tfhd",
            )

    def _check_data(self, run: Run, moof: BoxLocation, media: BoxLocation) -> None:
        room = media.end - media.body
        if run.bytes != room:
            self._wrong(
                "sample-data",
                f"Samples have {run.bytes} bytes, mdat has {room}.",
                _RUN,
            )
        begin = moof.start + run.data_offset if run.data_offset is not None else None
        if begin is not None and begin != media.body and not run.has_base:
            self._wrong(
                "sample-data",
                f"Samples begin at byte {begin}, the data of mdat at {media.body}.",
                _RUN,
            )

    def _check_first_picture(self, run: Run, media: BoxLocation) -> bool:
        """Check that the segment begins with a key frame; return whether it holds closed captions."""
        if run.first_flags & _NON_SYNC:
            self._wrong(
                "key-frame", "The first sample is not marked as sync sample.", _RUN
            )
        if not self.track.nal_length_bytes:
            return False
        codec = avc if self.track.entry.startswith("avc") else hevc
        units = self._nal_units(media, run.first_size, codec.nal_type)
        types = [kind for kind, _, _ in units]
        sets = [kind for kind in types if kind in codec.PARAMETER_SETS]
        if sets and self.track.entry in {"avc1", "hvc1"}:
            self._wrong(
                "in-band-parameter-sets",
                f"The first sample holds NAL units of the types {sorted(set(sets))}.",
                "mdat",
            )
        picture = next((kind for kind in types if kind in codec.PICTURES), None)
        if picture not in codec.IDR:
            found = "none" if picture is None else f"NAL unit type {picture}"
            self._wrong("key-frame", f"The first picture is {found}, no IDR.", "mdat")
        told = frozenset[Told]().union(
            *(
                told_by(self.file.read(at, min(size, MOST_BYTES))[codec.HEADER_BYTES :])
                for kind, at, size in units
                if kind in codec.MESSAGES
            )
        )
        if Told.SCREEN in told and not self.track.is_hdr:
            self._wrong(
                "screen-metadata",
                f"The first picture tells of {Told.SCREEN.value}, and is SDR.",
                "mdat",
            )
        return Told.CAPTIONS in told

    def _nal_units(
        self, media: BoxLocation, size: int, type_of: Callable[[int], int]
    ) -> list[tuple[int, int, int]]:
        """Return type, position and size of each NAL unit of the first sample."""
        found: list[tuple[int, int, int]] = []
        width = self.track.nal_length_bytes
        at, end = media.body, min(media.body + size, media.end)
        while at + width < end and len(found) < _MOST_NAL_UNITS:
            head = self.file.read(at, width + 1)
            length = int.from_bytes(head[:width], "big")
            if len(head) <= width or not length or at + width + length > end:
                self._wrong(
                    "sample-data", "A NAL unit goes on behind its sample.", "mdat"
                )
                break
            found.append((type_of(head[width]), at + width, length))
            at += width + length
        return found

    def _check_follows(
        self, found: SegmentHeader, before: SegmentHeader | None
    ) -> None:
        if before is None:
            return
        if abs(found.start - before.end) > 1:
            self._wrong(
                "decode-time",
                f"It begins at tick {found.start}, and the one before it ended at "
                f"{before.end} ({self.track.timescale} ticks are a second).",
                "tfdt",
            )
        if found.last_sequence <= before.last_sequence:
            self._wrong(
                "sequence-number",
                f"Number {found.last_sequence} follows {before.last_sequence}.",
                "mfhd",
            )


def _joined(made: Sequence[SegmentHeader]) -> SegmentHeader | None:
    if not made:
        return None
    return SegmentHeader(
        start=made[0].start,
        duration=sum(one.duration for one in made),
        samples=sum(one.samples for one in made),
        durations=(
            min(one.durations[0] for one in made),
            max(one.durations[1] for one in made),
        ),
        longest=max(one.longest for one in made),
        last_sequence=made[-1].last_sequence,
        first_offset=made[0].first_offset,
        has_captions=made[0].has_captions,
    )
