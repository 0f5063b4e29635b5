"""
Read the operations, models and choices of the API from its OpenAPI document.

Source: OpenAPI 3.1.1, as ``hv openapi`` writes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import attrs

from hvcore_client_generator.document import (
    Answer,
    Api,
    Argument,
    Body,
    Choice,
    Kind,
    Member,
    Model,
    Operation,
    Paging,
    Type,
)
from hvcore_client_generator.names import snake

Node = Mapping[str, Any]

LEFT_OUT: Final = frozenset(
    {
        *("getClientModule", "getClientTypes"),
        *("getDocsScript", "getDocsStyle", "getFrontPage"),
    }
)
"""The operations that clients do not offer: pages for people, and files of the clients
themselves."""
IDEMPOTENCY_KEY: Final = "Idempotency-Key"
ETAG: Final = "ETag"
JSON: Final = "application/json"
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch")
_ALSO_SENT: Final = ("WebhookEvent", "Problem")
"""The schemas that clients read although no operation answers them."""
_VIDEO_NAMES: Final = frozenset({"assetId", "publicID"})
"""The names of a video's id in paths that clients call ``videoID``."""


def read_api(document: Node) -> Api:
    """
    Return the operations and schemas of the API, read from its OpenAPI document.

    Raises:
        ValueError: The document uses a feature that the generator does not support.
    """
    reader = _Reader(document)
    operations = [
        reader.operation(path, method, item[method], item.get("parameters", ()))
        for path, item in document["paths"].items()
        for method in _METHODS
        if method in item and item[method]["operationId"] not in LEFT_OUT
    ]
    for name in _ALSO_SENT:
        reader.type({"$ref": f"#/components/schemas/{name}"})
    return Api(
        operations=operations,
        models=[found for _, found in sorted(reader.models.items())],
        choices=[found for _, found in sorted(reader.choices.items())],
    )


class _Reader:
    """Read operations, and collect the models and choices that they use."""

    def __init__(self, document: Node) -> None:
        self._document = document
        self.models: dict[str, Model] = {}
        self.choices: dict[str, Choice] = {}

    def operation(
        self, path: str, method: str, node: Node, shared: Sequence[Node]
    ) -> Operation:
        nodes = [self._resolved(found) for found in (*shared, *node["parameters"])]
        answer = self._answer(node)
        arguments = [
            self._argument(parameter)
            for parameter in nodes
            if parameter["name"] != IDEMPOTENCY_KEY
        ]
        return Operation(
            name=node["operationId"],
            method=method.upper(),
            path=path,
            summary=node["summary"],
            about=node.get("description", ""),
            tag=node["tags"][0],
            arguments=arguments,
            body=self._body(node.get("requestBody")),
            answer=answer,
            paging=self._paging({argument.name for argument in arguments}, answer),
            needs_key=bool(node["security"]),
            takes_idempotency_key=len(arguments) < len(nodes),
        )

    def type(self, schema: Node) -> Type:
        if "$ref" in schema:
            return self._named(schema["$ref"].rpartition("/")[2])
        if "anyOf" in schema:
            others = [part for part in schema["anyOf"] if part != {"type": "null"}]
            if len(others) != 1:
                raise ValueError(f"Several types at once: {schema}")
            return attrs.evolve(self.type(others[0]), is_nullable=True)
        names = schema.get("type", [])
        names = [names] if isinstance(names, str) else list(names)
        is_nullable = "null" in names
        others = [name for name in names if name != "null"]
        if len(others) > 1:
            raise ValueError(f"Several types at once: {schema}")
        found = self._plain(others[0] if others else "", schema)
        return attrs.evolve(
            found, is_nullable=is_nullable, format=schema.get("format", "")
        )

    def _plain(self, name: str, schema: Node) -> Type:
        if name == "array":
            return Type(kind=Kind.ARRAY, item=self.type(schema["items"]))
        if name == "object":
            if schema.get("properties"):
                raise ValueError(f"An object without a name: {schema}")
            return Type(
                kind=Kind.MAP, item=self.type(schema.get("additionalProperties", {}))
            )
        return Type(kind=_KINDS[name])

    def _named(self, name: str) -> Type:
        schema = self._document["components"]["schemas"][name]
        about = schema.get("description", "")
        if "enum" in schema:
            self.choices[name] = Choice(name=name, values=schema["enum"], about=about)
            return Type(kind=Kind.CHOICE, name=name)
        if "properties" not in schema:
            return self.type(schema)
        if name not in self.models:
            # One that contains itself finds itself here.
            self.models[name] = Model(name=name, members=(), about=about)
            self.models[name] = self._model(name, schema)
        return Type(kind=Kind.MODEL, name=name)

    def _model(self, name: str, schema: Node) -> Model:
        further = schema.get("additionalProperties")
        required = schema.get("required", ())
        members = [
            Member(
                name=member,
                type=self.type(node),
                is_required=member in required,
                about=node.get("description", ""),
                default=node.get("default"),
            )
            for member, node in schema["properties"].items()
        ]
        names = [snake(member.name) for member in members]
        if len(set(names)) < len(names):
            raise ValueError(f"Two members of {name} have the same words.")
        return Model(
            name=name,
            members=members,
            about=schema.get("description", ""),
            further=self.type(further) if further else None,
        )

    def _argument(self, node: Node) -> Argument:
        schema = node["schema"]
        values = schema.get("enum", ())
        return Argument(
            name="videoID" if node["name"] in _VIDEO_NAMES else node["name"],
            sent_as=node["name"],
            place=node["in"],
            type=self.type(schema),
            is_required=node.get("required", False),
            about=node.get("description", ""),
            default=schema.get("default"),
            fixed=values[0] if len(values) == 1 else None,
        )

    def _body(self, node: Node | None) -> Body | None:
        if node is None:
            return None
        content = dict(node["content"])
        json = content.pop(JSON, None)
        model = self.models[self.type(json["schema"]).name] if json else None
        return Body(
            model=model,
            content_types=list(content),
            is_required=node.get("required", False),
        )

    def _answer(self, node: Node) -> Answer | None:
        (success,) = (s for s in node["responses"] if s.startswith("2"))
        described = self._resolved(node["responses"][success])
        content = dict(described.get("content", {}))
        if not content:
            return None
        schema = content.pop(JSON)["schema"]
        inside = self._resolved(schema).get("properties", {})
        is_enveloped = list(inside) == ["body"]
        found = self.type(inside["body"] if is_enveloped else schema)
        has_etag = ETAG in described.get("headers", {})
        if has_etag:
            self._give_etag(self.models[found.name])
        return Answer(
            type=found,
            is_enveloped=is_enveloped,
            text_types=list(content),
            has_etag=has_etag,
        )

    def _give_etag(self, model: Model) -> None:
        if ETAG.lower() in {snake(member.name) for member in model.members}:
            raise ValueError(
                f"{model.name} has an ETag and a member of the same words."
            )
        self.models[model.name] = attrs.evolve(model, has_etag=True)

    def _paging(self, arguments: set[str], answer: Answer | None) -> Paging | None:
        by_cursor = "after" in arguments
        if answer is None or not (by_cursor or "page" in arguments):
            return None
        members = self.models[answer.type.name].members
        (items,) = _arrays(members)
        return Paging(
            by_cursor=by_cursor,
            items=items.name,
            item_type=cast("Type", items.type.item),
        )

    def _resolved(self, node: Node) -> Node:
        if "$ref" not in node:
            return node
        found: Any = self._document
        for name in node["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return cast("Node", found)


_KINDS: Final[Mapping[str, Kind]] = {
    "string": Kind.TEXT,
    "integer": Kind.INTEGER,
    "number": Kind.NUMBER,
    "boolean": Kind.BOOLEAN,
    "": Kind.ANY,
}


def _arrays(members: Sequence[Member]) -> Iterator[Member]:
    return (member for member in members if member.type.kind is Kind.ARRAY)
