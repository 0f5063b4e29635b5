"""The settings of the analytics sink ``redis``."""

import attrs


@attrs.frozen(kw_only=True)
class RedisOptions:
    """
    Settings under ``[analytics.options.redis]``.

    Attributes:
        url: The address of the server: ``redis://…``, ``rediss://…`` or
            ``unix:///path/to/socket``.
        stream: The key of the stream. Positions are kept beside it, under
            ``{<stream>}:positions``.
        max_entries: About how many entries stay in the stream; older ones go,
            read or not.
    """

    url: str = attrs.field(repr=False)
    stream: str = attrs.field(default="hvcore:served")
    max_entries: int = attrs.field(default=1_000_000)

    @max_entries.validator
    def _check_max_entries(self, _: object, value: int) -> None:
        if value < 1:
            raise ValueError(f"max_entries must be 1 or more, not {value}")

    @stream.validator
    def _check_stream(self, _: object, value: str) -> None:
        if not value or set("{}") & set(value):
            raise ValueError(f"stream must be a name without braces, not {value!r}")
