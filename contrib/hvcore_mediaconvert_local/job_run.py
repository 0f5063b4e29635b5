"""Carry out one job: fetch, probe, encode, write playlists, upload."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

import attrs

from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.encoding.dash_manifest import dash_manifest
from hvcore_mediaconvert_local.encoding.encode_plan import (
    EncodePlan,
    GroupKind,
    GroupPlan,
    OutputPlan,
)
from hvcore_mediaconvert_local.encoding.encoder_arguments import (
    arguments_of,
    output_folder,
    suffix_of,
)
from hvcore_mediaconvert_local.encoding.hls_playlists import multivariant_playlist
from hvcore_mediaconvert_local.encoding.plan_reading import plan_of
from hvcore_mediaconvert_local.encoding.renditions import LocalRendition, read_rendition
from hvcore_mediaconvert_local.encoding.source_facts import SourceFacts
from hvcore_mediaconvert_local.inputs import InputFetcher
from hvcore_mediaconvert_local.jobs import (
    LocalJob,
    LocalJobPhase,
    MadeGroup,
    MadeOutput,
)
from hvcore_mediaconvert_local.media_bucket import MediaBucket
from hvcore_mediaconvert_local.programs import EncodingPrograms
from hvcore_mediaconvert_local.wire import objects_at

PROBED_PERCENT: Final = 5
ENCODED_PERCENT: Final = 90
_MILLISECONDS: Final = 1000


class JobProgress(Protocol):
    """Take the progress of the work on a job, and tell if the work must end."""

    def move(self, phase: LocalJobPhase, percent: int) -> None:
        """Note the progress; raise the error that a test has ordered for this point."""

    def check(self) -> None:
        """Raise an error if the job was canceled or the server stops."""


@attrs.frozen(kw_only=True)
class JobRun:
    """Carries out jobs: downloads the input, runs ffmpeg, uploads the made files; thread-safe."""

    bucket: MediaBucket
    fetcher: InputFetcher
    programs: EncodingPrograms
    config: LocalMediaConvertConfig

    def run(self, job: LocalJob, progress: JobProgress) -> tuple[MadeGroup, ...]:
        """
        Make all outputs of a job, from the download of its input to the upload of its files.

        Raises:
            JobFailedError: The job has failed.
        """
        plan = plan_of(job.request["settings"])
        with tempfile.TemporaryDirectory(
            prefix="hv-mediaconvert-", dir=self.config.work_dir
        ) as name:
            folder = Path(name)
            progress.move(LocalJobPhase.PROBING, 0)
            source = folder / "source"
            self.fetcher.fetch(plan.source, source, progress.check)
            facts = SourceFacts.read(self.programs.probe(source))
            facts.check(plan)
            if plan.has_matched_audio:
                facts = facts.with_picture_end(self.programs.picture_end_s(source))
            self._encode(plan, facts, folder, progress)
            groups = [
                self._made(group, folder, number, facts)
                for number, group in enumerate(plan.groups)
            ]
            self._upload(groups, progress)
        return tuple(group.made for group in groups)

    def _encode(
        self, plan: EncodePlan, facts: SourceFacts, folder: Path, progress: JobProgress
    ) -> None:
        for number, group in enumerate(plan.groups):
            for index in range(len(group.outputs)):
                output_folder(folder, number, index).mkdir()
        progress.move(LocalJobPhase.TRANSCODING, PROBED_PERCENT)
        span = ENCODED_PERCENT - PROBED_PERCENT

        def report(done_s: float) -> None:
            share = min(1.0, done_s / facts.duration_s) if facts.duration_s else 0.0
            percent = PROBED_PERCENT + int(span * share)
            progress.move(LocalJobPhase.TRANSCODING, percent)

        self.programs.encode(
            arguments_of(
                plan, facts, folder / "source", folder, self.config.encoder_preset
            ),
            folder,
            check=progress.check,
            report=report,
        )

    def _made(
        self, group: GroupPlan, folder: Path, number: int, facts: SourceFacts
    ) -> "_MadeFiles":
        folders = [
            output_folder(folder, number, index) for index in range(len(group.outputs))
        ]
        if group.kind is GroupKind.FILE:
            return self._made_files(group, folders)
        renditions = [
            read_rendition(
                output,
                group.destination.name + output.name_modifier,
                place,
                facts.frame_rate,
            )
            for output, place in zip(group.outputs, folders, strict=True)
        ]
        return _made_renditions(group, renditions, folder / f"{number}-top")

    def _made_files(self, group: GroupPlan, folders: Sequence[Path]) -> "_MadeFiles":
        files, outputs = [], []
        for output, folder in zip(group.outputs, folders, strict=True):
            if output.video and output.video.is_capture:
                pictures = _made_pictures(group, output, folder)
                files += pictures
                last = tuple(_address(group, name) for _, name in pictures[-1:])
                outputs.append(
                    MadeOutput(
                        duration_ms=0,
                        width_px=output.video.width_px,
                        height_px=output.video.height_px,
                        files=last,
                    )
                )
                continue
            suffix = suffix_of(group, output)
            made = folder / f"file.{suffix}"
            base = group.destination.name + output.name_modifier
            name = f"{base}.{output.extension or suffix}"
            files.append((made, name))
            address = _address(group, name)
            outputs.append(self._file_output(output, made, address))
        made_group = MadeGroup(
            kind=group.kind.event_name, playlists=(), outputs=tuple(outputs)
        )
        return _MadeFiles(group=group, files=tuple(files), made=made_group)

    def _file_output(self, output: OutputPlan, made: Path, address: str) -> MadeOutput:
        probed = self.programs.probe(made)
        duration_s = float(probed["format"].get("duration", 0))
        videos = [
            one for one in objects_at(probed, "streams") if one["codec_type"] == "video"
        ]
        size = videos[0] if output.video and videos else {}
        return MadeOutput(
            duration_ms=round(duration_s * _MILLISECONDS),
            width_px=size.get("width"),
            height_px=size.get("height"),
            files=(address,),
        )

    def _upload(self, groups: Sequence["_MadeFiles"], progress: JobProgress) -> None:
        total = sum(len(group.files) for group in groups)
        done = 0
        progress.move(LocalJobPhase.UPLOADING, ENCODED_PERCENT)
        for group in groups:
            place = group.group.destination
            for path, name in group.files:
                progress.check()
                self.bucket.store(place.bucket, place.folder + name, path)
                done += 1
                share = (100 - ENCODED_PERCENT) * done // total
                progress.move(LocalJobPhase.UPLOADING, ENCODED_PERCENT + share)


@attrs.frozen(kw_only=True)
class _MadeFiles:
    """Hold a group's local files with their final names: media first, playlists last."""

    group: GroupPlan
    files: tuple[tuple[Path, str], ...]
    made: MadeGroup


def _made_renditions(
    group: GroupPlan, renditions: Sequence[LocalRendition], folder: Path
) -> _MadeFiles:
    folder.mkdir()
    files = [pair for one in renditions for pair in one.files()]
    texts = list(_playlists(group, renditions))
    for name, data in texts:
        path = folder / f"{len(files)}.{name.rpartition('.')[2]}"
        path.write_bytes(data)
        files.append((path, name))
    tops = [name for name in _tops(group) if name in dict(texts)]
    is_hls = group.kind is GroupKind.HLS
    outputs = [
        MadeOutput(
            duration_ms=round(one.duration_s * _MILLISECONDS),
            width_px=one.width_px,
            height_px=one.height_px,
            # As MediaConvert's events: those of CMAF have none.
            files=(_address(group, one.playlist_name),) if is_hls else (),
        )
        for one in renditions
    ]
    made = MadeGroup(
        kind=group.kind.event_name,
        playlists=tuple(_address(group, name) for name in tops),
        outputs=tuple(outputs),
    )
    return _MadeFiles(group=group, files=tuple(files), made=made)


def _made_pictures(
    group: GroupPlan, output: OutputPlan, folder: Path
) -> list[tuple[Path, str]]:
    base = group.destination.name + output.name_modifier
    extension = output.extension or "jpg"
    return [
        (path, f"{base}.{path.name.split('.')[1]}.{extension}")
        for path in sorted(folder.glob("file.*.jpg"))
    ]


def _tops(group: GroupPlan) -> tuple[str, str]:
    return (f"{group.destination.name}.mpd", f"{group.destination.name}.m3u8")


def _playlists(
    group: GroupPlan, renditions: Sequence[LocalRendition]
) -> Iterator[tuple[str, bytes]]:
    dash, hls = _tops(group)
    if group.writes_hls:
        for one in renditions:
            yield one.playlist_name, "\n".join([*one.lines, ""]).encode()
        yield hls, multivariant_playlist(renditions).encode()
    if group.writes_dash:
        yield dash, dash_manifest(renditions)


def _address(group: GroupPlan, name: str) -> str:
    place = group.destination
    return f"s3://{place.bucket}/{place.folder}{name}"
