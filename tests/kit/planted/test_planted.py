"""Planted faults fit today's templates and ports, and the kits find them."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.kit.planted.building import (
    StaleFaultError,
    faulty,
    modules_of,
    write_right_plugin,
)
from tests.kit.planted.faults import (
    Change,
    Fault,
    bases,
    faults,
    is_documented,
    unseen,
)
from tests.kit.planted.kit_runs import Verdict, outcomes, run_kit, scores

SHARE = 0.95
FAULTS = {fault.id: fault for fault in faults()}


@pytest.mark.parametrize("kind", sorted({fault.kind for fault in faults()}))
def test_planted_faults_fit_the_backends_of_today(kind: str, tmp_path: Path) -> None:
    misfits = []
    for base in {fault.base for fault in faults() if fault.kind == kind}:
        folder = tmp_path / str(base)
        folder.mkdir()
        modules = modules_of(write_right_plugin(kind, folder, base=base))
        for fault in faults():
            if (fault.kind, fault.base) == (kind, base):
                misfits += _misfit(modules, fault)

    assert misfits == []


def test_each_planted_fault_has_a_name_and_a_change_of_its_own() -> None:
    names = Counter(fault.id for fault in faults())
    changes = Counter(
        (fault.kind, fault.base, fault.changes, fault.appended) for fault in faults()
    )

    assert max(names.values()) == 1
    assert max(changes.values()) == 1
    assert all(fault.changes or fault.appended for fault in faults())


def test_each_planted_fault_breaks_a_promise_of_a_docstring_or_says_why_it_is_one() -> (
    None
):
    unknown = [
        (fault.id, fault.promised_by)
        for fault in faults()
        if not (
            fault.promise and is_documented(fault.promised_by)
            if fault.promised_by
            else fault.unwritten
        )
    ]

    assert unknown == []


@pytest.mark.parametrize(
    "name",
    ["hvcore.ports.queue.Queue.gone", "hvcore.gone.Queue", "docs/how-to/gone.md"],
)
def test_an_object_that_is_gone_promises_nothing(name: str) -> None:
    assert is_documented("hvcore.ports.queue.Queue.put")
    assert not is_documented(name)


def test_faults_that_no_kit_sees_are_planted_and_have_a_reason() -> None:
    assert unseen().keys() <= FAULTS.keys()
    assert all(unseen().values())


def test_bases_of_planted_faults_are_used() -> None:
    assert {fault.base for fault in faults()} - {None} == bases().keys()


def test_a_change_that_fits_nothing_is_told() -> None:
    stale = Fault(kind="limits", name="stale", changes=(Change(old="gone", new=""),))

    with pytest.raises(StaleFaultError, match="limits/stale: not in backend"):
        faulty({"backend.py": ""}, stale)


@pytest.mark.matrix
def test_a_kit_names_the_promise_that_a_planted_fault_breaks() -> None:
    fault = FAULTS["auth/no-header-is-a-refusal"]

    wrong = run_kit(fault, seed=1)

    assert wrong.verdict is Verdict.FOUND
    assert wrong.says.startswith("test_")


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
def test_the_kits_find_95_percent_of_planted_faults() -> None:
    results = list(outcomes(faults(), seed=1))

    missed = [
        f"{outcome.verdict.value}: {fault.id} {outcome.says}"
        for fault, outcome in results
        if outcome.verdict is not Verdict.FOUND and fault.id not in unseen()
    ]
    assert scores(results)[-1].share >= SHARE, "\n".join(missed)


def _misfit(modules: Mapping[str, str], fault: Fault) -> list[str]:
    try:
        for name, text in faulty(modules, fault).items():
            compile(text, f"{fault.id}/{name}", "exec")
    except (StaleFaultError, SyntaxError) as error:
        return [f"{fault.id}: {error}"]
    return []
