/**
 * Types of `client.js`: the client of the API of a video hosting service.
 *
 * `python -m hvcore_client_generator` writes them: `source/types.d.ts`, and behind it what
 * the API's description has. A later service may know further words and members.
 */

export interface ClientOptions {
  /**
   * The API's address, such as `https://api.example.com`; by default the one from which
   * this module was loaded.
   */
  apiURL?: string | URL;
  /** Whoever has it can do what it may do: never send it to pages of strangers. */
  apiKey?: string;
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch;
  /** Of a request that may be repeated; 4 if it is left out. */
  maxTries?: number;
  /** Of one try; 60,000 if it is left out. */
  timeoutMs?: number;
}

export interface RequestOptions {
  signal?: AbortSignal;
  /** As those of the client, for one request. */
  maxTries?: number;
  timeoutMs?: number;
  /**
   * For operations that create something; made if it is left out. Give your own to get
   * the same answer again after your program was restarted.
   */
  idempotencyKey?: string;
}

export interface PlainRequest extends RequestOptions {
  query?: Record<string, string>;
  json?: unknown;
  body?: Content;
  headers?: Record<string, string>;
}

/** What a request sends as it is. */
export type Content = string | Blob | ArrayBuffer | ArrayBufferView;

export interface ContentBody<Type extends string> {
  body: Content;
  /** By default that of the Blob, else the first of these. */
  contentType?: Type;
}

/**
 * A list. Awaited, it is its first page; in `for await`, its items, page after page:
 *
 *     const { videos, pagination } = await client.listVideos();
 *     for await (const video of client.listVideos({ status: "ready" })) …
 */
export interface ListRequest<Page, Item> extends Promise<Page>, AsyncIterable<Item> {
  /**
   * Page after page, each without what an earlier one had; those of events have the
   * `cursor` to go on from later.
   */
  pages(): AsyncIterable<Page>;
}

export interface Progress {
  sentBytes: number;
  totalBytes: number;
}

export interface SendOptions {
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
  /** 8 MiB if it is left out. */
  chunkBytes?: number;
}

export interface UploadToOptions extends SendOptions {
  fetch?: typeof globalThis.fetch;
  /** How often in a row nothing may come through; 10 if it is left out. */
  maxTries?: number;
  /** Of one chunk; 120,000 if it is left out. What has come by then is kept. */
  timeoutMs?: number;
}

/** What is said of a video when its upload is made. */
export type UploadFields = Omit<VideoUploadRequest, "fileSize" | "parts">;

export interface UploadParams extends Partial<UploadFields>, SendOptions {
  /** The file's own name if it is left out. */
  fileName?: string;
  /** Called before the first byte is sent: keep `uploadURL`, and `uploadTo` can go on. */
  onCreated?: (upload: ResumableUpload) => void;
  idempotencyKey?: string;
}

export interface WaitOptions {
  /** For keys that reach several environments. */
  orgID?: string;
  /** 3600 if it is left out. */
  timeoutS?: number;
  /** How often the service is asked; 5 if it is left out. */
  everyS?: number;
  onProgress?: (details: VideoDetails) => void;
  signal?: AbortSignal;
}

export declare class HvClient {
  constructor(options?: ClientOptions);

  /**
   * Makes a resumable upload and sends a file to it; the video is processed from then on.
   */
  upload(file: Blob | ArrayBuffer | ArrayBufferView, params?: UploadParams): Promise<ResumableUpload>;

  /**
   * Asks again and again, and returns a video's details once it can be played.
   *
   * Throws `ProcessingFailedError` if it has failed, `StillProcessingError` if it is not
   * ready in time. While the service cannot be asked, it waits on.
   */
  waitUntilReady(videoID: string, options?: WaitOptions): Promise<VideoDetails>;

  /**
   * Asks for what is no method here, such as a route of a plugin. Returns the whole JSON,
   * or a text.
   */
  request(method: string, path: string, wanted?: PlainRequest): Promise<unknown>;
}

export interface HvClient extends Operations {}

/**
 * Sends a file to the address of a resumable upload (`uploadURL`), from where an earlier
 * call has stopped. Needs no key.
 */
export declare function uploadTo(
  url: string | URL,
  file: Blob | ArrayBuffer | ArrayBufferView,
  options?: UploadToOptions,
): Promise<void>;

/**
 * Returns the event of a webhook, or throws `WebhookVerificationError`.
 *
 * @param secret `whsec_…`; several while one is being replaced.
 * @param headers Those of the request.
 * @param body As it has arrived, before anything parses it.
 */
export declare function verifyWebhook(
  secret: string | readonly string[],
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>,
  body: string | ArrayBuffer | ArrayBufferView,
  options?: {
    /** How far its time may be off; 300 if it is left out. */
    toleranceS?: number;
  },
): Promise<WebhookEvent>;

export interface PlaybackTokenParams {
  videoID: string;
  /** The private Ed25519 key in PEM, or the secret for HS256. */
  key: string;
  /** The key's id. */
  kid: string;
  /** 3600 if it is left out; at most 7 days. */
  expiresInS?: number;
  /** The service's name; `hvcore` if it is left out. */
  issuer?: string;
  /** The pages that may use it; all if it is left out. */
  domains?: readonly string[];
  /** `thumbnail` opens pictures alone. */
  use?: "playback" | "thumbnail";
  notBefore?: Date;
}

/**
 * Makes a playback token with a signing key of your organization, without asking the
 * service. For servers: a page must not have the key.
 */
export declare function signPlaybackToken(params: PlaybackTokenParams): Promise<string>;

/**
 * Returns an address of a video, with a token if it needs one.
 *
 * @param video Details, an item of a list, an event, or their `playback`.
 */
export declare function playbackURL(
  video: Playback | { playback: Playback | null },
  token?: string,
  kind?: "playlist" | "manifest" | "embed" | "thumbnail" | "storyboard",
): string;

export interface PictureOptions {
  /** Pixels, 16 to 3840; 640 and 360 if they are left out. The picture is cropped to fill. */
  width?: number;
  height?: number;
  /** The moment that is shown, in seconds, in steps of 0.1; else the video's own picture is. */
  time?: number;
  format?: "jpg" | "webp";
}

export interface AnimationOptions {
  /** In seconds; the video's beginning if it is left out. */
  start?: number;
  /** At most 10 s after the start; 5 s if it is left out, or the video's end. */
  end?: number;
  /** The most pixels of a side, 16 to 640; 320 if it is left out. */
  width?: number;
}

/**
 * Returns the address of a picture of a video, with a token if it needs one.
 *
 * @param video As for `playbackURL`.
 */
export declare function pictureURL(
  video: Playback | { playback: Playback | null },
  token?: string,
  options?: PictureOptions,
): string;

/**
 * Returns the address of a moving picture (WebP) of a part of a video.
 *
 * @param video As for `playbackURL`.
 */
export declare function animationURL(
  video: Playback | { playback: Playback | null },
  token?: string,
  options?: AnimationOptions,
): string;

/** What the service refused, and why. */
export declare class ApiError extends Error {
  /** Of HTTP. */
  readonly status: number;
  /** For programs, such as `video_not_found`; empty if no API has answered. */
  readonly code: string;
  /** For people. */
  readonly detail: string;
  /** All problems of the request. */
  readonly errors: ProblemPart[];
  /** All that was answered. */
  readonly problem: Partial<Problem>;
  /** Name it when you ask the operator. */
  readonly requestID?: string;
  /** When the service wants to be asked again. */
  readonly retryAfterS?: number;
  /** When it was answered, by the clock of the service, if that is known. */
  readonly answeredAt?: Date;
  /** Whether a try before had no answer, and may have been carried out. */
  readonly followsLostAnswer: boolean;
}

/**
 * Somebody else changed it since it was read (412), so nothing was changed: read it
 * again, and send the change with the `etag` that it has then.
 */
export declare class PreconditionFailedError extends ApiError {}

/** The video is deleted already: nothing is left to delete. */
export declare class AlreadyDeletedError extends ApiError {}

/** No answer came, or none of the API. */
export declare class UnreachableError extends Error {
  /** Whether another try would end the same way. */
  readonly isFinal: boolean;
}

export declare class ProcessingFailedError extends Error {
  readonly videoID: string;
  readonly reason: string;
}

export declare class StillProcessingError extends Error {
  readonly videoID: string;
}

export declare class WebhookVerificationError extends Error {}
