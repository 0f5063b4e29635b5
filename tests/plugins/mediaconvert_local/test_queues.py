"""
Queues, presets, job templates and their tags, in a server without HTTP.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hvcore_mediaconvert_local.errors import MediaConvertError
from hvcore_mediaconvert_local.local_service import LocalMediaConvert
from hvcore_mediaconvert_local.wire import JsonObject

ARN = "arn:aws:mediaconvert:us-east-1:"


def refused(call: Callable[[JsonObject], object], **request: object) -> tuple[str, str]:
    """
    Return the kind of a refusal and what it says.
    """
    with pytest.raises(MediaConvertError) as found:
        call(request)
    return found.value.kind.removesuffix("Exception"), found.value.message


def test_a_queue_is_created_shown_changed_and_deleted(
    idle_service: LocalMediaConvert,
) -> None:
    queues, tags = idle_service.queues, idle_service.tags
    idle_service.clock.advance(-100)
    made = queues.create({"name": "q", "tags": {"a": "1"}, "description": "d"})["queue"]
    idle_service.clock.advance(100)
    changed = queues.update({"name": "q", "status": "PAUSED"})["queue"]

    assert made == {
        "name": "q",
        "arn": made["arn"],
        "description": "d",
        "type": "CUSTOM",
        "pricingPlan": "ON_DEMAND",
        "status": "ACTIVE",
        "createdAt": made["createdAt"],
        "lastUpdated": made["createdAt"],
        "progressingJobsCount": 0,
        "submittedJobsCount": 0,
    }
    assert re.fullmatch(rf"{ARN}\d{{12}}:queues/q", made["arn"])
    assert changed["createdAt"] == made["createdAt"]
    assert changed["lastUpdated"] >= made["createdAt"] + 99
    assert queues.get({"name": "q"})["queue"] == changed
    assert changed == made | {
        "status": "PAUSED",
        "lastUpdated": changed["lastUpdated"],
    }
    assert tags.list({"arn": made["arn"]})["resourceTags"]["tags"] == {"a": "1"}
    assert queues.delete({"name": "q"}) == {}
    for call in (queues.get, queues.update, queues.delete):
        assert refused(call, name="q") == ("NotFound", "Queue q does not exist")
    assert refused(tags.list, arn=made["arn"])[0] == "NotFound"


def test_queues_refuse_reserved_prices_second_names_and_changes_of_the_default(
    idle_service: LocalMediaConvert,
) -> None:
    queues = idle_service.queues
    queues.create({"name": "q"})

    reserved = refused(queues.create, name="r", pricingPlan="RESERVED")
    again = refused(queues.create, name="q")
    other_price = refused(queues.update, name="Default", description="mine")
    gone = refused(queues.delete, name="Default")
    queues.update({"name": "Default", "status": "PAUSED"})

    assert reserved == ("BadRequest", "hv-mediaconvert has no reserved queues")
    assert again == ("Conflict", "Queue q exists already")
    assert other_price[0] == gone[0] == "BadRequest"
    assert [queues.free_places(name) for name in ("Default", "none", "q")] == [
        *(0, 0, 1_000_000)
    ]


@pytest.mark.parametrize("kind", ["presets", "templates"])
def test_settings_with_a_name_are_created_shown_changed_and_deleted(
    idle_service: LocalMediaConvert, kind: str
) -> None:
    named = getattr(idle_service, kind)
    one = {"presets": "preset", "templates": "jobTemplate"}[kind]
    request = {"name": "n", "settings": {"a": 1}, "category": "c", "tags": {"t": "1"}}
    idle_service.clock.advance(-100)
    made = named.create(request)[one]
    idle_service.clock.advance(100)
    changed = named.update({"name": "n", "settings": {"b": 2}})[one]

    assert re.fullmatch(rf"{ARN}\d{{12}}:{one}s/n", made["arn"])
    assert "tags" not in made
    assert (made["type"], made["category"], made["settings"]) == (
        "CUSTOM",
        "c",
        {"a": 1},
    )
    assert (changed["createdAt"], changed["category"]) == (made["createdAt"], "c")
    assert changed["lastUpdated"] >= made["lastUpdated"] + 99
    assert changed["settings"] == {"b": 2}
    assert (
        named.get({"name": "n"}) == named.get({"name": made["arn"]}) == {one: changed}
    )
    assert refused(named.create, name="n") == ("Conflict", "n exists already")
    assert named.delete({"name": "n"}) == {}
    for call in (named.get, named.update, named.delete):
        assert refused(call, name="n") == ("NotFound", f"n is not among the {one}s")
    assert refused(idle_service.tags.list, arn=made["arn"])[0] == "NotFound"


def test_lists_have_pages_in_the_order_that_is_asked_for(
    idle_service: LocalMediaConvert,
) -> None:
    presets = idle_service.presets
    for name, category in (("c", "x"), ("a", "y"), ("b", "x")):
        presets.create({"name": name, "category": category})
        idle_service.clock.advance(10)

    def listed(**request: object) -> tuple[list[str], str]:
        found: Mapping[str, Any] = presets.list(request)
        names = [one["name"] for one in found["presets"]]
        return names, found.get("nextToken", "")

    assert listed() == (["a", "b", "c"], "")
    assert listed(order="DESCENDING") == (["c", "b", "a"], "")
    assert listed(listBy="CREATION_DATE") == (["c", "a", "b"], "")
    assert listed(category="x") == (["b", "c"], "")
    assert listed(maxResults=2) == (["a", "b"], "2")
    assert listed(maxResults=2, nextToken="2") == (["c"], "")
    assert listed(maxResults=3) == (["a", "b", "c"], "")
    for token in ("-1", "one", "²"):
        assert refused(presets.list, nextToken=token)[0] == "BadRequest"
    queues = idle_service.queues
    queues.create({"name": "A"})
    first = queues.list({"maxResults": 1})
    assert [one["name"] for one in first["queues"]] == ["A"]
    assert (first["nextToken"], "nextToken" in queues.list({})) == ("1", False)


def test_tags_are_added_and_removed_one_by_one(idle_service: LocalMediaConvert) -> None:
    tags = idle_service.tags
    arn = idle_service.queues.create({"name": "q"})["queue"]["arn"]

    tags.tag({"arn": arn, "tags": {"a": "1", "b": "2"}})
    tags.tag({"arn": arn, "tags": {"b": "3", "c": "4"}})
    tags.untag({"arn": arn, "tagKeys": ["a", "none"]})
    tags.untag({"arn": arn})

    found = {"arn": arn, "tags": {"b": "3", "c": "4"}}
    assert tags.list({"arn": arn}) == {"resourceTags": found}
    for call in (tags.tag, tags.untag):
        assert refused(call, arn="x", tags={})[0] == "NotFound"
