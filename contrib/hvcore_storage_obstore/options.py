"""Settings of the storage: bucket or folder, and credentials."""

from urllib.parse import urlsplit

import attrs


@attrs.frozen(kw_only=True)
class ObstoreOptions:
    """
    Settings under ``[storage.options]``.

    Attributes:
        url: The address of the storage: ``s3://bucket/prefix``, or
            ``file:///an/absolute/path``.
        endpoint: The address of a store that speaks S3 and is not AWS, such as
            ``https://store.example``.
        region: The region of the bucket; by default ``AWS_REGION`` of the environment,
            or us-east-1.
        key: The access key; by default that of the environment or the machine.
        secret: The secret of the access key.
    """

    url: str = attrs.field()
    endpoint: str = attrs.field(default="")
    region: str = attrs.field(default="")
    key: str = attrs.field(default="", repr=False)
    secret: str = attrs.field(default="", repr=False)

    @url.validator
    def _check_url(self, _: object, value: str) -> None:
        parts = urlsplit(value)
        if parts.query or parts.fragment:
            raise ValueError("url must have neither ? nor #")
        if parts.scheme == "s3" and parts.netloc:
            return
        if parts.scheme == "file" and not parts.netloc and parts.path.startswith("/"):
            return
        raise ValueError(
            f"url must be s3://bucket/prefix or file:///an/absolute/path, not {value!r}"
        )

    def __attrs_post_init__(self) -> None:
        """
        Look at what belongs together.

        Raises:
            ValueError: A key without a secret, or the other way round; an option of S3
                for files.
        """
        if bool(self.key) != bool(self.secret):
            raise ValueError("key and secret go together")
        if self.url.startswith("file:") and (self.endpoint or self.region or self.key):
            raise ValueError("endpoint, region, key and secret are for s3:// only")
