"""The page of signing keys: lists, creates and revokes them."""

from typing import Final

import attrs
import falcon

from hvcore.domain.playback.signing_keys import (
    MAX_SIGNING_KEYS,
    SigningAlgorithm,
)
from hvcore.errors import ConflictError, InvalidParametersError, RateLimitExceededError
from hvcore.services.playback.signing.keys import SigningKeyCreated
from hvcore.services.sign_in.signing_key_operations import SigningKeyOperations
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_with, read_form
from hvcore_dashboard.secrets_once import MadeSecret, show_once
from hvcore_dashboard.visits import organization_of, visit_of

_ALGORITHMS: Final = {
    SigningAlgorithm.ED25519.value: "Ed25519: a private key signs (best)",
    SigningAlgorithm.HS256.value: "HS256: a secret that both sides have",
}
_FIRST: Final = form_with(algorithm=SigningAlgorithm.ED25519.value)


@attrs.frozen(kw_only=True)
class SigningKeyPages:
    """Answers with the page that lists an organization's signing keys."""

    answers: Answers
    operations: SigningKeyOperations
    issuer: str

    @classmethod
    def of(cls, desk: Desk) -> "SigningKeyPages":
        """Return the answers with the page of signing keys, made of the dashboard's services."""
        return cls(
            answers=desk.answers,
            operations=desk.services.signing_key_operations,
            issuer=desk.services.settings.playback.issuer,
        )

    def show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        """Answer with the list of signing keys, and with the errors of a refused form."""
        keys = self.operations.of_organization(organization_of(req).org_id)
        in_force = [key for key in keys if key.revoked_at is None]
        self.answers.page(
            req,
            resp,
            "signing_keys/list.html",
            {
                "keys": in_force,
                "revoked": [key for key in keys if key.revoked_at is not None],
                "may_have": MAX_SIGNING_KEYS,
                "issuer": self.issuer,
                "algorithms": list(_ALGORITHMS.items()),
                "form": form,
            },
        )

    def refuse(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        form: Form,
        error: ConflictError | InvalidParametersError | RateLimitExceededError,
    ) -> None:
        """Answer with the list of signing keys, and an error beside the form's field that caused it."""
        resp.status = error.http_status
        for name, value in error.headers.items():
            resp.set_header(name, value)
        self.show(req, resp, form.refused(error, publicKey="public-key"))


class SigningKeysPageResource:
    """``GET …/signing-keys``: the list of signing keys; ``POST``: creates a key and shows it once."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._pages = SigningKeyPages.of(desk)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        self._pages.show(req, resp, _FIRST)

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        form = read_form(req)
        known = form.text("algorithm") in _ALGORITHMS
        algorithm = form.text("algorithm") if known else SigningAlgorithm.ED25519.value
        try:
            made = self._pages.operations.create(
                visit_of(req).person,
                organization_of(req).org_id,
                name=form.text("name"),
                algorithm=SigningAlgorithm(algorithm),
                public_pem=form.text("public-key").strip() or None,
            )
        except (
            ConflictError,
            InvalidParametersError,
            RateLimitExceededError,
        ) as error:
            self._pages.refuse(req, resp, form, error)
            return
        self._answer(req, resp, made)

    def _answer(
        self, req: falcon.Request, resp: falcon.Response, made: SigningKeyCreated
    ) -> None:
        address = self._answers.address(req, "signing-keys")
        if made.private is None:
            message = f"Tokens with the kid {made.key.id} play now."
            self._answers.go(req, resp, address, message=message)
            return
        is_secret = made.key.algorithm is SigningAlgorithm.HS256
        secret = MadeSecret(
            title="Your new signing key",
            label="Secret" if is_secret else "Private key",
            value=made.private,
            notes=(
                f"Tokens name it in their header: kid {made.key.id}.",
                "Only servers that sign tokens may have it, never a page or an app.",
            ),
            next_address=address,
            next_text="I have copied it",
        )
        show_once(self._answers, req, resp, secret)


class SigningKeyRevocationPageResource:
    """``POST …/signing-keys/{key}/revoke``: revokes a signing key."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._pages = SigningKeyPages.of(desk)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, key_id: str, **_path: str
    ) -> None:
        org_id = organization_of(req).org_id
        try:
            key = self._pages.operations.revoke(visit_of(req).person, org_id, key_id)
        except RateLimitExceededError as error:
            self._pages.refuse(req, resp, _FIRST, error)
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "signing-keys"),
            message=f"The signing key {key.name or key.id} is revoked.",
        )
