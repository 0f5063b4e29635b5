"""
What is refused, with the errors that MediaConvert has; and the smaller operations.
"""

from collections.abc import Callable

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.plugins.mediaconvert_local.job_requests import (
    ROLE,
    Wire,
    aac,
    cmaf_group,
    file_group,
    h264,
    hls_group,
    job,
    output,
    wire,
)
from tests.plugins.mediaconvert_local.local_server import (
    ACCESS_KEY,
    ACCESS_SECRET,
    LocalServer,
)
from tests.plugins.mediaconvert_local.web.asked import JOBS, signed
from tests.support.live import request

pytestmark = pytest.mark.services

SOURCE = "s3://b/in.mp4"


def refusal(server: LocalServer, wanted: Wire) -> tuple[str, str]:
    """
    Ask for a job that is refused; returns the kind of error and its message.
    """
    answer = signed(server, "POST", JOBS, wire(wanted))
    assert answer.status == 400, answer.data
    assert answer.headers["x-amzn-requestid"]
    return answer.headers["x-amzn-errortype"], answer.json["message"]


def changed(change: Callable[[Wire], object], *groups: Wire) -> Wire:
    wanted = job(SOURCE, *(groups or (cmaf_group("b"),)))
    change(wanted)
    return wanted


def pictures_in(container: str) -> Wire:
    video = {"CodecSettings": {"Codec": "FRAME_CAPTURE", "FrameCaptureSettings": {}}}
    return output(container, "_still", VideoDescription=video)


def group_of(wanted: Wire) -> Wire:
    found: Wire = wanted["Settings"]["OutputGroups"][0]
    return found


def first_video(wanted: Wire) -> Wire:
    found: Wire = group_of(wanted)["Outputs"][0]["VideoDescription"]
    return found


def h264_of(wanted: Wire) -> Wire:
    found: Wire = first_video(wanted)["CodecSettings"]["H264Settings"]
    return found


REFUSED = {
    "no role": (
        changed(lambda w: w.pop("Role")),
        "/: role is a required property",
    ),
    "a role that is no ARN": (
        changed(lambda w: w.update(Role="admin")),
        "/role: Should be the ARN",
    ),
    "an enum": (
        changed(lambda w: h264_of(w).update(RateControlMode="FAST")),
        "/h264Settings/rateControlMode: Should be one of VBR, CBR, QVBR",
    ),
    "a number too small": (
        changed(lambda w: h264_of(w).update(MaxBitrate=999)),
        "maxBitrate: Should be at least 1000",
    ),
    "a number too large": (
        changed(lambda w: first_video(w).update(Width=9000)),
        "width: Should be at most 8192",
    ),
    "a text for a number": (
        changed(lambda w: first_video(w).update(Width="160")),
        "width: Should be of type integer",
    ),
    "true for a number": (
        changed(lambda w: first_video(w).update(Width=True)),
        "width: Should be of type integer",
    ),
    "a pattern": (
        changed(lambda w: w["Settings"]["Inputs"][0].update(FileInput="/etc/passwd")),
        "/inputs/0/fileInput: Should match the pattern",
    ),
    "an unknown member": (
        changed(lambda w: first_video(w).update(Breadth=160)),
        "videoDescription/breadth: Is not a known property",
    ),
    "clippings": (
        changed(
            lambda w: w["Settings"]["Inputs"][0].update(
                InputClippings=[{"StartTimecode": "00:00:01:00"}]
            )
        ),
        "/inputs/0/inputClippings: hv-mediaconvert does not carry this out",
    ),
    "no inputs": (
        changed(lambda w: w["Settings"].update(Inputs=[])),
        "/inputs: Should have at least 1 items",
    ),
    "no outputs": (
        changed(lambda w: group_of(w).update(Outputs=[])),
        "/outputGroups/0/outputs: Should have at least 1 items",
    ),
    "no container": (
        changed(lambda w: group_of(w)["Outputs"][0].pop("ContainerSettings")),
        "/outputGroups/0/outputs/0: containerSettings is a required property",
    ),
    "a container of another group": (
        job(SOURCE, file_group("b", output("CMFC", "_a", VideoDescription=h264()))),
        "containerSettings/container: Should be MP4 or MOV",
    ),
    "sound beside a picture in CMAF": (
        changed(lambda w: group_of(w)["Outputs"][0].update(AudioDescriptions=[aac()])),
        "/outputGroups/0/outputs/0: A CMAF output has one video or one audio",
    ),
    "QVBR without a limit": (
        changed(lambda w: h264_of(w).pop("MaxBitrate")),
        "maxBitrate is a required property with QVBR",
    ),
    "CBR without a rate": (
        changed(lambda w: h264_of(w).update(RateControlMode="CBR")),
        "bitrate is a required property with CBR",
    ),
    "half a frame rate": (
        changed(lambda w: h264_of(w).update(FramerateControl="SPECIFIED")),
        "framerateNumerator is a required property with SPECIFIED",
    ),
    "an odd size": (
        changed(lambda w: first_video(w).update(Height=91)),
        "height: Should be even",
    ),
    "two outputs of one name": (
        changed(lambda w: group_of(w)["Outputs"][1].update(NameModifier="_90p")),
        "/outputGroups/0/outputs/1/nameModifier: Another output has this one",
    ),
    "segments that fragments do not fill": (
        job(SOURCE, cmaf_group("b", SegmentLength=5, FragmentLength=2)),
        "segmentLength: Should be a multiple of fragmentLength",
    ),
    "HLS without its shortest segment": (
        changed(
            lambda w: group_of(w)["OutputGroupSettings"]["HlsGroupSettings"].pop(
                "MinSegmentLength"
            ),
            hls_group("b"),
        ),
        "hlsGroupSettings: minSegmentLength is a required property",
    ),
    "sound of no selector": (
        changed(
            lambda w: group_of(w)["Outputs"][2]["AudioDescriptions"][0].update(
                AudioSourceName="Other"
            )
        ),
        "audioSourceName: No audio selector",
    ),
    "a bitrate that AAC does not have": (
        changed(
            lambda w: group_of(w)["Outputs"][2]["AudioDescriptions"][0][
                "CodecSettings"
            ]["AacSettings"].update(Bitrate=65_000)
        ),
        "aacSettings/bitrate: Should be one of",
    ),
    "a codec that is not offered": (
        changed(lambda w: first_video(w).update(CodecSettings={"Codec": "VP9"})),
        "codec: hv-mediaconvert encodes only H_264 and H_265",
    ),
    "a group that is not offered": (
        changed(
            lambda w: group_of(w).update(
                OutputGroupSettings={"Type": "DASH_ISO_GROUP_SETTINGS"}
            )
        ),
        "type: hv-mediaconvert makes only CMAF_GROUP_SETTINGS",
    ),
    "pictures in a film's container": (
        job(SOURCE, cmaf_group("b"), file_group("b", pictures_in("MP4"))),
        "FRAME_CAPTURE and the container RAW belong together",
    ),
    "nothing but pictures": (
        job(SOURCE, file_group("b", pictures_in("RAW"))),
        "Should have an output besides those of FRAME_CAPTURE",
    ),
    "a long token": (
        changed(lambda w: w.update(ClientRequestToken="t" * 65)),
        "clientRequestToken must have at most 64",
    ),
    "metadata that order nothing": (
        changed(lambda w: w.update(UserMetadata={"hv-eror-code": "1010"})),
        "hv-eror-code orders nothing",
    ),
    "an error that there is not": (
        changed(lambda w: w.update(UserMetadata={"hv-error-code": "7"})),
        "error-code 7 is none of",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_job_is_refused_for(server: LocalServer, name: str) -> None:
    wanted, said = REFUSED[name]

    kind, message = refusal(server, wanted)

    assert kind == "BadRequestException"
    assert said in message


def test_all_problems_of_a_job_are_told_together(server: LocalServer) -> None:
    wanted = changed(lambda w: first_video(w).update(Width=161, Height=91))

    _, message = refusal(server, wanted)

    assert message.count("Should be even") == 2


def test_the_base_request_is_taken_and_says_what_is_ignored(
    server: LocalServer,
) -> None:
    wanted = changed(
        lambda w: (
            h264_of(w).update(SpatialAdaptiveQuantization="ENABLED"),
            w.update(UserMetadata={"hv-delay-seconds": "99"}),
        )
    )
    client = server.client()

    made = client.create_job(**wanted)["Job"]
    client.cancel_job(Id=made["Id"])

    (warning,) = made["Messages"]["Warning"]
    assert warning.endswith("/h264Settings/spatialAdaptiveQuantization")


@pytest.mark.parametrize("body", [b"{", b"[1]", b'"x"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(
    server: LocalServer, body: bytes
) -> None:
    made = AWSRequest("POST", server.address + JOBS, data=body)
    signer = SigV4Auth(
        Credentials(ACCESS_KEY, ACCESS_SECRET), "mediaconvert", "us-east-1"
    )
    signer.add_auth(made)

    answer = request("POST", made.url, data=body, headers=dict(made.headers))

    assert answer.status == 400
    assert answer.headers["x-amzn-errortype"] == "BadRequestException"


def test_a_body_that_is_too_large_is_refused(server: LocalServer) -> None:
    answer = signed(server, "POST", JOBS, {"role": "r" * 2_100_000})

    assert (answer.status, b"more than" in answer.data) == (400, True)


@pytest.mark.parametrize(
    ("method", "path", "kind", "status"),
    [
        ("GET", f"{JOBS}/1-none", "NotFoundException", 404),
        ("DELETE", f"{JOBS}/1-none", "NotFoundException", 404),
        ("GET", "/2017-08-29/queues/none", "NotFoundException", 404),
        ("GET", "/2017-08-29/presets/none", "NotFoundException", 404),
        ("DELETE", "/2017-08-29/jobTemplates/none", "NotFoundException", 404),
        ("GET", "/2017-08-29/tags/arn:none", "NotFoundException", 404),
        ("GET", f"{JOBS}?queue=none", "NotFoundException", 404),
        ("DELETE", "/2017-08-29/queues/Default", "BadRequestException", 400),
        ("GET", f"{JOBS}?maxResults=21", "BadRequestException", 400),
        ("GET", f"{JOBS}?maxResults=many", "BadRequestException", 400),
        ("GET", f"{JOBS}?status=DONE", "BadRequestException", 400),
        ("GET", f"{JOBS}?nextToken=none", "BadRequestException", 400),
        ("GET", "/2017-08-29/policy", "BadRequestException", 400),
        ("GET", "/2017-08-29/elsewhere", "UnknownOperationException", 404),
        ("PUT", JOBS, "UnknownOperationException", 404),
        ("PATCH", JOBS, "UnknownOperationException", 404),
    ],
)
def test_a_request_is_refused_with(
    server: LocalServer, method: str, path: str, kind: str, status: int
) -> None:
    answer = signed(server, method, path)

    assert (answer.status, answer.headers["x-amzn-errortype"]) == (status, kind)
    assert "Traceback" not in answer.data.decode()
    assert answer.json["message"]


def test_queues_presets_and_templates_are_kept_and_forgotten(
    server: LocalServer,
) -> None:
    client = server.client()
    client.create_queue(Name="q", Description="mine", ConcurrentJobs=2)
    client.create_job_template(Name="t", Category="films", Settings={})
    with pytest.raises(client.exceptions.ConflictException, match="exists already"):
        client.create_queue(Name="q")

    client.update_job_template(Name="t", Description="longer")
    listed = client.list_job_templates(Category="films")["JobTemplates"]
    queues = client.list_queues()["Queues"]

    assert [one["Description"] for one in listed] == ["longer"]
    assert [(one["Name"], one["Type"]) for one in queues] == [
        ("Default", "SYSTEM"),
        ("q", "CUSTOM"),
    ]
    assert queues[1]["ConcurrentJobs"] == 2
    client.delete_queue(Name="q")
    client.delete_job_template(Name="t")
    assert client.list_job_templates()["JobTemplates"] == []


def test_tags_come_and_go(server: LocalServer) -> None:
    client = server.client()
    arn = client.create_queue(Name="tagged", Tags={"a": "1"})["Queue"]["Arn"]

    client.tag_resource(Arn=arn, Tags={"b": "2"})
    client.untag_resource(Arn=arn, TagKeys=["a"])
    found = client.list_tags_for_resource(Arn=arn)["ResourceTags"]["Tags"]
    client.delete_queue(Name="tagged")

    assert found == {"b": "2"}


def test_a_job_takes_what_it_lacks_from_a_template_and_a_preset(
    server: LocalServer,
) -> None:
    client = server.client()
    client.create_preset(
        Name="small",
        Settings={
            "VideoDescription": h264(),
            "ContainerSettings": {"Container": "MP4"},
        },
    )
    group = file_group("b", {"NameModifier": "_s", "Preset": "small"})
    client.create_job_template(
        Name="films", Priority=7, Settings={"OutputGroups": [group]}
    )

    made = client.create_job(
        Role=ROLE,
        JobTemplate="films",
        Settings={"Inputs": [{"FileInput": SOURCE}]},
        UserMetadata={"hv-delay-seconds": "99"},
    )["Job"]
    client.cancel_job(Id=made["Id"])
    client.delete_preset(Name="small")

    (made_group,) = made["Settings"]["OutputGroups"]
    assert made_group["Outputs"][0]["VideoDescription"]["Width"] == 160
    assert (made["Priority"], made["JobTemplate"]) == (7, "films")
    client.delete_job_template(Name="films")


def test_clients_are_told_the_same_address(server: LocalServer) -> None:
    (endpoint,) = server.client().describe_endpoints()["Endpoints"]

    assert endpoint["Url"] == server.address


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("clock", {"advance_seconds": -1}),
        ("clock", {}),
        ("answers", {"error": "Oops"}),
        ("answers", {"times": 0}),
        ("answers", {"delay_seconds": "soon"}),
        ("jobs", {"error_code": 1}),
        ("jobs", {"colour": "red"}),
    ],
)
def test_an_order_that_means_nothing_is_refused(
    server: LocalServer, what: str, body: dict[str, object]
) -> None:
    assert server.order(what, **body).status == 400


def test_a_page_in_a_browser_can_order_nothing(server: LocalServer) -> None:
    answer = request("POST", f"{server.address}/_local/forget", data=b"{}")

    assert answer.status == 400
