"""
An imitation of S3, SNS and SQS whose events really go from one to the next.
"""

import json
import uuid
from typing import Any, Final

import attrs
import boto3

REGION: Final = "eu-central-1"
ACCOUNT: Final = "123456789012"


@attrs.frozen(kw_only=True)
class Aws:
    """
    The imitation's address, and what was made there.
    """

    endpoint: str

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 has no types
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            aws_access_key_id="k",
            aws_secret_access_key="s",
            region_name=REGION,
        )

    def new_queue(self) -> str:
        """
        Make a queue that nobody else uses; give its address.

        A message that was received comes back after a second.
        """
        name = f"videos-{uuid.uuid4().hex}"
        made = self.client("sqs").create_queue(
            QueueName=name, Attributes={"VisibilityTimeout": "1"}
        )
        return str(made["QueueUrl"])

    def new_topic(self) -> str:
        """
        Make a topic; give its name (ARN).
        """
        made = self.client("sns").create_topic(Name=f"videos-{uuid.uuid4().hex}")
        return str(made["TopicArn"])

    def subscribe(self, topic: str, url: str, *, is_raw: bool = False) -> None:
        """
        Send a topic's messages into a queue.
        """
        attributes = {"RawMessageDelivery": "true"} if is_raw else {}
        self.client("sns").subscribe(
            TopicArn=topic, Protocol="sqs", Endpoint=arn_of(url), Attributes=attributes
        )

    def new_bucket(self, bucket: str, **destinations: str) -> None:
        """
        Make a bucket that tells of new files of uploads.

        Args:
            destinations: ``queue`` (its address) or ``topic`` (its name).
        """
        client = self.client("s3")
        client.create_bucket(
            Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        rules = [
            {"Name": "prefix", "Value": "here/uploads/"},
            {"Name": "suffix", "Value": "/arrival"},
        ]
        told = {
            "Events": ["s3:ObjectCreated:*"],
            "Filter": {"Key": {"FilterRules": rules}},
        }
        configuration = {}
        if "queue" in destinations:
            queue = {"QueueArn": arn_of(destinations["queue"]), **told}
            configuration["QueueConfigurations"] = [queue]
        if "topic" in destinations:
            topic = {"TopicArn": destinations["topic"], **told}
            configuration["TopicConfigurations"] = [topic]
        client.put_bucket_notification_configuration(
            Bucket=bucket, NotificationConfiguration=configuration
        )

    def put(self, name: str) -> None:
        """
        Put an object (``bucket/key``), of which the bucket tells.
        """
        bucket, _, key = name.partition("/")
        self.client("s3").put_object(
            Bucket=bucket, Key=key, Body=b"video", ContentType="video/mp4"
        )

    def send(self, url: str, body: object) -> None:
        """
        Put a message into a queue.

        Args:
            body: Text as it is, all else as JSON.
        """
        text = body if isinstance(body, str) else json.dumps(body)
        self.client("sqs").send_message(QueueUrl=url, MessageBody=text)

    def waiting(self, url: str) -> int:
        """
        Count the messages of a queue, those that were received included.
        """
        names = [
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
        ]
        found = self.client("sqs").get_queue_attributes(
            QueueUrl=url, AttributeNames=names
        )
        return sum(int(found["Attributes"][name]) for name in names)


def arn_of(url: str) -> str:
    """
    Return the name of a queue.
    """
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{url.rpartition('/')[2]}"
