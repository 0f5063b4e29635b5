"""
Errors tell what is wrong, and what to do where there is something to do.
"""

import pytest

from hvcore.errors import (
    ConfigError,
    PluginError,
    SeveralPluginsError,
    WrongAnswerError,
    require_answer,
)


@pytest.mark.parametrize(
    ("fix", "expected"),
    [("", "It is broken."), ("Correct it.", "It is broken. Correct it.")],
)
def test_an_error_of_a_plugin_ends_with_its_fix(fix: str, expected: str) -> None:
    assert str(PluginError("It is broken.", fix)) == expected


def test_several_errors_of_plugins_are_numbered_on_one_line() -> None:
    error = SeveralPluginsError(
        [PluginError("One.", "Correct it."), ConfigError("Two.")]
    )

    assert str(error) == "2 backends cannot be used: (1) One. Correct it. (2) Two."


@pytest.mark.parametrize(
    ("given", "what"), [(None, "None"), (1, "a int"), (str, "a type")]
)
def test_an_answer_of_a_wrong_class_names_the_method_and_both_classes(
    given: object, what: str
) -> None:
    with pytest.raises(WrongAnswerError) as refused:
        require_answer(PluginError.with_traceback, given, str)

    assert str(refused.value).endswith(
        f"with_traceback has returned {what}, and no str. Let it return a str."
    )
    require_answer(PluginError.with_traceback, "text", str)
