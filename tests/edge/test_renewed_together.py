"""
Of many authorizations, the edge renews those that are due and soon will be with one question.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from hvcore.services.edge.authorizations import MAX_ASKED
from tests.edge.test_followed import nginx, run  # noqa: F401 - one is a fixture
from tests.support.network.edge import RunningEdge

pytestmark = pytest.mark.services

# A clock that stands where it is set, and a file that changes when a test says so.
BEGINNING: Final = """
for _, name in ipairs({ "changes", "cache", "renewals" }) do
    package.loaded["hv_edge_" .. name] = nil
end
local changes = require "hv_edge_changes"
local cache = require "hv_edge_cache"
local renewals = require "hv_edge_renewals"
local moment = 1767312000
ngx.now = function() return moment end
local function change(number)
    local file = assert(io.open("FOLDER/changes", "wb"))
    file:write(("%08d"):format(number):reverse())
    file:close()
end
change(0)
changes.watch("FOLDER/changes")
local said, alone = {}, 0
local function say(what) said[#said + 1] = tostring(what) .. "|" end
local answer = function(list)
    say(list)
    return (list:gsub("[^,]+,?", "1"))
end
local authorizations = cache.new(1e8, renewals.new(function(list) return answer(list) end))
local function fetch(_, key)
    alone = alone + 1
    return { tag = "t" .. alone, bytes = 1000 }
end
local function get(key) return authorizations:fresh(key) or authorizations:get(key, fetch, key) end
-- Asked for one after another, and once more, so that they are watched.
local function watch(first, last, step)
    for number = first, last do
        get("k/" .. number)
        get("k/" .. number)
        moment = moment + (step or 0)
    end
end
"""


@pytest.fixture
def said(
    nginx: RunningEdge,  # noqa: F811
    tmp_path: Path,
) -> Callable[[str], list[str]]:
    beginning = BEGINNING.replace("FOLDER", str(tmp_path))
    return lambda script: run(nginx, script, beginning)


Said = Callable[[str], list[str]]


def test_authorizations_soon_due_are_renewed_with_due_ones(said: Said) -> None:
    assert said(
        """
        watch(1, 4, 0.1)
        moment = moment + 0.35
        get("k/1")
        say(alone)
        -- The fourth was too young then; the others are as young as that question.
        moment = moment + 0.3
        for number = 1, 4 do get("k/" .. number) end
        say(alone)
        moment = moment + 0.41
        get("k/3")
        say(alone)
        """
    ) == ["k/1=t1,k/2=t2,k/3=t3", "4", "5", "k/3=t3,k/1=t1,k/2=t2", "5"]


def test_an_authorization_that_nobody_used_since_is_not_renewed(said: Said) -> None:
    assert said(
        """
        watch(1, 3)
        for _ = 1, 3 do
            moment = moment + 0.7
            get("k/1")
            get("k/1")
            say(alone)
        end
        """
    ) == ["k/1=t1,k/2=t2,k/3=t3", "3", "4", "5"]


def test_an_authorization_that_does_not_hold_is_asked_for_alone_when_due(
    said: Said,
) -> None:
    assert said(
        """
        watch(1, 3, 0.1)
        answer = function(list) say(list) return "101" end
        moment = moment + 0.42
        get("k/1")
        say(alone)
        -- It is what it was, as long as it would have been.
        say(get("k/2").tag)
        moment = moment + 0.1
        say(get("k/2").tag)
        say(get("k/3").tag)
        """
    ) == ["k/1=t1,k/2=t2,k/3=t3", "3", "t2", "t4", "t3"]


def test_a_due_authorization_that_does_not_hold_is_asked_for_at_once(
    said: Said,
) -> None:
    assert said(
        """
        watch(1, 2)
        answer = function(list) return "01" end
        moment = moment + 0.7
        say(get("k/1").tag)
        say(get("k/2").tag)
        """
    ) == ["t3", "t2"]


def test_a_renewed_authorization_is_as_old_as_its_question(said: Said) -> None:
    assert said(
        """
        watch(1, 2)
        answer = function(list)
            say(list)
            moment = moment + 0.5
            return "11"
        end
        moment = moment + 0.7
        get("k/1")
        get("k/2")
        moment = moment + 0.3
        get("k/2")
        say(alone)
        """
    ) == ["k/1=t1,k/2=t2", "3"]


def test_a_change_ends_what_was_renewed_before_it(said: Said) -> None:
    assert said(
        """
        watch(1, 3)
        answer = function(list)
            change(1)
            return "111"
        end
        moment = moment + 0.7
        get("k/1")
        for number = 1, 3 do say(get("k/" .. number).tag) end
        """
    ) == ["t4", "t5", "t6"]


def test_a_question_after_a_change_renews_what_is_from_before_it(said: Said) -> None:
    assert said(
        """
        watch(1, 3)
        change(1)
        get("k/1")
        moment = moment + 0.7
        get("k/1")
        for number = 1, 3 do get("k/" .. number) end
        say(alone)
        """
    ) == ["k/1=t4,k/2=t2,k/3=t3", "4"]


@pytest.mark.parametrize(
    "broken", ["nil", '"1"', '"1111"', 'error("no subrequests here")']
)
def test_without_an_answer_each_is_asked_for_alone_for_a_while(
    said: Said, broken: str
) -> None:
    assert said(
        f"""
        watch(1, 3)
        answer = function(list)
            say("asked")
            return {broken}
        end
        for _ = 1, 10 do
            moment = moment + 0.7
            for number = 1, 3 do
                get("k/" .. number)
                get("k/" .. number)
            end
        end
        say(alone)
        moment = moment + 3.1
        watch(1, 3)
        moment = moment + 0.7
        get("k/1")
        """
    ) == ["asked", "33", "asked"]


def test_one_question_has_only_so_many(said: Said) -> None:
    first, second, third, alone = said(
        """
        watch(1, 80)
        moment = moment + 0.7
        for number = 1, 80 do get("k/" .. number) end
        say(alone)
        """
    )

    assert [text.count("=") for text in (first, second, third)] == [
        MAX_ASKED,
        MAX_ASKED,
        80 - 2 * MAX_ASKED,
    ]
    assert len(set(f"{first},{second},{third}".split(","))) == 80
    assert alone == "80"


def test_one_question_is_only_so_long_and_quotes_nothing_odd(said: Said) -> None:
    lists = said(
        """
        local keys = { "k/a\\r\\nX-Odd: 1", "k/a,b=c" }
        for number = 1, 30 do keys[#keys + 1] = "k/" .. ("x"):rep(250) .. number end
        for _ = 1, 2 do
            for _, key in ipairs(keys) do get(key) end
        end
        for _, way in ipairs({ { #keys, 1, -1 }, { 1, #keys, 1 } }) do
            moment = moment + 0.7
            for at = way[1], way[2], way[3] do
                get(keys[at])
                get(keys[at])
            end
        end
        say(alone)
        """
    )

    assert max(map(len, lists)) < 4_001
    assert sum(text.count("=") for text in lists[:-1]) == 2 * 30
    assert not any("Odd" in text or "a,b" in text for text in lists)
    assert lists[-1] == "36"


def test_two_questions_never_have_the_same(said: Said) -> None:
    first, second, alone = said(
        """
        watch(1, 40)
        moment = moment + 0.7
        local plain = answer
        answer = function(list)
            answer = plain
            -- Meanwhile, others need all of them.
            for number = 1, 40 do get("k/" .. number) end
            return plain(list)
        end
        get("k/40")
        say(alone)
        """
    )

    assert not set(first.split(",")) & set(second.split(","))
    assert alone == "40"


@pytest.mark.parametrize("step", ["0.001", "-0.001", "1"])
def test_an_authorization_asked_for_once_is_forgotten(said: Said, step: str) -> None:
    (listed,) = said(
        f"""
        watch(1, 20000, {step})
        local many = 0
        for _ in pairs(authorizations.renewals.keys) do many = many + 1 end
        say(many)
        """
    )

    assert int(listed) <= 901
