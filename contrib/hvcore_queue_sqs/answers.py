"""
Explain refusals of SQS, in words for an operator who has to fix them.

SQS's own texts may name keys and accounts; only its codes are shown.
"""

from typing import Final

from botocore.exceptions import (
    BotoCoreError,
    NoCredentialsError,
    PartialCredentialsError,
)

MISSING: Final = frozenset(
    {"AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"}
)
_DENIED: Final = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        *("KMS.AccessDeniedException", "KmsAccessDenied"),
    }
)
_BAD_CREDENTIALS: Final = frozenset(
    {
        *("ExpiredToken", "ExpiredTokenException", "InvalidAccessKeyId"),
        *("InvalidClientTokenId", "MissingAuthenticationToken"),
        *("SignatureDoesNotMatch", "UnrecognizedClientException"),
    }
)
_RIGHTS: Final = {
    "create_queue": "sqs:CreateQueue",
    "delete_message": "sqs:DeleteMessage",
    "get_queue_attributes": "sqs:GetQueueAttributes",
    "get_queue_url": "sqs:GetQueueUrl",
    "receive_message": "sqs:ReceiveMessage",
    "send_message": "sqs:SendMessage",
}
_JUST_DELETED: Final = frozenset(
    {"AWS.SimpleQueueService.QueueDeletedRecently", "QueueDeletedRecently"}
)


def refusal(code: str, *, request: str, queue: str) -> str:
    """
    Return the error message for a request that SQS refused, with the way to fix it.

    Args:
        code: The error code of SQS.
        request: The name of boto3's method.
        queue: The name of the queue at SQS.
    """
    if code in MISSING:
        return f"The queue {queue} is not at SQS; run: hv migrate."
    if code in _DENIED:
        right = _RIGHTS[request]
        further = " and its KMS key" if code.startswith("K") else ""
        return f"SQS refuses {right}; allow it on {queue}{further}."
    if code in _BAD_CREDENTIALS:
        return f"SQS does not accept the AWS credentials ({code}); renew them."
    if code in _JUST_DELETED:
        return f"The queue {queue} was deleted just now; try again after a minute."
    return f"SQS refuses {request} on {queue}: {code}."


def half_answer(request: str, queue: str) -> str:
    """
    Return the error message for an answer that is not from SQS, such as the page of a proxy.

    Args:
        request: The name of the SQS request, such as ``send_message``.
        queue: The name of the queue.
    """
    return (
        f"What answers {request} of {queue} is not SQS; check the endpoint, and proxies "
        "between."
    )


def no_answer(error: BotoCoreError) -> str:
    """Return the error message for a request to SQS that could not be sent or got no answer."""
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return (
            "No AWS credentials for SQS; set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or give the machine a role, and start again."
        )
    return (
        f"SQS does not answer ({type(error).__name__}); check the network, the region "
        "and the endpoint."
    )
