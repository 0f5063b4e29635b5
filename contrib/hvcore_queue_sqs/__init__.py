"""A task queue on Amazon SQS, with one SQS queue for each lane; messages are the ids of tasks."""
