"""
Every field of every request table, and every query parameter, in both families.

With one value of each kind: tests/wire tries all of them, where they are read.
"""

from typing import Any, Final
from urllib.parse import quote

import pytest
from falcon.testing import Result

from tests.interface.field_tables import (
    ENCODING,
    JUDGED_BY_SERVICES,
    UNREADABLE,
    WRONG_TYPES,
    Field,
)
from tests.interface.operations import OPERATIONS, Operation, named
from tests.support.http.world import World, body_of, locations, problem_of

# Thousands of cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix

BODY: Final = [(o, f) for o in OPERATIONS for f in o.body]
QUERY: Final = [(o, f) for o in OPERATIONS for f in o.query]


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


def fields(pairs: list[tuple[Operation, Field]]) -> Any:  # noqa: ANN401 - pytest's mark
    """
    Parametrize over operations and fields.
    """
    found = [pytest.param(o, f, id=f"{o}-{f.name}") for o, f in pairs]
    return pytest.mark.parametrize(("operation", "field"), found)


def send(api: World, operation: Operation, **changes: object) -> Result:
    document = {**operation.given(api), **changes}
    path = operation.path(api)
    return api.call(operation.method, path, json=document if operation.body else None)


def ask(api: World, operation: Operation, name: str, value: str) -> Result:
    return api.get(operation.path(api), f"{name}={quote(value, safe='')}")


@fields([(o, f) for o, f in BODY if f.allowed])
def test_documented_values_are_taken(
    api: World, operation: Operation, field: Field
) -> None:
    body_of(send(api, operation, **{field.name: field.allowed[0]}))


@fields([(o, f) for o, f in BODY if f.refused])
def test_other_values_are_refused_with_the_fields_code(
    api: World, operation: Operation, field: Field
) -> None:
    is_form = field.name not in JUDGED_BY_SERVICES
    for value in field.refused[:1] if is_form else field.refused:
        result = send(api, operation, **{field.name: value})
        document = problem_of(result, 400, field.code)
        assert locations(document) == [f"body.{field.name}"]


@fields(BODY)
def test_values_of_another_type_cannot_be_read(
    api: World, operation: Operation, field: Field
) -> None:
    result = send(api, operation, **{field.name: WRONG_TYPES[field.type][0]})

    document = problem_of(result, 422, field.code)
    assert locations(document) == [f"body.{field.name}"]


@fields([(o, f) for o, f in BODY if f.is_required])
def test_a_required_field_must_be_there(
    api: World, operation: Operation, field: Field
) -> None:
    given = dict(operation.given(api))
    del given[field.name]
    path = operation.path(api)

    missing = api.call(operation.method, path, json=given)
    null = api.call(operation.method, path, json={**given, field.name: None})

    for result in (missing, null):
        document = problem_of(result, 400, field.code)
        assert locations(document) == [f"body.{field.name}"]


@fields([(o, f) for o, f in BODY if not f.is_required])
def test_null_equals_absent(api: World, operation: Operation, field: Field) -> None:
    body_of(send(api, operation, **{field.name: None}))


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.body], ids=str)
def test_unknown_members_are_ignored(api: World, operation: Operation) -> None:
    # A change of nothing but unknown ones is refused, rather than answered as done.
    known = {"videoName": "New"} if operation.method == "PATCH" else {}

    body_of(send(api, operation, unheard_of={"a": [1]}, **known))


@pytest.mark.parametrize(
    "operation", [o for o in OPERATIONS if len(o.body) > 1], ids=str
)
def test_all_problems_are_told_in_the_tables_order(
    api: World, operation: Operation
) -> None:
    wrong = {f.name: [] for f in reversed(operation.body)}

    result = send(api, operation, **wrong)

    document = problem_of(result, 422, operation.body[0].code)
    assert locations(document) == [f"body.{field.name}" for field in operation.body]
    # Of an address, nothing but the harmless parts is shown.
    assert all(error["value"] in ([], None) for error in document["errors"])


@fields(QUERY)
def test_documented_parameters_are_taken(
    api: World, operation: Operation, field: Field
) -> None:
    body_of(ask(api, operation, field.name, str(field.allowed[0])))


@fields([(o, f) for o, f in QUERY if f.refused])
def test_other_parameters_are_refused_with_their_code(
    api: World, operation: Operation, field: Field
) -> None:
    result = ask(api, operation, field.name, str(field.refused[0]))

    document = problem_of(result, 400, field.code)
    assert locations(document) == [f"query.{field.name}"]


@fields([(o, f) for o, f in QUERY if f.type in UNREADABLE])
def test_unreadable_parameters_are_422(
    api: World, operation: Operation, field: Field
) -> None:
    # An empty day is none.
    text = next(text for text in UNREADABLE[field.type] if text not in field.allowed)

    document = problem_of(ask(api, operation, field.name, text), 422, field.code)
    assert locations(document) == [f"query.{field.name}"]


@fields(QUERY)
def test_a_parameter_given_twice_is_refused(
    api: World, operation: Operation, field: Field
) -> None:
    text = quote(str(field.allowed[0]), safe="")

    result = api.get(operation.path(api), f"{field.name}={text}&{field.name}={text}")

    problem_of(result, 400, field.code)


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.query], ids=str)
def test_unknown_parameters_are_ignored(api: World, operation: Operation) -> None:
    body_of(ask(api, operation, "unheard_of", "1"))


@pytest.mark.parametrize("operation", [*named("process"), *named("upload")], ids=str)
def test_the_details_show_the_documented_defaults(
    api: World, operation: Operation
) -> None:
    answer = body_of(send(api, operation))

    video_id = answer.get("videoID") or answer["assetId"]
    details = body_of(api.get(f"/v1/videos/{video_id}"))
    shown = {field.name: details[field.name] for field in ENCODING}
    assert shown == {field.name: field.default for field in ENCODING}


@fields([(o, f) for o in named("process") for f in ENCODING])
def test_the_details_echo_what_was_asked_for(
    api: World, operation: Operation, field: Field
) -> None:
    for value in field.allowed:
        video_id = body_of(send(api, operation, **{field.name: value}))["videoID"]

        details = body_of(api.get(f"/v1/videos/{video_id}"))
        assert details[field.name] == value
        assert type(details[field.name]) is type(value)


def test_what_a_key_scoped_upload_leaves_out_has_its_default(api: World) -> None:
    (operation,) = [o for o in named("upload-url") if o.family == "B"]

    video_id = body_of(send(api, operation))["assetId"]

    details = body_of(api.get(f"/v1/videos/{video_id}"))
    for field in operation.body:
        if field.default is not None:
            assert details[field.name] == field.default, field.name


@pytest.mark.parametrize("operation", named("list"), ids=str)
def test_a_list_has_its_default_page(fresh: World, operation: Operation) -> None:
    for number in range(21):
        fresh.ready(name=f"clip {number:02}")

    default = body_of(fresh.get(operation.path(fresh)))
    spelled_out = "&".join(
        f"{f.name}={f.default}" for f in operation.query if f.default is not None
    )

    assert default == body_of(fresh.get(operation.path(fresh), spelled_out))
    assert len(default["videos"]) == 20
    assert default["pagination"]["totalPages"] == 2


@pytest.mark.parametrize("operation", named("signed-url"), ids=str)
def test_a_signed_address_is_good_for_an_hour_by_default(
    api: World, operation: Operation
) -> None:
    assert body_of(api.get(operation.path(api)))["expires_in"] == 3600
