"""
Read init segments, and check each one alone.

Source: ISO/IEC 23000-19, sections 7.2, 7.3 and 7.5; ISO/IEC 14496-12, section 8.
"""

from typing import Final

import attrs

from hvcore.conformance.boxes import Box, BoxError, BoxLocation, box_locations, inside
from hvcore.conformance.codecs import avc, hevc
from hvcore.conformance.codecs.audio import read_esds
from hvcore.conformance.codecs.pictures import HDR_TRANSFERS, Picture
from hvcore.conformance.report import CheckLog
from hvcore.conformance.source import Extent, UnreadableError

_FRAGMENTED: Final = frozenset(
    {b"cmfc", b"cmf2", b"iso5", b"iso6", b"iso7", b"iso8", b"iso9", b"isoa", b"isob"}
)
_CMAF: Final = frozenset({b"cmfc", b"cmf2"})
_VISUAL_FIELDS: Final = 78
_AUDIO_FIELDS: Final = 28
_NORMAL_RATE: Final = 0x10000
_SAMPLE_TABLES: Final = (("stts", 4), ("stsc", 4), ("stsz", 8), ("stco", 4))
_MOST_PRIMING_S: Final = 1
_ABOUT_SCREENS: Final = ("mdcv", "clli")
_RECORDS: Final = {"avc1": "avcC", "avc3": "avcC", "hvc1": "hvcC", "hev1": "hvcC"}


@attrs.frozen(kw_only=True)
class Edit:
    """
    The first entry of a track's edit list, which should be the only one.

    Attributes:
        media_time: Where in the track playback begins, in ticks of the track's timescale.
        is_plain: Whether it is the only entry, plays at normal speed, and is no empty edit.
    """

    media_time: int
    is_plain: bool


@attrs.frozen(kw_only=True)
class TrackHeader:
    """
    The description of a track in its init segment.

    Attributes:
        kind: The handler type of the track: ``vide``, ``soun`` or another one.
        timescale: Ticks per second.
        codecs: The codec as CODECS attributes name it (RFC 6381); of a codec that this
            check does not know, the four characters of the sample entry.
        nal_length_bytes: The size of the length field before each NAL unit; 0 if samples hold no
            NAL units that can be read.
        level: The codec's level of a video track, as its configuration has it.
        transfer: The transfer function of a video track, as ``colr`` or else the SPS
            has it (ITU-T H.273).
        defaults: Duration, size and flags of samples that have none of their own.
    """

    name: str
    kind: str
    id: int
    timescale: int
    codecs: str
    entry: str
    defaults: tuple[int, int, int]
    edit: Edit | None
    is_cmf2: bool
    nal_length_bytes: int = 0
    level: int = 0
    pictures: tuple[Picture, ...] = ()
    transfer: int | None = None
    channels: int = 0

    @property
    def is_hdr(self) -> bool:
        """True if the video track is HDR: its transfer function is PQ or HLG."""
        return self.transfer in HDR_TRANSFERS


def read_init(file: Extent, name: str, report: CheckLog) -> TrackHeader | None:
    """Read and check an init segment; return its track, or None if the track cannot be read."""
    try:
        return _Init(file, name, report).read()
    except BoxError as exc:
        report.add("boxes", name, f"The init segment is malformed: {exc}.")
    except UnreadableError as exc:
        report.add("readable", name, str(exc))
    return None


@attrs.frozen
class _Init:
    """An init segment while it is read."""

    file: Extent
    name: str
    report: CheckLog

    def read(self) -> TrackHeader | None:
        """
        Read and check the init segment, and return its track.

        Raises:
            BoxError: The init segment is malformed.
        """
        top = list(box_locations(self.file))
        brands = self._brands(next((p for p in top if p.kind == "ftyp"), None))
        if any(p.kind in {"moof", "mdat"} for p in top):
            self._wrong("init-no-samples", "It has media data.")
        movies = [p for p in top if p.kind == "moov"]
        if len(movies) != 1:
            self._wrong("init-one-track", f"It has {len(movies)} moov boxes.")
        if not movies:
            return None
        movie = movies[0].load(self.file)
        tracks = movie.all("trak")
        if len(tracks) != 1:
            self._wrong("init-one-track", f"It has {len(tracks)} tracks.", "moov")
        if not tracks:
            return None
        return self._track(movie, tracks[0], brands)

    def _wrong(self, rule: str, message: str, place: str = "") -> None:
        self.report.add(rule, self.name, message, place)

    def _brands(self, box: BoxLocation | None) -> frozenset[bytes]:
        if box is None:
            self._wrong("init-brands", "It has no ftyp.")
            return frozenset()
        body = box.load(self.file).body
        found = frozenset(body[at : at + 4] for at in (0, *range(8, len(body), 4)))
        if not found & _FRAGMENTED:
            self._wrong("init-brands", "No brand is one of fragmented files.", "ftyp")
        if not found & _CMAF:
            self._wrong("cmaf-brand", "Neither cmfc nor cmf2 is a brand.", "ftyp")
        return found

    def _track(self, movie: Box, track: Box, brands: frozenset[bytes]) -> TrackHeader:
        media = track.need("mdia")
        header = media.need("mdhd")
        timescale = header.number("I", 20 if header.number("B") else 12)
        if not timescale:
            raise BoxError("mdhd has the timescale 0")
        tables = media.need("minf", "stbl")
        self._no_samples(tables)
        identity = track.need("tkhd")
        self._upright(identity)
        made = TrackHeader(
            name=self.name,
            kind=media.need("hdlr").body[8:12].decode("latin-1"),
            id=identity.number("I", 20 if identity.number("B") else 12),
            timescale=timescale,
            codecs="",
            entry="",
            defaults=self._defaults(movie),
            edit=self._edit(track),
            is_cmf2=b"cmf2" in brands,
        )
        return self._described(made, tables.need("stsd"))

    def _upright(self, identity: Box) -> None:
        at = 52 if identity.number("B") else 40
        a, b, _, c, d = identity.numbers("5i", at)
        # Of zeros, nobody makes a picture of no size.
        if (a, b, c, d) != (0, 0, 0, 0) and not (a == d > 0 and b == c == 0):
            self._wrong("as-decoded", f"Its matrix has {a}, {b}, {c}, {d}.", "tkhd")

    def _no_samples(self, tables: Box) -> None:
        for kind, at in _SAMPLE_TABLES:
            box = tables.first(kind)
            if box is not None and box.number("I", at):
                self._wrong("init-no-samples", f"{kind} lists samples.", "moov")

    def _defaults(self, movie: Box) -> tuple[int, int, int]:
        extends = movie.first("mvex", "trex")
        if extends is None:
            self._wrong("init-fragments", "There is no mvex with a trex.", "moov")
            return 0, 0, 0
        duration, size, flags = extends.numbers("3I", 12)
        return duration, size, flags

    def _edit(self, track: Box) -> Edit | None:
        edits = track.first("edts", "elst")
        if edits is None:
            return None
        version, count = edits.number("B"), edits.number("I", 4)
        form = "QqI" if version else "IiI"
        if count == 0:
            return None
        _, media_time, rate = edits.numbers(form, 8)
        is_plain = count == 1 and rate == _NORMAL_RATE and media_time >= 0
        return Edit(media_time=media_time, is_plain=is_plain)

    def _described(self, track: TrackHeader, table: Box) -> TrackHeader:
        entries = inside(table, skip=8)
        if len(entries) != 1:
            self._wrong("sample-entry", f"There are {len(entries)} sample entries.")
        if not entries:
            return track
        entry = entries[0]
        track = attrs.evolve(track, entry=entry.kind, codecs=entry.kind)
        if entry.kind in _RECORDS:
            return self._video(track, entry)
        if entry.kind == "mp4a":
            record = self._record(entry, "esds", _AUDIO_FIELDS)
            found = record and read_esds(record)
            if not found:
                return track
            return attrs.evolve(track, codecs=found.codecs, channels=found.channels)
        if entry.kind in {"ac-3", "ec-3"}:
            self._record(entry, f"d{entry.kind[0]}c3", _AUDIO_FIELDS)
        return track

    def _record(self, entry: Box, kind: str, skip: int) -> Box | None:
        found = next(iter(entry.all(kind, skip=skip)), None)
        if found is None:
            self._wrong("sample-entry", f"{entry.kind} has no {kind}.", "stsd")
        return found

    def _video(self, track: TrackHeader, entry: Box) -> TrackHeader:
        if entry.kind in {"avc3", "hev1"}:
            self._wrong(
                "stored-parameter-sets",
                f"{entry.kind} keeps parameter sets in the samples; HLS wants "
                f"{'avc1' if entry.kind == 'avc3' else 'hvc1'}.",
                "stsd",
            )
        record = self._record(entry, _RECORDS[entry.kind], _VISUAL_FIELDS)
        if record is None:
            return track
        codec = avc if entry.kind.startswith("avc") else hevc
        config = codec.read_config(record)
        for problem in config.problems:
            self._wrong("sample-entry", f"{problem}.", "stsd")
        size = entry.numbers("HH", 24)
        if any(size != (p.width_px, p.height_px) for p in config.pictures):
            shown = ", ".join(f"{p.width_px}x{p.height_px}" for p in config.pictures)
            self._wrong(
                "entry-size", f"It says {size[0]}x{size[1]}; the SPS {shown}.", "stsd"
            )
        self._square(entry, config.pictures)
        if not config.is_for_devices:
            self._wrong(
                "device-profile", f"It is {entry.kind}.{config.codecs}.", "stsd"
            )
        found = attrs.evolve(
            track,
            codecs=f"{entry.kind}.{config.codecs}",
            nal_length_bytes=config.nal_length_bytes,
            level=config.level,
            pictures=config.pictures,
            transfer=self._transfer(entry, config.pictures),
        )
        for kind in () if found.is_hdr else _ABOUT_SCREENS:
            if entry.all(kind, skip=_VISUAL_FIELDS):
                self._wrong("screen-metadata", f"It has {kind}, and is SDR.", "stsd")
        return found

    def _square(self, entry: Box, pictures: tuple[Picture, ...]) -> None:
        shapes = [box.numbers("II") for box in entry.all("pasp", skip=_VISUAL_FIELDS)]
        # What the box says goes before what the stream says.
        for width, height in shapes:
            if width != height:
                self._wrong("as-decoded", f"Its pixels are {width}:{height}.", "pasp")
        if not shapes and not all(one.has_square_pixels for one in pictures):
            self._wrong("as-decoded", "By its SPS, pixels are oblong.", "stsd")
        for _ in entry.all("clap", skip=_VISUAL_FIELDS):
            self._wrong("as-decoded", "Its sample entry has a clap.", "stsd")

    def _transfer(self, entry: Box, pictures: tuple[Picture, ...]) -> int | None:
        for box in entry.all("colr", skip=_VISUAL_FIELDS):
            if box.body[:4] == b"nclx":
                return box.number("H", 6)
        found = {picture.transfer for picture in pictures} or {None}
        if None in found:
            self._wrong(
                "colour",
                "Neither colr nor the SPS says which colours are meant.",
                "stsd",
            )
        return found.pop() if len(found) == 1 else None


def check_edit(track: TrackHeader, first_offset: int, report: CheckLog) -> None:
    """
    Check that the edit list of a track only removes the priming of audio or the first video offset.

    Args:
        first_offset: The time from decoding to showing the first sample, in ticks of
            the timescale.
    """
    edit = track.edit
    if edit is None:
        return
    if track.kind == "soun":
        if not edit.is_plain or edit.media_time > _MOST_PRIMING_S * track.timescale:
            report.add(
                "edit-list", track.name, "It does more than to cut priming off.", "elst"
            )
    elif not edit.is_plain or edit.media_time != first_offset or track.is_cmf2:
        report.add(
            "edit-list",
            track.name,
            f"Video has an edit list that begins at tick {edit.media_time}, and its "
            f"first sample is shown at {first_offset}.",
            "elst",
        )
    else:
        report.add(
            "edit-list-none", track.name, "It takes the first offset away.", "elst"
        )
