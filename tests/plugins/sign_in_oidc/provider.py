"""
An OpenID provider on loopback that tells the truth, until a test makes it lie.
"""

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, unquote_plus, urlsplit

import attrs
from joserfc import jwt
from joserfc.jwk import Key, RSAKey

from tests.support.fakes import SettableClock

DESCRIPTION: Final = "/.well-known/openid-configuration"
CLIENT_ID: Final = "hv dashboard"
SECRET: Final = "s3cr+t/="
REFUSES_TOKEN: Final = {
    "WWW-Authenticate": 'Bearer realm="people", error="invalid_token"'
}
"""As RFC 6750 has it."""
Params = Mapping[str, str]


@attrs.frozen(kw_only=True)
class Reply:
    """
    What the provider sends.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = attrs.field(factory=dict)

    @classmethod
    def json(cls, value: object, *, status: int = 200) -> "Reply":
        """
        Return JSON.
        """
        return cls(status=status, body=json.dumps(value).encode())


@attrs.frozen(kw_only=True)
class Asked:
    """
    A request that came.
    """

    method: str
    path: str
    form: Params
    authorization: str


def new_key(name: str) -> RSAKey:
    """
    Make a key of the provider.
    """
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


@attrs.define(kw_only=True)
class LoopbackProvider:
    """
    A provider with one person, and others whom a test adds.

    Attributes:
        person: The claims of the ID token besides those of every token.
        people: Those of others, by subject.
        left: The subjects of people who belong no more.
        userinfo: What userinfo says besides ``sub``.
        changed_metadata: Members of its description that differ.
        change_token: Changes the claims of an ID token before it is signed.
        sign: Signs them.
        replies: What comes instead, by path.
    """

    clock: SettableClock
    keys: list[Key]
    issuer: str = ""
    subject: str = "248289761001"
    person: dict[str, Any] = attrs.field(factory=dict)
    people: dict[str, dict[str, Any]] = attrs.field(factory=dict)
    left: set[str] = attrs.field(factory=set)
    userinfo: dict[str, Any] = attrs.field(factory=dict)
    belongs: bool = True
    gives_id_token_again: bool = True
    rotates: bool = True
    changed_metadata: dict[str, Any] = attrs.field(factory=dict)
    change_token: Callable[[dict[str, Any]], object] = lambda _claims: None
    change_tokens: Callable[[dict[str, Any]], object] = lambda _tokens: None
    sign: Callable[[dict[str, Any]], str] | None = None
    replies: dict[str, Callable[[Asked], Reply]] = attrs.field(factory=dict)
    asked: list[Asked] = attrs.field(factory=list)
    codes: dict[str, Params] = attrs.field(factory=dict)
    refresh_tokens: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    access_tokens: dict[str, str] = attrs.field(factory=dict)

    def claims_of(self, subject: str) -> dict[str, Any]:
        """
        Return what is known of a person.
        """
        return self.people.get(subject, self.person)

    def consent(self, address: str, *, subject: str = "") -> dict[str, str]:
        """
        Do what a person does at the address; return what the browser brings back.
        """
        sent = {k: v[0] for k, v in parse_qs(urlsplit(address).query).items()}
        assert sent["response_type"] == "code"
        assert sent["client_id"] == CLIENT_ID
        assert sent["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = {**sent, "sub": subject or self.subject}
        return {"code": code, "state": sent["state"], "iss": self.issuer}

    def paths(self) -> list[str]:
        """
        Return what was asked for, in order.
        """
        return [asked.path for asked in self.asked]

    def reply(self, asked: Asked) -> Reply:
        """
        Answer a request.
        """
        self.asked.append(asked)
        if asked.path in self.replies:
            return self.replies[asked.path](asked)
        answer = {
            DESCRIPTION: self._describe,
            "/token": self._token,
            "/keys": self._keys,
            "/me": self._userinfo,
        }.get(asked.path)
        return answer(asked) if answer else Reply(status=404)

    def _describe(self, _asked: Asked) -> Reply:
        return Reply.json(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/auth",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "userinfo_endpoint": f"{self.issuer}/me",
                "end_session_endpoint": f"{self.issuer}/end",
                "id_token_signing_alg_values_supported": ["none", "HS256", "RS256"],
                "scopes_supported": ["openid", "offline_access"],
                "authorization_response_iss_parameter_supported": True,
                **self.changed_metadata,
            }
        )

    def _keys(self, _asked: Asked) -> Reply:
        return Reply.json({"keys": [k.as_dict(private=False) for k in self.keys]})

    def _userinfo(self, asked: Asked) -> Reply:
        subject = self.access_tokens.get(asked.authorization.removeprefix("Bearer "))
        if subject is None:
            return Reply(status=401, headers=REFUSES_TOKEN)
        return Reply.json({"sub": subject, **self.userinfo})

    def _token(self, asked: Asked) -> Reply:
        if not _knows_client(asked):
            return Reply.json({"error": "invalid_client"}, status=401)
        if asked.form["grant_type"] == "authorization_code":
            begun = self.codes.pop(asked.form["code"], None)
            has_left = begun is not None and begun["sub"] in self.left
            if begun is None or has_left or not _fits(begun, asked.form):
                return Reply.json({"error": "invalid_grant"}, status=400)
            return self._tokens(begun["nonce"], begun["sub"], is_first=True)
        nonce, subject = self.refresh_tokens.get(
            asked.form["refresh_token"], (None, "")
        )
        if nonce is None or not self.belongs or subject in self.left:
            return Reply.json({"error": "invalid_grant"}, status=400)
        if self.rotates:
            del self.refresh_tokens[asked.form["refresh_token"]]
        return self._tokens(nonce, subject, is_first=False)

    def _tokens(self, nonce: str, subject: str, *, is_first: bool) -> Reply:
        access_token = secrets.token_urlsafe()
        self.access_tokens[access_token] = subject
        tokens: dict[str, Any] = {"access_token": access_token, "token_type": "Bearer"}
        if is_first or self.rotates:
            tokens["refresh_token"] = secrets.token_urlsafe()
            self.refresh_tokens[tokens["refresh_token"]] = (nonce, subject)
        if is_first or self.gives_id_token_again:
            claims = self._claims(access_token, subject)
            if is_first:
                claims["nonce"] = nonce
            self.change_token(claims)
            tokens["id_token"] = (self.sign or self._sign)(claims)
        self.change_tokens(tokens)
        return Reply.json(tokens)

    def _claims(self, access_token: str, subject: str) -> dict[str, Any]:
        now = int(self.clock.now().timestamp())
        half = hashlib.sha256(access_token.encode()).digest()[:16]
        return {
            "iss": self.issuer,
            "sub": subject,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "at_hash": base64.urlsafe_b64encode(half).decode().rstrip("="),
            **self.claims_of(subject),
        }

    def _sign(self, claims: dict[str, Any]) -> str:
        key = self.keys[0]
        return jwt.encode({"alg": "RS256", "kid": key.kid}, claims, key)


def _knows_client(asked: Asked) -> bool:
    if asked.authorization:
        _, _, basic = asked.authorization.partition(" ")
        name, _, secret = base64.b64decode(basic).decode().partition(":")
        return (unquote_plus(name), unquote_plus(secret)) == (CLIENT_ID, SECRET)
    sent = (asked.form.get("client_id"), asked.form.get("client_secret"))
    return sent == (CLIENT_ID, SECRET)


def _fits(begun: Params, form: Params) -> bool:
    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    is_same_place = begun["redirect_uri"] == form["redirect_uri"]
    return challenge == begun["code_challenge"] and is_same_place


@contextmanager
def running(clock: SettableClock, key: Key) -> Iterator[LoopbackProvider]:
    """
    Run a provider until the block ends.
    """
    provider = LoopbackProvider(clock=clock, keys=[key])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer({name: values[0] for name, values in parse_qs(body).items()})

        def _answer(self, form: Params) -> None:
            reply = provider.reply(
                Asked(
                    method=self.command,
                    path=self.path,
                    form=form,
                    authorization=self.headers.get("Authorization", ""),
                )
            )
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            # What was asked may not be waited for.
            with suppress(OSError):
                self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider.issuer = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
