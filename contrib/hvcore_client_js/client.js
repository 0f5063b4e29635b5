/**
 * The client of the API of a video hosting service, for browsers and node (from 18 on).
 *
 * One module without dependencies. `python -m hvcore_client_generator` writes it: the
 * parts in `source/`, and between them the operations of the API's description.
 */

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

/** What the service can be asked for, by the names of the methods. */
const OPERATIONS = {
  createUploadUrlInEnvironment: {
    method: "POST",
    path: "/v1/api/{orgID}/environments/{envID}/videos/upload-url",
    json: "required",
    members: ["filename", "fileSize", "contentType", "description", "parts"],
    isIdempotent: true,
  },
  createUploadUrl: {
    method: "POST",
    path: "/v1/videos/upload-url",
    json: "required",
    members: ["fileName", "allowPublicAccess", "videoQuality", "fileSize", "contentType", "videoName", "description", "maxEdgeLength", "maxFrameRate", "pixelFormat", "rateControlMode", "twoPassVBREncoding", "compressionRatio", "audioCodec", "generateCaptions", "externalID", "metadata", "tags", "allowDownload", "parts"],
    isIdempotent: true,
  },
  completeUpload: { method: "POST", path: "/v1/videos/{videoID}/upload-complete" },
  createVideoFromUrl: {
    method: "POST",
    path: "/v1/videos/upload",
    json: "required",
    members: ["fileName", "videoURL", "allowPublicAccess", "videoQuality", "fileSize", "contentType", "videoName", "description", "maxEdgeLength", "maxFrameRate", "pixelFormat", "rateControlMode", "twoPassVBREncoding", "compressionRatio", "audioCodec", "generateCaptions", "externalID", "metadata", "tags", "allowDownload"],
    isIdempotent: true,
  },
  downloadFile: {
    method: "POST",
    path: "/v1/videos/download",
    json: "required",
    members: ["sourceUrl"],
    isIdempotent: true,
  },
  createResumableUpload: {
    method: "POST",
    path: "/v1/uploads",
    headers: { uploadLength: "Upload-Length", uploadMetadata: "Upload-Metadata" },
    fixed: { "Tus-Resumable": "1.0.0" },
    isIdempotent: true,
  },
  getResumableUploadOptions: {
    method: "OPTIONS",
    path: "/v1/uploads",
    hasNoAnswer: true,
    isOpen: true,
  },
  processVideoInEnvironment: {
    method: "POST",
    path: "/v1/api/{orgID}/environments/{envID}/videos/process",
    json: "required",
    members: ["gcsPath", "videoQuality", "allowPublicAccess", "videoName", "maxEdgeLength", "maxFrameRate", "pixelFormat", "rateControlMode", "twoPassVBREncoding", "compressionRatio", "audioCodec", "generateCaptions", "description", "externalID", "metadata", "tags", "allowDownload"],
    isIdempotent: true,
  },
  processVideo: {
    method: "POST",
    path: "/v1/videos/process",
    json: "required",
    members: ["gcsPath", "videoQuality", "allowPublicAccess", "videoName", "maxEdgeLength", "maxFrameRate", "pixelFormat", "rateControlMode", "twoPassVBREncoding", "compressionRatio", "audioCodec", "generateCaptions", "description", "externalID", "metadata", "tags", "allowDownload"],
    isIdempotent: true,
  },
  listVideosInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/videos",
    query: ["page", "pageSize", "sortBy", "sortDir", "status", "search", "from", "to", "externalID", "tag", "metadata", "allowPublicAccess", "spoken"],
    paging: { items: "videos", by: "page" },
  },
  listVideos: {
    method: "GET",
    path: "/v1/videos",
    query: ["page", "pageSize", "sortBy", "sortDir", "status", "search", "from", "to", "externalID", "tag", "metadata", "allowPublicAccess", "spoken"],
    paging: { items: "videos", by: "page" },
  },
  getVideoDetailsInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/details",
    hasETag: true,
  },
  getVideo: { method: "GET", path: "/v1/videos/{videoID}", hasETag: true },
  deleteVideo: {
    method: "DELETE",
    path: "/v1/videos/{videoID}",
    query: ["keepHours"],
    json: "optional",
    members: ["reason"],
  },
  updateVideo: {
    method: "PATCH",
    path: "/v1/videos/{videoID}",
    optionalHeaders: { ifMatch: "If-Match" },
    json: "required",
    members: ["videoName", "description", "allowPublicAccess", "externalID", "metadata", "tags", "allowDownload"],
    hasETag: true,
  },
  getVideoDetails: { method: "GET", path: "/v1/videos/{videoID}/details", hasETag: true },
  getVideoConformanceInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/conformance",
  },
  getVideoConformance: { method: "GET", path: "/v1/videos/{videoID}/conformance" },
  deleteVideoInOrganization: {
    method: "DELETE",
    path: "/v1/api/{orgID}/videos/{videoID}",
    query: ["keepHours"],
    json: "optional",
    members: ["reason"],
  },
  updateVideoInOrganization: {
    method: "PATCH",
    path: "/v1/api/{orgID}/videos/{videoID}",
    optionalHeaders: { ifMatch: "If-Match" },
    json: "required",
    members: ["videoName", "description", "allowPublicAccess", "externalID", "metadata", "tags", "allowDownload"],
    hasETag: true,
  },
  listDeletedVideosInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/videos/deleted",
    query: ["page", "pageSize"],
    paging: { items: "videos", by: "page" },
  },
  listDeletedVideos: {
    method: "GET",
    path: "/v1/videos/deleted",
    query: ["page", "pageSize"],
    paging: { items: "videos", by: "page" },
  },
  restoreVideoInOrganization: {
    method: "POST",
    path: "/v1/api/{orgID}/videos/{videoID}/restore",
    hasETag: true,
  },
  restoreVideo: { method: "POST", path: "/v1/videos/{videoID}/restore", hasETag: true },
  retryVideoInOrganization: { method: "POST", path: "/v1/api/{orgID}/videos/{videoID}/retry" },
  retryVideo: { method: "POST", path: "/v1/videos/{videoID}/retry" },
  setThumbnailInOrganization: {
    method: "POST",
    path: "/v1/api/{orgID}/videos/{videoID}/thumbnail",
    json: "required",
    members: ["timestampSeconds"],
    content: ["image/jpeg", "image/png"],
  },
  setThumbnail: {
    method: "POST",
    path: "/v1/videos/{videoID}/thumbnail",
    json: "required",
    members: ["timestampSeconds"],
    content: ["image/jpeg", "image/png"],
  },
  getCaptionDefaultsInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/caption-defaults",
  },
  setCaptionDefaultsInEnvironment: {
    method: "PUT",
    path: "/v1/api/{orgID}/environments/{envID}/caption-defaults",
    json: "required",
    members: ["languages"],
  },
  getCaptionDefaults: { method: "GET", path: "/v1/caption-defaults" },
  setCaptionDefaults: {
    method: "PUT",
    path: "/v1/caption-defaults",
    json: "required",
    members: ["languages"],
  },
  listCaptionsInOrganization: { method: "GET", path: "/v1/api/{orgID}/videos/{videoID}/captions" },
  generateCaptionsInOrganization: {
    method: "POST",
    path: "/v1/api/{orgID}/videos/{videoID}/captions/generate",
    json: "optional",
    members: ["languages"],
    isIdempotent: true,
  },
  cancelCaptionsInOrganization: {
    method: "DELETE",
    path: "/v1/api/{orgID}/videos/{videoID}/captions/generate",
  },
  getTranscriptInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/transcript/{language}",
    query: ["format"],
    texts: ["text/plain", "text/vtt", "application/x-subrip"],
  },
  setCaptionsInOrganization: {
    method: "PUT",
    path: "/v1/api/{orgID}/videos/{videoID}/captions/{language}",
    query: ["label"],
    content: ["text/vtt", "application/x-subrip", "text/plain", "application/octet-stream"],
  },
  removeCaptionsInOrganization: {
    method: "DELETE",
    path: "/v1/api/{orgID}/videos/{videoID}/captions/{language}",
  },
  listCaptions: { method: "GET", path: "/v1/videos/{videoID}/captions" },
  generateCaptions: {
    method: "POST",
    path: "/v1/videos/{videoID}/captions/generate",
    json: "optional",
    members: ["languages"],
    isIdempotent: true,
  },
  cancelCaptions: { method: "DELETE", path: "/v1/videos/{videoID}/captions/generate" },
  getTranscript: {
    method: "GET",
    path: "/v1/videos/{videoID}/transcript/{language}",
    query: ["format"],
    texts: ["text/plain", "text/vtt", "application/x-subrip"],
  },
  setCaptions: {
    method: "PUT",
    path: "/v1/videos/{videoID}/captions/{language}",
    query: ["label"],
    content: ["text/vtt", "application/x-subrip", "text/plain", "application/octet-stream"],
  },
  removeCaptions: { method: "DELETE", path: "/v1/videos/{videoID}/captions/{language}" },
  listChaptersInOrganization: { method: "GET", path: "/v1/api/{orgID}/videos/{videoID}/chapters" },
  setChaptersInOrganization: {
    method: "PUT",
    path: "/v1/api/{orgID}/videos/{videoID}/chapters",
    content: ["text/vtt", "text/plain", "application/octet-stream"],
  },
  removeChaptersInOrganization: {
    method: "DELETE",
    path: "/v1/api/{orgID}/videos/{videoID}/chapters",
  },
  listChapters: { method: "GET", path: "/v1/videos/{videoID}/chapters" },
  setChapters: {
    method: "PUT",
    path: "/v1/videos/{videoID}/chapters",
    content: ["text/vtt", "text/plain", "application/octet-stream"],
  },
  removeChapters: { method: "DELETE", path: "/v1/videos/{videoID}/chapters" },
  getSignedUrlInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/signed-url",
    query: ["expiration", "domains"],
  },
  getSignedUrl: {
    method: "GET",
    path: "/v1/videos/{videoID}/signed-url",
    query: ["expiration", "domains"],
  },
  getSourceUrlInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/source",
    query: ["expiration"],
  },
  getSourceUrl: { method: "GET", path: "/v1/videos/{videoID}/source", query: ["expiration"] },
  listEdgeKeysInOrganization: { method: "GET", path: "/v1/api/{orgID}/videos/{videoID}/edge-keys" },
  createEdgeKeyInOrganization: {
    method: "POST",
    path: "/v1/api/{orgID}/videos/{videoID}/edge-keys",
    json: "optional",
    members: ["domains", "expiresAt"],
    isIdempotent: true,
  },
  revokeVideoEdgeKeyInOrganization: {
    method: "DELETE",
    path: "/v1/api/{orgID}/videos/{videoID}/edge-keys/{edgeKey}",
  },
  createShareLinkInOrganization: {
    method: "POST",
    path: "/v1/api/{orgID}/videos/{videoID}/share",
    json: "optional",
    members: ["expirationHours", "maxViews", "viewerEmail"],
    isIdempotent: true,
  },
  listShareLinksInOrganization: { method: "GET", path: "/v1/api/{orgID}/videos/{videoID}/shares" },
  revokeShareLinkInOrganization: {
    method: "DELETE",
    path: "/v1/api/{orgID}/videos/{videoID}/shares/{shareID}",
  },
  getEdgeKeyInOrganization: { method: "GET", path: "/v1/api/{orgID}/edge-keys/{edgeKey}" },
  revokeEdgeKeyInOrganization: { method: "DELETE", path: "/v1/api/{orgID}/edge-keys/{edgeKey}" },
  listEdgeKeys: { method: "GET", path: "/v1/videos/{videoID}/edge-keys" },
  createEdgeKey: {
    method: "POST",
    path: "/v1/videos/{videoID}/edge-keys",
    json: "optional",
    members: ["domains", "expiresAt"],
    isIdempotent: true,
  },
  revokeVideoEdgeKey: { method: "DELETE", path: "/v1/videos/{videoID}/edge-keys/{edgeKey}" },
  createShareLink: {
    method: "POST",
    path: "/v1/videos/{videoID}/share",
    json: "optional",
    members: ["expirationHours", "maxViews", "viewerEmail"],
    isIdempotent: true,
  },
  listShareLinks: { method: "GET", path: "/v1/videos/{videoID}/shares" },
  revokeShareLink: { method: "DELETE", path: "/v1/videos/{videoID}/shares/{shareID}" },
  getEdgeKey: { method: "GET", path: "/v1/edge-keys/{edgeKey}" },
  revokeEdgeKey: { method: "DELETE", path: "/v1/edge-keys/{edgeKey}" },
  getUsageInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/analytics/usage",
    query: ["periodDays", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getUsageInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/analytics/usage",
    query: ["periodDays", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getUsage: {
    method: "GET",
    path: "/v1/analytics/usage",
    query: ["periodDays", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getDailyUsageInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/analytics/daily",
    query: ["startDate", "endDate", "fill", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getDailyUsageInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/analytics/daily",
    query: ["startDate", "endDate", "fill", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getDailyUsage: {
    method: "GET",
    path: "/v1/analytics/daily",
    query: ["startDate", "endDate", "fill", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  listWatchedVideosInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/analytics/videos",
    query: ["startDate", "endDate", "sortBy", "sortDir", "page", "pageSize", "by", "format"],
    texts: ["text/csv", "application/x-ndjson"],
    paging: { items: "videos", by: "page" },
  },
  listWatchedVideosInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/analytics/videos",
    query: ["startDate", "endDate", "sortBy", "sortDir", "page", "pageSize", "by", "format"],
    texts: ["text/csv", "application/x-ndjson"],
    paging: { items: "videos", by: "page" },
  },
  listWatchedVideos: {
    method: "GET",
    path: "/v1/analytics/videos",
    query: ["startDate", "endDate", "sortBy", "sortDir", "page", "pageSize", "by", "format"],
    texts: ["text/csv", "application/x-ndjson"],
    paging: { items: "videos", by: "page" },
  },
  getVideoDailyUsageInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/analytics/daily",
    query: ["startDate", "endDate", "fill", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoDailyUsage: {
    method: "GET",
    path: "/v1/videos/{videoID}/analytics/daily",
    query: ["startDate", "endDate", "fill", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getStorageUsageInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/analytics/storage",
    query: ["format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getStorageUsageInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/analytics/storage",
    query: ["format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getStorageUsage: {
    method: "GET",
    path: "/v1/analytics/storage",
    query: ["format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getResolutionDistributionInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/analytics/resolution-distribution",
    query: ["startDate", "endDate", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getResolutionDistributionInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/analytics/resolution-distribution",
    query: ["startDate", "endDate", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getResolutionDistribution: {
    method: "GET",
    path: "/v1/analytics/resolution-distribution",
    query: ["startDate", "endDate", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoResolutionsInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/analytics/resolution",
    query: ["startDate", "endDate", "format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoResolutions: {
    method: "GET",
    path: "/v1/videos/{videoID}/analytics/resolution",
    query: ["startDate", "endDate", "format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  explainVideoCountInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/analytics/explain",
    query: ["date", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  explainVideoCount: {
    method: "GET",
    path: "/v1/videos/{videoID}/analytics/explain",
    query: ["date", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoPlaybackQualityInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/analytics/playback-quality",
    query: ["startDate", "endDate", "by", "format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoPlaybackQuality: {
    method: "GET",
    path: "/v1/videos/{videoID}/analytics/playback-quality",
    query: ["startDate", "endDate", "by", "format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoBreakdownInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/analytics/breakdown",
    query: ["startDate", "endDate", "by", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoBreakdown: {
    method: "GET",
    path: "/v1/videos/{videoID}/analytics/breakdown",
    query: ["startDate", "endDate", "by", "format"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getViewersInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/analytics/viewers",
    query: ["format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getViewersInEnvironment: {
    method: "GET",
    path: "/v1/api/{orgID}/environments/{envID}/analytics/viewers",
    query: ["format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getViewers: {
    method: "GET",
    path: "/v1/analytics/viewers",
    query: ["format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoViewersInOrganization: {
    method: "GET",
    path: "/v1/api/{orgID}/videos/{videoID}/analytics/viewers",
    query: ["format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  getVideoViewers: {
    method: "GET",
    path: "/v1/videos/{videoID}/analytics/viewers",
    query: ["format", "records"],
    texts: ["text/csv", "application/x-ndjson"],
  },
  listEvents: {
    method: "GET",
    path: "/v1/events",
    query: ["after", "limit", "event"],
    paging: { items: "events", by: "cursor" },
  },
  getHealth: { method: "GET", path: "/health", isOpen: true },
  getLiveness: { method: "GET", path: "/health/live", isOpen: true },
  getReadiness: { method: "GET", path: "/health/ready", isOpen: true },
  listEnvironmentsInOrganization: { method: "GET", path: "/v1/api/{orgID}/environments" },
  getWhoAmI: { method: "GET", path: "/v1/whoami" },
  getOpenApiDocument: { method: "GET", path: "/v1/openapi.json", bare: true, isOpen: true },
};

/** The API of a service. Its methods are those of `OPERATIONS`, and those below. */
export class HvClient {
  #apiURL;
  #apiKey;
  #fetch;
  #maxTries;
  #timeoutMs;

  static {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      this.prototype[name] = function (params, options) {
        const ask = (wanted) => this.#call(name, operation, wanted, options);
        return operation.paging ? new ListRequest(ask, params ?? {}, operation.paging) : ask(params ?? {});
      };
    }
  }

  constructor({ apiURL, apiKey, fetch = globalThis.fetch, maxTries = MAX_TRIES, timeoutMs = TIMEOUT_MS } = {}) {
    // The interface's addresses end in /v1, the paths of its description begin with it.
    this.#apiURL = String(apiURL ?? ownAddress()).replace(/(\/v1(\/api)?)?\/*$/, "");
    this.#apiKey = apiKey;
    this.#fetch = fetch;
    this.#maxTries = maxTries;
    this.#timeoutMs = timeoutMs;
  }

  /** Makes an upload and sends a file to it; the video is processed from then on. */
  async upload(file, params = {}) {
    const { onProgress, onCreated, chunkBytes, signal, idempotencyKey, ...fields } = params;
    const blob = asBlob(file);
    fields.fileName ??= file.name;
    if (!fields.fileName) throw new TypeError("upload needs fileName: this file has no name.");
    const wanted = { uploadLength: blob.size, uploadMetadata: fields };
    const made = await this.createResumableUpload(wanted, { signal, idempotencyKey });
    onCreated?.(made);
    const options = { onProgress, signal, chunkBytes, fetch: this.#fetch, offset: 0 };
    await new FileSender(made.uploadURL, blob, options).send();
    return made;
  }

  /** Returns a video's details once it can be played. */
  async waitUntilReady(videoID, { orgID, timeoutS = 3600, everyS = 5, onProgress, signal } = {}) {
    const endsAt = Date.now() + timeoutS * 1000;
    for (;;) {
      let late = new StillProcessingError(videoID, timeoutS);
      let waitS = everyS;
      try {
        const details = orgID
          ? await this.getVideoDetailsInOrganization({ orgID, videoID }, { signal })
          : await this.getVideoDetails({ videoID }, { signal });
        onProgress?.(details);
        if (details.status.ready) return details;
        if (details.status.failed) {
          throw new ProcessingFailedError(videoID, details.failureReason ?? "no reason is known");
        }
      } catch (error) {
        // The video is processed all the same while the service cannot be asked.
        if (!isPassing(error)) throw error;
        late = error;
        waitS = Math.max(everyS, error.retryAfterS ?? 0);
      }
      if (Date.now() + waitS * 1000 > endsAt) throw late;
      await pause(waitS * 1000, signal);
    }
  }

  /** Asks for what is no operation here, such as a route of a plugin. */
  async request(method, path, { query, json, body, headers = {}, ...options } = {}) {
    const asked = new URLSearchParams(query).toString();
    const given = json === undefined ? {} : { "Content-Type": "application/json" };
    const wanted = {
      path: asked ? `${path}?${asked}` : path,
      headers: { ...given, ...headers },
      body: json === undefined ? body : JSON.stringify(json),
    };
    const operation = { method, isIdempotent: options.idempotencyKey !== undefined };
    const answer = await this.#send(`${method} ${path}`, operation, wanted, options);
    const isJSON = /[/+]json\b/.test(answer.headers.get("Content-Type") ?? "");
    if (!isJSON) return answer.text;
    try {
      return JSON.parse(answer.text);
    } catch (cause) {
      throw new UnreachableError(`${method} ${path}: what answers there is no JSON.`, { cause, isFinal: true });
    }
  }

  async #call(name, operation, params, options = {}) {
    try {
      const answer = await this.#send(name, operation, requestOf(name, operation, params), options);
      return resultOf(name, operation, answer);
    } catch (error) {
      const found = await foundDone(this, name, params, error, options);
      if (found === undefined) throw error;
      return found;
    }
  }

  async #send(name, { method, isOpen, isIdempotent }, { path, headers, body }, options) {
    const { signal, maxTries = this.#maxTries, timeoutMs = this.#timeoutMs } = options;
    if (this.#apiKey && !isOpen) headers["X-Api-Key"] = this.#apiKey;
    if (isIdempotent) headers["Idempotency-Key"] = options.idempotencyKey ?? (await newIdempotencyKey());
    const wanted = { operation: name, url: this.#apiURL + path, method, headers, body, signal, timeoutMs };
    const isRepeatable = isIdempotent || REPEATABLE_METHODS.has(method);
    return send(this.#fetch, wanted, { maxTries, isRepeatable });
  }
}

/** The API that serves this module. */
function ownAddress() {
  const { protocol, href } = new URL(".", import.meta.url);
  if (protocol === "http:" || protocol === "https:") return href;
  throw new TypeError("HvClient needs apiURL, such as https://api.example.com.");
}

/** The request of an operation: what is sent, and where to. */
function requestOf(name, operation, params) {
  const left = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, argument) => segment(name, argument, take(left, argument)));
  const query = new URLSearchParams();
  for (const argument of operation.query ?? []) {
    const value = take(left, argument) ?? [];
    for (const one of Array.isArray(value) ? value : [value]) query.append(argument, String(one));
  }
  const headers = { ...operation.fixed };
  for (const [argument, header] of Object.entries(operation.headers ?? {})) {
    const value = take(left, argument);
    if (value === undefined) throw new TypeError(`${name} needs ${argument}.`);
    headers[header] = typeof value === "object" ? uploadMetadata(value) : String(value);
  }
  for (const [argument, header] of Object.entries(operation.optionalHeaders ?? {})) {
    const value = take(left, argument);
    if (value !== undefined && value !== null) headers[header] = String(value);
  }
  const body = bodyOf(name, operation, left, headers);
  const asked = query.toString();
  return { path: asked ? `${path}?${asked}` : path, headers, body };
}

function take(left, argument) {
  const value = left.get(argument);
  left.delete(argument);
  return value;
}

function segment(name, argument, value) {
  const text = String(value ?? "");
  // Dots would lead to another address.
  if (text === "" || text === "." || text === "..") throw new TypeError(`${name} needs ${argument}.`);
  return encodeURIComponent(text);
}

function bodyOf(name, operation, left, headers) {
  if (operation.content && left.has("body")) {
    const body = take(left, "body");
    headers["Content-Type"] = take(left, "contentType") ?? (body.type || typeOf(body, operation.content));
    refuseOthers(name, left);
    return body;
  }
  if (!operation.json) {
    refuseOthers(name, left);
    if (operation.content) throw new TypeError(`${name} needs body.`);
    return undefined;
  }
  const members = [...left].filter(([member]) => operation.members.includes(member));
  members.forEach(([member]) => left.delete(member));
  refuseOthers(name, left);
  if (members.length === 0 && operation.json === "optional") return undefined;
  headers["Content-Type"] = "application/json";
  return JSON.stringify(Object.fromEntries(members));
}

// With what files begin that have a type of their own.
const STARTS = { "WEBVTT": "text/vtt", "\ufeffWEBVTT": "text/vtt", "\u00ef\u00bb\u00bfWEBVTT": "text/vtt", "\u0089PNG": "image/png" };
const ANY_FILE = "application/octet-stream";

/** What a body is by its first bytes; the service knows text files. */
function typeOf(body, types) {
  const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body);
  const start = isBytes ? String.fromCharCode(...bytesOf(body).subarray(0, 9)) : String(body).slice(0, 9);
  const found = Object.keys(STARTS).find((one) => start.startsWith(one));
  if (found && types.includes(STARTS[found])) return STARTS[found];
  return types.includes(ANY_FILE) ? ANY_FILE : types[0];
}

function refuseOthers(name, left) {
  if (left.size > 0) throw new TypeError(`${name} takes no ${[...left.keys()].join(", ")}.`);
}

/** What an operation returns of an answer. */
function resultOf(name, operation, { status, headers, text }) {
  if (operation.hasNoAnswer && status === 204) return undefined;
  const type = (headers.get("Content-Type") ?? "").split(";")[0].trim();
  if (operation.texts?.includes(type)) return text;
  try {
    const answered = JSON.parse(text);
    const result = operation.bare ? answered : answered.body;
    const etag = headers.get("ETag");
    if (operation.hasETag && etag !== null) result.etag = etag;
    if (result !== undefined) return result;
  } catch {
    // Said below.
  }
  throw new UnreachableError(`${name}: what answers there is not the API.`, { isFinal: true });
}

/** Fields as the header `Upload-Metadata` of tus has them. */
function uploadMetadata(fields) {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${base64(utf8(fieldText(value)))}`)
    .join(",");
}

function fieldText(value) {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const MAX_TRIES = 4;
const TIMEOUT_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
// Of a wait that the service asks for. A caller that shall wait longer decides itself.
const LONGEST_WAIT_TOLD_MS = 120_000;
// Who waits for so long is told.
const LONG_WAIT_MS = 5000;
const REPEATABLE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
const PASSING_STATUSES = new Set([429, 502, 503, 504]);

/** One try: the answer with its text, whatever its status is. */
async function attempt(fetch, { operation, url, method, headers, body, signal, timeoutMs }) {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  const abort = () => stop.abort();
  signal?.addEventListener("abort", abort, { once: true });
  let response, text;
  try {
    response = await fetch(url, {
      method,
      headers,
      body,
      signal: stop.signal,
      credentials: "omit",
      // Followed, a redirect would carry the key to another server.
      redirect: "manual",
    });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    // Only the server is named: an address of an upload is a secret.
    const server = new URL(url).origin;
    const problem = stop.signal.aborted ? `did not answer within ${timeoutMs} ms` : "cannot be reached";
    throw new UnreachableError(`${operation}: ${server} ${problem}.`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    const told = `${operation}: ${new URL(url).origin} redirects; name the address to which it leads.`;
    throw new UnreachableError(told, { isFinal: true });
  }
  return { status: response.status, headers: response.headers, text };
}

/** Tries until there is a success, or an error that stays. */
async function send(fetch, wanted, { maxTries, isRepeatable }) {
  let mayBeDone = false;
  for (let tries = 1; ; tries += 1) {
    let error;
    try {
      const answer = await attempt(fetch, wanted);
      if (answer.status < 400) return answer;
      error = refusal(wanted.operation, answer);
    } catch (caught) {
      if (!(caught instanceof UnreachableError)) throw caught;
      error = caught;
    }
    const mayPass = isPassing(error) || (tries > 1 && isFirstTryRunning(error));
    if (!isRepeatable || !mayPass || tries >= maxTries) {
      if (error instanceof ApiError) error.followsLostAnswer = mayBeDone;
      throw error;
    }
    // What 429 refuses is certainly not done.
    mayBeDone ||= error.status !== 429;
    await pauseAfter(error, tries, wanted.signal);
  }
}

function refusal(operation, { status, headers, text }) {
  const afterMs = retryAfterMs(headers);
  const problem = problemOf(text);
  const Refused = REFUSED[problem.code] ?? ApiError;
  return new Refused({
    operation,
    status,
    problem,
    requestID: headers.get("X-Request-Id") ?? undefined,
    retryAfterS: afterMs === undefined ? undefined : afterMs / 1000,
    answeredAt: momentOf(headers.get("Date")),
  });
}

function problemOf(text) {
  try {
    const problem = JSON.parse(text);
    return problem !== null && typeof problem === "object" ? problem : {};
  } catch {
    // Of a proxy in between.
    return {};
  }
}

function isPassing(error) {
  if (error instanceof ApiError) return PASSING_STATUSES.has(error.status);
  return error instanceof UnreachableError && !error.isFinal;
}

/** Whether the try before, whose answer was lost, still runs. */
function isFirstTryRunning(error) {
  return error.status === 409 && error.errors.some((one) => one?.location === "header.Idempotency-Key");
}

/** What `Retry-After` asks for: seconds, or a date by the server's own clock. */
function retryAfterMs(headers) {
  const text = headers.get("Retry-After")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const moment = momentOf(text);
  if (moment === undefined) return undefined;
  return Math.max(0, moment - (momentOf(headers.get("Date")) ?? Date.now()));
}

function momentOf(text) {
  const moment = new Date(text ?? "");
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** Waits before another try; throws the error if the service asks for a longer wait. */
async function pauseAfter(error, tries, signal) {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  // Many clients that failed together come back one by one.
  const own = longest * (0.5 + Math.random() / 2);
  const told = (error.retryAfterS ?? 0) * 1000;
  if (told > LONGEST_WAIT_TOLD_MS) throw error;
  const wait = Math.max(own, told);
  if (wait >= LONG_WAIT_MS) console.warn(`${error.message} Waits ${Math.round(wait / 1000)} s, then tries again.`);
  await pause(wait, signal);
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

/**
 * How it is after an answer was lost, for calls that are refused a second time: a
 * deletion that is sent again finds it done. By the names of the methods.
 */
const ASKED_AFTER_LOSS = {
  removeCaptions: { ask: "listCaptions", find: (listed) => listed },
  removeChapters: { ask: "listChapters", find: (listed) => listed },
  revokeEdgeKey: { ask: "getEdgeKey", find: revoked },
  revokeVideoEdgeKey: { ask: "getEdgeKey", find: revoked },
  revokeShareLink: {
    ask: "listShareLinks",
    find: ({ shares }, { shareID }) => revoked(shares.find((share) => share.shareID === shareID)),
  },
};

function revoked(found) {
  return found?.revokedAt ? found : undefined;
}

/** What a call wanted, if a try whose answer was lost has done it. */
async function foundDone(client, name, params, error, options) {
  if (!(error instanceof ApiError && error.followsLostAnswer)) return undefined;
  const [, plain, family = ""] = /^(.*?)(InOrganization)?$/.exec(name);
  if (plain === "deleteVideo" && error.code === "already_deleted") {
    const { answeredAt, detail } = error;
    return { status: "deleted", deletedAt: (answeredAt ?? new Date()).toISOString(), message: detail };
  }
  const question = ASKED_AFTER_LOSS[plain];
  if (question === undefined || error.code !== "not_found") return undefined;
  const ask = question.ask + family;
  const named = [...OPERATIONS[ask].path.matchAll(/\{(\w+)\}/g)].map(([, argument]) => argument);
  try {
    const state = await client[ask](Object.fromEntries(named.map((argument) => [argument, params[argument]])), options);
    return question.find(state, params);
  } catch (failed) {
    // The refusal says more, if only the state cannot be asked for.
    if (failed instanceof ApiError || failed instanceof UnreachableError) return undefined;
    throw failed;
  }
}

/**
 * A list: awaited, its first page; in `for await`, its items, page after page. Nothing is
 * asked before that.
 */
class ListRequest {
  #ask;
  #params;
  #paging;
  #first;

  constructor(ask, params, paging) {
    this.#ask = ask;
    this.#params = params;
    this.#paging = paging;
  }

  get [Symbol.toStringTag]() {
    return "ListRequest";
  }

  then(onFulfilled, onRejected) {
    this.#first ??= this.#ask(this.#params);
    return this.#first.then(onFulfilled, onRejected);
  }

  catch(onRejected) {
    return this.then(undefined, onRejected);
  }

  finally(onFinally) {
    return this.then().finally(onFinally);
  }

  async *pages() {
    const pages = this.#paging.by === "cursor" ? new PagesByCursor() : new OverlappingPages();
    const first = await this;
    let page = first;
    for (;;) {
      const { fresh, next } = pages.take(page, page[this.#paging.items]);
      if (fresh?.length > 0 || page === first) yield { ...page, [this.#paging.items]: fresh };
      if (next === undefined) return;
      page = await this.#ask({ ...this.#params, ...next });
    }
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) yield* page[this.#paging.items];
  }
}

class PagesByCursor {
  take({ cursor, hasMore }, items) {
    return { fresh: items, next: hasMore ? { after: cursor } : undefined };
  }
}

const MAX_PAGE_SIZE = 100;

/**
 * Pages of a list that changes while it is gone through. They are counted from the
 * beginning of the list, so what is deleted before a page moves others out of it. So each
 * page begins with an item that was there before: then nothing is missing between the
 * two. If it has none, an earlier page is asked for.
 */
class OverlappingPages {
  #size;
  #start;
  #passed = 0;
  #total = 0;
  #misses = 0;
  // By what the known items were sorted. One that has moved says nothing of its neighbours.
  #places = new Map();

  take({ pagination: { page, pageSize, total } }, items) {
    this.#size ??= pageSize;
    const before = (page - 1) * pageSize;
    const isStart = before <= (this.#start ??= before);
    if (!isStart && !items.some((item) => this.#places.get(item.id) === placeOf(item))) {
      this.#misses += 1;
      const fallen = Math.max(this.#total - total, 0);
      // An estimate first; if it was too little, soon from the beginning.
      const passed = Math.max(Math.min(before, this.#passed - fallen), 0);
      return { next: this.#goTo(Math.floor(passed / this.#misses)) };
    }
    this.#misses = 0;
    this.#total = total;
    // A list may be wanted from a later page on.
    const fresh = items.filter(({ id }, index) => before + index >= this.#start && !this.#places.has(id));
    for (const item of items) this.#places.set(item.id, placeOf(item));
    return { fresh, next: items.length < pageSize ? undefined : this.#goTo(before + items.length) };
  }

  #goTo(passed) {
    this.#passed = passed;
    const pageSize = pageSizeAt(passed, this.#size);
    return { page: Math.floor(Math.max(passed - 1, 0) / pageSize) + 1, pageSize };
  }
}

/** The size of pages of which one begins shortly before a place, with its last item before. */
function pageSizeAt(passed, wanted) {
  if (passed === 0) return wanted;
  const newItems = (size) => size - 1 - ((passed - 1) % size);
  let best = wanted;
  for (let size = Math.max(Math.floor(wanted / 2), 1); size < wanted; size += 1) {
    if (newItems(size) > newItems(best)) best = size;
  }
  // Of small pages there may be none: then one that is a little larger.
  for (let size = wanted + 1; newItems(best) * 2 < wanted && size <= MAX_PAGE_SIZE; size += 1) best = size;
  return best;
}

function placeOf({ createdAt, name, durationSeconds, status }) {
  return JSON.stringify([createdAt, name, durationSeconds, status]);
}

const CHUNK_BYTES = 8 * 1024 * 1024;
// A dead connection holds an upload for half a minute; so long these tries last.
const UPLOAD_TRIES = 10;
// What has come of a chunk by then is kept.
const CHUNK_TIMEOUT_MS = 120_000;

/**
 * Sends a file to the address of a resumable upload, from where an earlier call has
 * stopped. Needs no key.
 */
export async function uploadTo(url, file, options = {}) {
  await new FileSender(String(url), asBlob(file), options).send();
}

/** Sends one file by tus 1.0. */
class FileSender {
  #url;
  #file;
  #options;
  #furthest = -1;

  constructor(
    url,
    file,
    {
      fetch = globalThis.fetch,
      chunkBytes = CHUNK_BYTES,
      maxTries = UPLOAD_TRIES,
      timeoutMs = CHUNK_TIMEOUT_MS,
      offset,
      onProgress,
      signal,
    },
  ) {
    this.#url = url;
    this.#file = file;
    this.#options = { fetch, chunkBytes, maxTries, timeoutMs, offset, onProgress, signal };
  }

  async send() {
    const { maxTries, signal } = this.#options;
    let { offset } = this.#options;
    let failures = 0;
    for (;;) {
      try {
        offset ??= await this.#ask();
        if (this.#report(offset)) failures = 0;
        if (offset === this.#file.size) return;
        offset = await this.#sendChunk(offset);
      } catch (error) {
        failures += 1;
        if (failures >= maxTries || !mayUploadGoOn(error)) throw error;
        await pauseAfter(error, failures, signal);
        // Only the service knows what has come.
        offset = undefined;
      }
    }
  }

  /** Tells how far it is; returns whether it is further than before. */
  #report(offset) {
    const isFurther = offset > this.#furthest;
    if (isFurther) {
      this.#furthest = offset;
      this.#options.onProgress?.({ sentBytes: offset, totalBytes: this.#file.size });
    }
    return isFurther;
  }

  async #ask() {
    const answer = await this.#request("HEAD", {});
    const offset = numberOf(answer, "Upload-Offset");
    const length = numberOf(answer, "Upload-Length");
    if (length !== this.#file.size) {
      throw new TypeError(`The upload is for a file of ${length} bytes, and this one has ${this.#file.size}.`);
    }
    return this.#checked(offset);
  }

  async #sendChunk(offset) {
    const chunk = this.#file.slice(offset, offset + this.#options.chunkBytes);
    const headers = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
    const answer = await this.#request("PATCH", headers, chunk);
    const reached = this.#checked(numberOf(answer, "Upload-Offset"));
    if (reached <= offset) throw new UnreachableError("uploadTo: the service took nothing of the file.");
    return reached;
  }

  /** An offset that can be: what answers may be another program. */
  #checked(offset) {
    if (offset <= this.#file.size) return offset;
    const told = `uploadTo: ${offset} bytes of ${this.#file.size} cannot have come; begin a new upload.`;
    throw new UnreachableError(told, { isFinal: true });
  }

  async #request(method, headers, body) {
    const { fetch, signal, timeoutMs } = this.#options;
    const wanted = { operation: "uploadTo", url: this.#url, method, body, signal, timeoutMs };
    const answer = await attempt(fetch, { ...wanted, headers: { "Tus-Resumable": "1.0.0", ...headers } });
    if (answer.status < 400) return answer;
    // The answer to a HEAD has no text.
    const hasEnded = method === "HEAD" && answer.status < 500 && !isBusy(answer.status);
    const detail = "There is no such upload, or it has ended; ask for a new address.";
    throw refusal("uploadTo", hasEnded ? { ...answer, text: JSON.stringify({ detail }) } : answer);
  }
}

function numberOf({ headers }, name) {
  const text = headers.get(name) ?? "";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UnreachableError("uploadTo: what answers there takes no resumable uploads.", { isFinal: true });
}

/** Another request is sending, or was cut off a moment ago. */
function isBusy(status) {
  return status === 409 || status === 423 || status === 429;
}

function mayUploadGoOn(error) {
  return isPassing(error) || (error instanceof ApiError && (isBusy(error.status) || error.status >= 500));
}

function asBlob(file) {
  if (file instanceof Blob) return file;
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file)) return new Blob([file]);
  throw new TypeError("A file must be a File, a Blob or bytes; in node, fs.openAsBlob(path) makes one.");
}

const WEBHOOK_TOLERANCE_S = 300;

/**
 * Returns the event of a webhook, if one of the secrets has signed it lately.
 *
 * Source: the Standard Webhooks specification.
 */
export async function verifyWebhook(secret, headers, body, { toleranceS = WEBHOOK_TOLERANCE_S } = {}) {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => {
    const value = headerOf(headers, `webhook-${name}`);
    if (value) return value;
    throw new WebhookVerificationError(`The header webhook-${name} is missing.`);
  });
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceS) {
    throw new WebhookVerificationError(`The webhook's time is more than ${toleranceS} s off.`);
  }
  const bytes = typeof body === "string" ? utf8(body) : bytesOf(body);
  const signed = new Uint8Array([...utf8(`${id}.${timestamp}.`), ...bytes]);
  for (const one of [secret].flat()) {
    if (await isSigned(signed, signatures, one)) return JSON.parse(new TextDecoder().decode(bytes));
  }
  throw new WebhookVerificationError("The webhook was not signed with this secret.");
}

function headerOf(headers, name) {
  if (typeof headers.get === "function") return headers.get(name);
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value[0] : value;
}

async function isSigned(signed, signatures, secret) {
  const { subtle } = await webCrypto();
  const material = bytesOfBase64(secret.replace(/^whsec_/, ""));
  if (!material?.length) throw new TypeError("A webhook's secret is whsec_ and Base64.");
  const key = await subtle.importKey("raw", material, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const bytes = signature.startsWith("v1,") ? bytesOfBase64(signature.slice(3)) : undefined;
    // It compares in constant time.
    if (bytes && (await subtle.verify("HMAC", key, bytes, signed))) return true;
  }
  return false;
}

const LONGEST_TOKEN_S = 7 * 24 * 3600;
const LONGEST_TOKEN_CHARS = 1000;
const ADDRESSES = {
  playlist: "playlistURL",
  manifest: "manifestURL",
  embed: "embedURL",
  thumbnail: "thumbnailURL",
  storyboard: "storyboardURL",
};

/**
 * Makes a playback token with a signing key of your organization, without asking the
 * service.
 */
export async function signPlaybackToken({
  videoID,
  key,
  kid,
  expiresInS = 3600,
  issuer = "hvcore",
  domains,
  use,
  notBefore,
}) {
  if (!videoID || !key || !kid) throw new TypeError("A token needs videoID, key and kid.");
  if (!(Number.isInteger(expiresInS) && expiresInS >= 1 && expiresInS <= LONGEST_TOKEN_S)) {
    throw new RangeError(`expiresInS must be from 1 to ${LONGEST_TOKEN_S}.`);
  }
  if (domains?.length === 0) throw new RangeError("domains must name a page; leave it out for all pages.");
  const now = Math.floor(Date.now() / 1000);
  const nbf = notBefore && Math.floor(notBefore.getTime() / 1000);
  const claims = { iss: issuer, sub: videoID, aud: videoID, iat: now, exp: now + expiresInS, nbf, domains, use };
  const { alg, sign } = await signer(key.trim());
  const parts = [{ alg, kid, typ: "JWT" }, claims].map((part) => base64url(utf8(JSON.stringify(part))));
  const signature = await sign(utf8(parts.join(".")));
  const token = [...parts, base64url(new Uint8Array(signature))].join(".");
  if (token.length > LONGEST_TOKEN_CHARS) {
    throw new RangeError("domains has too many entries; use patterns such as *.example.com.");
  }
  return token;
}

async function signer(key) {
  const { subtle } = await webCrypto();
  if (!key.startsWith("-----BEGIN")) {
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const secret = await subtle.importKey("raw", utf8(key), hmac, false, ["sign"]);
    return { alg: "HS256", sign: (data) => subtle.sign("HMAC", secret, data) };
  }
  const der = bytesOfBase64(key.replace(/-----[A-Z ]+-----|\s/g, ""));
  try {
    const secret = await subtle.importKey("pkcs8", der, { name: "Ed25519" }, false, ["sign"]);
    return { alg: "EdDSA", sign: (data) => subtle.sign("Ed25519", secret, data) };
  } catch {
    // Its own message might show parts of the key.
    throw new TypeError("The key must be a private Ed25519 key in PEM (PKCS#8), or a secret for HS256.");
  }
}

/**
 * Returns an address of a video's `playback`, with a token if it needs one.
 */
export function playbackURL(video, token, kind = "playlist") {
  const playback = video.playback ?? video;
  const address = playback[ADDRESSES[kind]];
  if (address === undefined) throw new TypeError(`There is no address ${kind}; take one of ${Object.keys(ADDRESSES).join(", ")}.`);
  if (!playback.needsToken) return address;
  if (!token) throw new TypeError("This video is private: its address needs a token.");
  return address.replace("{token}", encodeURIComponent(token));
}

/**
 * Returns the address of a picture of a video: its own one, or the one of a moment.
 */
export function pictureURL(video, token, { width = 640, height = 360, time, format = "jpg" } = {}) {
  return besideThumbnail(video, token, `${width}x${height}.${format}`, { time: tenths(time) });
}

/**
 * Returns the address of a moving picture (WebP) of a part of a video.
 */
export function animationURL(video, token, { start = 0, end, width = 320 } = {}) {
  return besideThumbnail(video, token, "animated.webp", { start: tenths(start), end: tenths(end), width });
}

function besideThumbnail(video, token, name, query) {
  const address = new URL(playbackURL(video, token, "thumbnail"));
  address.pathname = address.pathname.replace(/[^/]*$/, name);
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(key, value);
  }
  return address.href;
}

function tenths(seconds) {
  if (seconds === undefined) return undefined;
  if (!(seconds >= 0 && seconds < 1e6)) throw new RangeError("A moment is a number of seconds from the beginning.");
  // Cut, as the service does: rounded, the last moment may be behind the end.
  return (Math.floor(seconds * 10 + 1e-6) / 10).toFixed(1);
}

function utf8(text) {
  return new TextEncoder().encode(text);
}

function bytesOf(data) {
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function base64(bytes) {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function base64url(bytes) {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes; undefined if it is no Base64. */
function bytesOfBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** WebCrypto; of node 18, which has it in a module only. */
async function webCrypto() {
  if (globalThis.crypto) {
    if (globalThis.crypto.subtle) return globalThis.crypto;
    throw new Error("Browsers have WebCrypto on pages with https only.");
  }
  const { webcrypto } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:crypto");
  return webcrypto;
}

async function newIdempotencyKey() {
  // A page without https has random numbers, but neither randomUUID nor subtle.
  const source = globalThis.crypto ?? (await webCrypto());
  if (source.randomUUID) return source.randomUUID();
  const bytes = source.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
