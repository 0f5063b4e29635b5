"""A shop that shows films; Flask's session says who is signed in."""

from flask import Flask, session

from hvcore.embedding import HvError, Permission, Principal, WsgiEnviron, embed, person

app = Flask(__name__)
app.config.from_prefixed_env()  # FLASK_SECRET_KEY


def who(environ: WsgiEnviron) -> Principal | None:
    with app.request_context(environ):
        user, may = session.get("user"), {Permission.VIDEOS_READ}
    return person(user, org_id="shop", permissions=may) if user else None


hv = embed("var/videos", public_url="http://127.0.0.1:5000/videos", sign_in=who)
app.wsgi_app = hv.beside(app.wsgi_app)  # type: ignore[method-assign]


@app.get("/films/<video_id>")
def film(video_id: str) -> str:
    return f'<iframe src="{hv.environment("shop").page_address(video_id)}"></iframe>'


@app.errorhandler(HvError)
def refused(error: HvError) -> tuple[str, int]:
    return error.detail, error.http_status
