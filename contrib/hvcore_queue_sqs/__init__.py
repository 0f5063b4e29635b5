"""A queue on Amazon SQS: a queue there for each lane, and the ids of tasks in them."""
