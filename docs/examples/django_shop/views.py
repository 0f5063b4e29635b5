"""The pages of the shop."""

from django.contrib.auth import get_user
from django.db import connection, transaction
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
)
from django.views.decorators.http import require_GET, require_POST

from django_shop import videos
from django_shop.models import Order
from hvcore.embedding import HvError, VideoNotFoundError


@require_POST
def order(request: HttpRequest) -> HttpResponseBase:
    """Take an order, and permit its film to be sent: both are there, or neither is."""
    user = get_user(request)
    if not user.is_authenticated:
        return HttpResponse(status=401)
    # Made before the transaction, if it is not there yet.
    shop = videos.service().environment("shop")
    try:
        with transaction.atomic():
            upload = shop.in_transaction(connection).grant_upload(file_name="film.mp4")
            Order.objects.create(customer=user.get_username(), video_id=upload.video_id)
    except HvError as error:
        return JsonResponse({"detail": error.detail}, status=error.http_status)
    return JsonResponse({"video_id": upload.video_id, "address": upload.address})


@require_GET
def film(request: HttpRequest, video_id: str) -> HttpResponse:
    """Show a film to whoever has ordered it."""
    customer = get_user(request).get_username()
    if not Order.objects.filter(video_id=video_id, customer=customer).exists():
        raise Http404
    try:
        page = videos.service().environment("shop").page_address(video_id)
    except VideoNotFoundError as error:
        raise Http404(error.detail) from error
    return HttpResponse(f'<iframe src="{page}"></iframe>')
