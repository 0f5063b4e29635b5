"""
What ``hv doctor`` says of the transcoders.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.domain.health_findings import HealthFinding
from hvcore.domain.ids import OrgId, new_job_id
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.tasks.kinds import TRANSCODE_REMOTE
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.persistence.migrate import migrate
from hvcore.settings import load
from hvcore_checks.transcoder_checks import jobs, transcoder
from tests.persistence.samples import fill_tenants, order, video
from tests.services.processing.remote_world import PLUGINS

FAR = {"HV_PLUGINS": PLUGINS, "HV_TRANSCODER__ROUTES": "far if duration > 1 h"}
URL = {"HV_TRANSCODER__FURTHER__FAR__URL": "http://127.0.0.1:1"}
STORE = {
    "HV_STORAGE__OPTIONS__URL": "s3://bucket/videos",
    "HV_STORAGE__OPTIONS__KEY": "k",
    "HV_STORAGE__OPTIONS__SECRET": "s",
}


def findings(folder: Path, environ: dict[str, str]) -> Sequence[HealthFinding]:
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings, rings=False) as services:
        return transcoder(services)


def test_one_that_a_rule_names_is_checked_too(tmp_path: Path) -> None:
    found = findings(tmp_path, {**FAR, **URL, **STORE})

    assert any(one.found.startswith("far 1") for one in found)
    assert any(one.found.startswith("ffmpeg") for one in found)
    assert not [one for one in found if one.state == "broken"]


def test_one_that_lacks_an_option_is_broken_and_named(tmp_path: Path) -> None:
    broken = [one for one in findings(tmp_path, {**FAR, **STORE}) if one.fix]

    (found,) = [one for one in broken if "far" in one.found]
    assert found.state == "broken"
    assert "HV_TRANSCODER__FURTHER__FAR__URL" in found.fix


@pytest.mark.parametrize(
    "chosen",
    [
        {**FAR, **URL},
        {
            "HV_PLUGINS": PLUGINS,
            "HV_TRANSCODER__BACKEND": "far",
            "HV_TRANSCODER__OPTIONS__URL": "http://127.0.0.1:1",
        },
    ],
)
def test_a_storage_that_nobody_else_reaches_is_told(
    tmp_path: Path, chosen: dict[str, str]
) -> None:
    found = findings(tmp_path, chosen)

    assert any("storage.options.url" in one.fix for one in found)


MEDIACONVERT = {
    "HV_TRANSCODER__BACKEND": "mediaconvert",
    "HV_TRANSCODER__OPTIONS__ROLE": "arn:aws:iam::123456789012:role/Transcode",
    "HV_TRANSCODER__OPTIONS__REGION": "eu-central-1",
}
GOOGLE = {
    "HV_TRANSCODER__BACKEND": "google",
    "HV_TRANSCODER__OPTIONS__PROJECT": "our-videos",
    "HV_TRANSCODER__OPTIONS__LOCATION": "europe-west1",
}
AZURE = {
    "HV_STORAGE__OPTIONS__URL": "az://container/videos",
    "HV_STORAGE__OPTIONS__ACCOUNT_NAME": "ours",
    "HV_STORAGE__OPTIONS__ACCOUNT_KEY": "a2V5",
}
WRITES_TO = {"HV_TRANSCODER__OPTIONS__WRITES_TO": "gs://bucket/videos"}


@pytest.mark.parametrize(
    ("chosen", "fixes"),
    [
        ({**MEDIACONVERT, **STORE}, []),
        ({**MEDIACONVERT, **AZURE}, ["s3://"]),
        ({**GOOGLE, **STORE}, ["gs://", "transcoder.options.writes_to"]),
        ({**GOOGLE, **STORE, **WRITES_TO}, []),
    ],
)
def test_a_storage_of_another_cloud_is_told_with_what_to_set(
    tmp_path: Path, chosen: dict[str, str], fixes: list[str]
) -> None:
    found = findings(tmp_path, chosen)

    broken = [one for one in found if one.state == "broken"]
    assert len(broken) == (1 if fixes else 0)
    assert all(fix in broken[0].fix for fix in fixes)


def findings_of_jobs(
    folder: Path, environ: dict[str, str], *transcoders: str
) -> Sequence[HealthFinding]:
    """
    Say what is found when each of these transcoders has an unfinished job.
    """
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings, rings=False) as services:
        migrate(services.engine)
        fill_tenants(services.engine)
        made = video()
        with services.uow.write() as work:
            work.videos.add(made)
            work.commit()
        for name in transcoders:
            job = TranscodeJob(
                id=new_job_id(),
                video_id=made.id,
                order=order(),
                parts_total=1,
                parts_left=1,
                transcoder=name,
            )
            part = NewTask(
                kind=TRANSCODE_REMOTE,
                lane=Lane.OUTBOUND,
                org_id=OrgId("org_a"),
                subject=job.video_id,
                payload={"job": job.id, "part": 0},
            )
            with services.uow.write() as work:
                work.jobs.add(job)
                work.tasks.add([part])
                work.commit()
        return jobs(services)


def test_the_transcoders_of_unfinished_jobs_are_listed(tmp_path: Path) -> None:
    found = findings_of_jobs(tmp_path, {**FAR, **URL}, "far", "far", "ffmpeg", "")

    assert [(one.state, one.found) for one in found] == [
        ("ok", "2 unfinished with the transcoder far"),
        ("ok", "2 unfinished with the transcoder ffmpeg"),
    ]


def test_one_that_unfinished_jobs_need_and_cannot_be_made_is_broken(
    tmp_path: Path,
) -> None:
    (found,) = findings_of_jobs(tmp_path, {"HV_PLUGINS": PLUGINS}, "far")

    assert found.state == "broken"
    assert "HV_TRANSCODER__FURTHER__FAR__URL" in found.fix


def test_one_whose_options_may_have_stayed_behind_is_warned_of(tmp_path: Path) -> None:
    # After HV_TRANSCODER__BACKEND has changed, it would be made of defaults.
    chosen = {
        "HV_PLUGINS": PLUGINS,
        "HV_TRANSCODER__BACKEND": "far",
        "HV_TRANSCODER__OPTIONS__URL": "http://127.0.0.1:1",
    }

    (found,) = findings_of_jobs(tmp_path, chosen, "ffmpeg")

    assert found.state == "warning"
    assert "HV_TRANSCODER__FURTHER__FFMPEG__" in found.fix


def test_no_unfinished_job_is_fine(tmp_path: Path) -> None:
    (found,) = findings_of_jobs(tmp_path, FAR)

    assert found.state == "ok"
