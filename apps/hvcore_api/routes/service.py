"""The API routes of health, environments and the caller's own key."""

from typing import Final

from hvcore.wire import answer_schemas as answers
from hvcore.wire.access.whoami import WHOAMI
from hvcore.wire.schema import named
from hvcore_api.resources import client, documents, environments, health, whoami
from hvcore_api.routing import KEY, ORG, Route, Special

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "GET",
        "/health",
        health.ApiHealthResource,
        is_open=True,
        name="getHealth",
        summary="Ask whether the service can work.",
        answer=answers.HEALTH,
    ),
    Route(
        "GET",
        "/health/live",
        health.LivenessResource,
        is_open=True,
        name="getLiveness",
        summary="Ask whether the process answers.",
        answer=answers.LIVE,
    ),
    Route(
        "GET",
        "/health/ready",
        health.ApiReadinessResource,
        is_open=True,
        name="getReadiness",
        summary="Ask whether the process can serve now; 503 if not.",
        answer=answers.LIVE,
    ),
    Route(
        "GET",
        f"{ORG}/environments",
        environments.EnvironmentsResource,
        name="listEnvironments",
        summary="List the environments that the key may use; also tests a key.",
        answer=answers.ENVIRONMENTS,
    ),
    Route(
        "GET",
        f"{KEY}/whoami",
        whoami.WhoAmIResource,
        name="getWhoAmI",
        summary="Describe the calling key, and what it may do.",
        answer=WHOAMI,
        is_for_every_key=True,
    ),
    Route(
        "GET",
        f"{KEY}/openapi.json",
        documents.OpenApiResource,
        is_open=True,
        name="getOpenApiDocument",
        summary="Get the description of every route (OpenAPI 3.1).",
        answer=named("OpenApiDocument", {"type": "object"}),
        special=Special(answer_type="application/json"),
    ),
    Route(
        "GET",
        "/docs/api/search.js",
        documents.DocsScriptResource,
        is_open=True,
        name="getDocsScript",
        summary="Get the search of the page.",
        special=Special(answer_type="text/javascript"),
    ),
    Route(
        "GET",
        "/",
        documents.ApiFrontPageResource,
        is_open=True,
        name="getFrontPage",
        summary="Read what this address is, and where to go.",
        special=Special(answer_type="text/html"),
    ),
    Route(
        "GET",
        "/docs/api/style.css",
        documents.DocsStyleResource,
        is_open=True,
        name="getDocsStyle",
        summary="Get the style of the pages.",
        special=Special(answer_type="text/css"),
    ),
    Route(
        "GET",
        "/client.js",
        client.ClientModuleResource,
        is_open=True,
        name="getClientModule",
        summary="Get the client of the API for JavaScript.",
        special=Special(answer_type="text/javascript", is_for_every_page=True),
    ),
    Route(
        "GET",
        "/client.d.ts",
        client.ClientTypesResource,
        is_open=True,
        name="getClientTypes",
        summary="Get its types for TypeScript.",
        special=Special(answer_type="text/plain", is_for_every_page=True),
    ),
)
