"""The addresses of the shop."""

from django.urls import path

from django_shop import views

urlpatterns = [path("orders", views.order), path("films/<video_id>", views.film)]
