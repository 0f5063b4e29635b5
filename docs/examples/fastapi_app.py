"""A shop that sells films; a header of the proxy in front says who is signed in."""

from a2wsgi import WSGIMiddleware
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from hvcore.embedding import HvError, Permission, Principal, WsgiEnviron, embed, person


def who(environ: WsgiEnviron) -> Principal | None:
    user, may = str(environ.get("HTTP_X_FORWARDED_USER", "")), {Permission.VIDEOS_READ}
    return person(user, org_id="shop", permissions=may) if user else None


app = FastAPI()
hv = embed("var/videos", public_url="http://127.0.0.1:8000/videos", sign_in=who)
app.mount("/videos", WSGIMiddleware(hv.wsgi_app))  # type: ignore[arg-type]


@app.get("/films/{video_id}")
def film(video_id: str) -> dict[str, str]:
    return {"player": hv.environment("shop").page_address(video_id)}


@app.exception_handler(HvError)
def refused(_request: Request, error: HvError) -> JSONResponse:
    return JSONResponse({"detail": error.detail}, error.http_status)
