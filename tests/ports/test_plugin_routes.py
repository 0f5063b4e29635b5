"""
Routes of plugins get what they declare, and an error for all else.
"""

import pytest

from hvcore.errors import UnauthorizedError
from hvcore.ports.plugin_routes import RouteCall


class Declared:
    """
    The class of a body or a query.
    """


class More(Declared):
    """
    A class that stands for another one.
    """


class Other:
    """
    A class that the route does not declare.
    """


@pytest.mark.parametrize("value", [Declared(), More()])
def test_body_and_query_are_objects_of_the_declared_classes(value: Declared) -> None:
    assert RouteCall(org_id="o", body=value).body(Declared) is value
    assert RouteCall(org_id="o", query=value).query(Declared) is value


@pytest.mark.parametrize("value", [None, Other(), Declared])
def test_a_class_that_is_not_declared_is_an_error_that_names_it(value: object) -> None:
    with pytest.raises(TypeError, match="does not declare Declared"):
        RouteCall(org_id="o", body=value, query=Declared()).body(Declared)
    with pytest.raises(TypeError, match="does not declare Declared"):
        RouteCall(org_id="o", body=Declared(), query=value).query(Declared)


def test_an_open_route_has_no_caller() -> None:
    with pytest.raises(UnauthorizedError):
        _ = RouteCall(org_id="o").caller
