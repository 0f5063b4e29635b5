"""A shop that shows films; Flask's session says who is signed in."""

from flask import Flask, session

from hvcore.embedding import HvError, Permission, embed, person

app = Flask(__name__)
app.config.from_prefixed_env()  # FLASK_SECRET_KEY


def who(environ):
    with app.request_context(environ):
        user, may = session.get("user"), {Permission.VIDEOS_READ}
    return person(user, org_id="shop", permissions=may) if user else None


hv = embed("var/videos", public_url="http://127.0.0.1:5000/videos", sign_in=who)
app.wsgi_app = hv.beside(app.wsgi_app)


@app.get("/films/<video_id>")
def film(video_id):
    return f'<iframe src="{hv.environment("shop").page_address(video_id)}"></iframe>'


@app.errorhandler(HvError)
def refused(error):
    return error.detail, error.http_status
