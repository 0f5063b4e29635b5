/** What the service refused, and why. `code` is for programs, `detail` for people. */
export class ApiError extends Error {
  constructor({ operation, status, problem, requestID, retryAfterS, answeredAt }) {
    const code = problem.code ?? "";
    const detail = problem.detail ?? `The service answered ${status}.`;
    const named = [status, code, requestID && `request ${requestID}`].filter(Boolean);
    super(`${operation}: ${detail} (${named.join(", ")})`);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = Array.isArray(problem.errors) ? problem.errors : [];
    this.problem = problem;
    this.requestID = requestID;
    this.retryAfterS = retryAfterS;
    this.answeredAt = answeredAt;
    // Whether a try before had no answer, and may have been carried out.
    this.followsLostAnswer = false;
  }
}

/** Somebody else changed it since it was read: read it again, and send the new `etag`. */
export class PreconditionFailedError extends ApiError {
  constructor(refused) {
    super(refused);
    this.name = "PreconditionFailedError";
  }
}

/** The video is deleted already: nothing is left to delete. */
export class AlreadyDeletedError extends ApiError {
  constructor(refused) {
    super(refused);
    this.name = "AlreadyDeletedError";
  }
}

const REFUSED = {
  __proto__: null,
  already_deleted: AlreadyDeletedError,
  precondition_failed: PreconditionFailedError,
};

/** No answer came, or none of the API. */
export class UnreachableError extends Error {
  constructor(message, { cause, isFinal = false } = {}) {
    super(message, { cause });
    this.name = "UnreachableError";
    // Whether another try would end the same way.
    this.isFinal = isFinal;
  }
}

/** The video that was waited for has failed. */
export class ProcessingFailedError extends Error {
  constructor(videoID, reason) {
    super(`The video ${videoID} has failed: ${reason}`);
    this.name = "ProcessingFailedError";
    this.videoID = videoID;
    this.reason = reason;
  }
}

/** The video that was waited for is still being processed. */
export class StillProcessingError extends Error {
  constructor(videoID, timeoutS) {
    super(`The video ${videoID} is not ready after ${timeoutS} s; wait for it again.`);
    this.name = "StillProcessingError";
    this.videoID = videoID;
  }
}

/** What claims to be a webhook was not signed with the secret, or is too old. */
export class WebhookVerificationError extends Error {
  constructor(message) {
    super(message);
    this.name = "WebhookVerificationError";
  }
}
