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

export type AudioCodec = "aac" | "aac-he" | "aac-he-v2" | "mp3" | "ac3" | "eac3";

export type BreakdownBy = "country" | "referrer";

export type CaptionJobState = "waiting" | "running" | "ready" | "failed";

export type CaptionState = "ready";

export type ContentType =
  | "video/mp4"
  | "video/quicktime"
  | "video/x-msvideo"
  | "video/webm"
  | "video/x-matroska"
  | "video/matroska"
  | "video/x-m4v"
  | "video/avi"
  | "video/msvideo"
  | "video/vnd.avi"
  | "";

export type DeletedStatus = "deleted";

export type DeletedVideoStatus = "failed" | "ready";

export type DeletionReason =
  | "user_request"
  | "policy_violation"
  | "copyright_claim"
  | "expired_content"
  | "admin_action";

export type EncodingAudioFormat = "aac" | "aac-he" | "aac-he-v2" | "mp3" | "ac3" | "eac3" | "";

export type EnvironmentKind = "production" | "development";

export type ExportFormat = "json" | "csv" | "ndjson";

export type FindingLevel = "MUST" | "SHOULD" | "WARNING";

export type HealthStatus = "ok" | "degraded" | "down";

export type IgnoredReason =
  | "init"
  | "audio"
  | "playlist"
  | "other-file"
  | "head"
  | "not-modified"
  | "too-few-bytes"
  | "later-range"
  | "broken-off";

export type KeyType = "environment" | "full-access" | "system";

export type LiveRecords = "viewers" | "minutes";

export type LivenessStatus = "ok";

export type MaxEdgeLength = -1 | 480 | 720 | 1080 | 1440 | 2160;

export type Permission = "videos:read" | "videos:write" | "playback:sign" | "analytics:read";

export type PixelFormat =
  | "yuv420p"
  | "yuv422p"
  | "yuv444p"
  | "yuv420p10b"
  | "yuv422p10b"
  | "yuv444p10b"
  | "yuv420p12b"
  | "yuv422p12b"
  | "yuv444p12b"
  | "autoDetect";

export type Preset = "standard" | "high" | "ultra";

export type QualityRecords = "reports" | "sessions";

export type RateControl = "constantBitrate" | "variableBitrate";

export type RecordsBy = "day";

export type SessionsBy = "day" | "device" | "country";

export type SignedUrlExpiration = "15m" | "30m" | "1h" | "4h" | "24h" | "7d";

export type SortBy = "created_at" | "name" | "duration" | "status";

export type SortDir = "asc" | "desc";

export type Speed =
  | "ultrafast"
  | "superfast"
  | "veryfast"
  | "faster"
  | "fast"
  | "medium"
  | "slower"
  | "veryslow"
  | "ultraslow";

export type ThumbnailStatus = "ready" | "pending";

export type TranscriptFormat = "json" | "text" | "vtt" | "srt";

export type VideoEventKind =
  | "video.processing.completed"
  | "video.processing.failed"
  | "video.processing.started"
  | "video.updated"
  | "video.deleted"
  | "video.restored"
  | "video.captions.ready"
  | "video.captions.failed";

export type VideoEventStatus = "transcoding" | "ready" | "failed" | "deleted";

export type VideoRecords = "resolutions" | "summary";

export type VideoSort = "views" | "watchedSeconds" | "segments";

export type VideoStatus = "transcoding" | "ready" | "failed";

export interface BreakdownOfDay {
  deliveryDate: string;
  value: string;
  segmentsServed: number;
}

export interface BreakdownReport {
  summary: BreakdownSummary;
  breakdown: BreakdownOfDay[];
}

export interface BreakdownSummary {
  vidId: string;
  vidPublicId: string;
  vidName: string;
  vidNameValid: boolean;
  assetId: string;
  by: BreakdownBy;
  segmentsServed: number;
  breakdownValid: boolean;
}

export interface Caption {
  language: string;
  label: string;
  createdAt: string;
  cues: number;
  sizeBytes: number;
  generated: boolean;
  confidence: number | null;
  state: CaptionState;
}

export interface CaptionDefault {
  languages: string[];
  inherited: boolean;
}

export interface CaptionDefaultRequest {
  /** The languages that are spoken, auto for any; empty for no captions, null as the service does. */
  languages?: string[] | null;
}

export interface CaptionGenerationRequest {
  /** The languages that are spoken; auto for any, which is the default. */
  languages?: string[] | null;
}

export interface CaptionJob {
  wish: string;
  state: CaptionJobState;
  language: string | null;
  languageAssumed: boolean;
  progress: number;
  confidence: number | null;
  cues: number;
  reason: string | null;
  createdAt: string;
  changedAt: string;
}

export interface CaptionList {
  captions: Caption[];
  warnings?: string[];
  jobs?: CaptionJob[];
}

export interface Chapter {
  startSeconds: number;
  endSeconds: number;
  title: string;
}

export interface ChapterList {
  chapters: Chapter[];
  warnings?: string[];
}

export interface ConformanceFinding {
  rule: string;
  level: FindingLevel;
  says: string;
  source: string;
  file: string;
  place: string;
  message: string;
  chosenBy?: string;
}

export interface ConformanceReport {
  conformant: boolean;
  checkedAt: string;
  must: number;
  should: number;
  warnings: number;
  unlisted: number;
  findings: ConformanceFinding[];
  playlists: number;
  segments: number;
  readBytes: number;
}

export interface CountExplanationReport {
  explanation: ExplainedDay;
  resolutions: ExplainedResolution[];
  ignored: ExplainedReason[];
}

export interface CurrentViewers {
  currentViewers: number;
  currentViewersValid: boolean;
  windowSeconds: number;
  asOf: string;
  minutesValid: boolean;
}

export interface CustomThumbnailRequest {
  /** Where in the video the picture is taken. */
  timestampSeconds: number;
}

export interface DailyUsageReport {
  dailyUsage: UsageOfDay[];
}

export interface DeleteRequest {
  /** Why it is deleted. */
  reason?: DeletionReason | null;
}

export interface DeletedVideo {
  id: string;
  name: string;
  status: DeletedVideoStatus;
  duration: string;
  durationSeconds: number;
  allowPublicAccess: boolean;
  createdAt: string;
  deletedAt: string;
  restorableUntil: string;
  reason?: DeletionReason;
}

export interface DeletedVideoList {
  videos: DeletedVideo[];
  pagination: Pagination;
}

export interface Deletion {
  status: DeletedStatus;
  deletedAt: string;
  message: string;
  restorableUntil?: string;
}

export interface DownloadRequest {
  /** https address from which the service fetches the file. */
  sourceUrl: string;
}

export interface EdgeKey {
  edgeKey: string;
  videoID: string;
  domains: string[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  playbackURL: string;
  embedURL: string;
}

export interface EdgeKeyList {
  edgeKeys: EdgeKey[];
}

export interface EdgeKeyRequest {
  /** The pages that may use it, such as example.com or *.example.com; by default every page. One text with commas will do as well. */
  domains?: string[] | null;
  /** When it stops playing; by default never. */
  expiresAt?: string | null;
}

export interface Encoding {
  key: string;
  shortEdgePixels: number;
  shortEdgeIsWidth: boolean;
  videoStreamBitrate: number;
  audioStreamBitrate: number;
  audioFormat: EncodingAudioFormat;
  maxFrameRate: number;
  pixelFormat: PixelFormat;
  rateControlMode: RateControl;
  twoPassVBREncoding: boolean;
  compressionRatio: Speed;
}

export interface Environment {
  envID: string;
  orgID: string;
  name: string;
  kind: EnvironmentKind;
  createdAt: string;
}

export interface EnvironmentList {
  environments: Environment[];
}

export interface EnvironmentUsage {
  idpOrgId: string;
  envId: string;
  totalVideos: number;
  totalVideoDurationSeconds: number;
  totalSegmentsServed: number;
  videosUploadedInPeriod: number;
  segmentsServedInPeriod: number;
  firstVideoUploaded: string;
  firstVideoUploadedValid: boolean;
  lastSegmentServed: string;
  lastSegmentServedValid: boolean;
}

export interface ExplainedDay {
  vidId: string;
  vidPublicId: string;
  vidName: string;
  vidNameValid: boolean;
  assetId: string;
  deliveryDate: string;
  acceptedRequests: number;
  ignoredRequests: number;
  ignoredRequestsValid: boolean;
  segmentsServed: number;
  vidLengthSeconds: number;
  segmentSeconds: number;
  segmentsPerView: number;
  estimatedViews: number;
  formula: string;
  calculation: string;
}

export interface ExplainedReason {
  reason: IgnoredReason;
  meaning: string;
  requests: number;
}

export interface ExplainedResolution {
  resolutionHeight: number;
  acceptedRequests: number;
  ignoredRequests: number;
  ignoredByReason: IgnoredRequests[];
  firstServed: string;
  firstServedValid: boolean;
  lastServed: string;
  lastServedValid: boolean;
}

export interface FetchVideoRequest {
  /** Name of the file; shown, never part of a path. */
  fileName: string;
  /** https address from which the service fetches the file. */
  videoURL: string;
  /** Whether it plays without a token. By default `false`. */
  allowPublicAccess?: boolean | null;
  /** Which renditions are made. By default `"standard"`. */
  videoQuality?: Preset | null;
  /** Bytes that the file must have; at most 5 GiB. */
  fileSize?: number | null;
  /** Type of the file; recognised by its first bytes if missing. */
  contentType?: ContentType | null;
  /** Name of the video; the file's without its ending if missing. */
  videoName?: string | null;
  /** Text about the video. */
  description?: string | null;
  /** Cap of the short edge in pixels. By default `-1`. */
  maxEdgeLength?: MaxEdgeLength | null;
  /** Cap of the frames per second. By default `-1`. */
  maxFrameRate?: number | null;
  /** Chroma sampling and bit depth. By default `"yuv420p"`. */
  pixelFormat?: PixelFormat | null;
  /** How the bitrate adapts to the content. By default `"variableBitrate"`. */
  rateControlMode?: RateControl | null;
  /** Encode twice for a steadier quality. By default `false`. */
  twoPassVBREncoding?: boolean | null;
  /** Speed of the encoder; slower makes smaller files. By default `"veryfast"`. */
  compressionRatio?: Speed | null;
  /** Codec of the sound. By default `"aac"`. */
  audioCodec?: AudioCodec | null;
  /** Captions by machine: the spoken languages or auto; true is auto alone. */
  generateCaptions?: string[] | null;
  /** What you call the video; no other one of the environment may have it. */
  externalID?: string | null;
  /** Keys and texts that are kept with the video; at most 4 KB. */
  metadata?: Record<string, string> | null;
  /** Words by which lists are filtered. */
  tags?: string[] | null;
  /** Whether who may watch it may take it away, too. By default `false`. */
  allowDownload?: boolean | null;
}

export interface FetchedFile {
  bucketPath: string;
}

export interface FetchedVideo {
  assetId: string;
  videoID: string;
}

export interface Health {
  status: HealthStatus;
  version: string;
  checks: HealthChecks;
  lacks: string[];
  sandbox: string;
}

export interface HealthChecks {
  database: string;
  clock: string;
  storage: string;
  queue: string;
  disk: string;
  transcoder: string;
  [member: string]: string;
}

export interface IgnoredRequests {
  reason: IgnoredReason;
  requests: number;
}

export interface Liveness {
  status: LivenessStatus;
}

export interface Pagination {
  total: number;
  page: number;
  pageSize: number;
  totalPages: number;
  hasNext: boolean;
  hasPrevious: boolean;
  totalIsMinimum?: boolean;
}

export interface Playback {
  playlistURL: string;
  manifestURL: string;
  embedURL: string;
  thumbnailURL: string;
  storyboardURL: string;
  needsToken: boolean;
}

export interface PlaybackQualityOfDay {
  deliveryDate: string;
  reports: number;
  rebufferingReports: number;
  startupReports: number;
  throughputReports: number;
  avgThroughputKbps: number;
  minThroughputKbps: number;
  maxThroughputKbps: number;
  bufferReports: number;
  avgBufferMs: number;
  minBufferMs: number;
  maxBufferMs: number;
  bitrateReports: number;
  avgBitrateKbps: number;
  minBitrateKbps: number;
  maxBitrateKbps: number;
}

export interface PlaybackQualityReport {
  summary: PlaybackQualitySummary;
  playbackQuality: PlaybackQualityOfDay[];
  playbackSessions: PlaybackSessionsOfDay[];
}

export interface PlaybackQualitySummary {
  vidId: string;
  vidPublicId: string;
  vidName: string;
  vidNameValid: boolean;
  assetId: string;
  reports: number;
  playbackQualityValid: boolean;
  by: SessionsBy;
  sessions: number;
  sessionsReported: number;
  reportedShare: number;
  playbackSessionsValid: boolean;
}

export interface PlaybackSessionsOfDay {
  deliveryDate: string;
  value: string;
  sessions: number;
  sessionsReported: number;
  reportedShare: number;
  sessionsStarted: number;
  avgStartupMs: number;
  medianStartupMs: number;
  p95StartupMs: number;
  playedMs: number;
  rebufferingMs: number;
  rebufferingShare: number;
  rebufferings: number;
  playbackErrors: number;
}

export interface Problem {
  title: string;
  status: number;
  /** For programs; the texts are for people. */
  code: string;
  detail: string;
  errors: ProblemPart[];
  body?: Health;
}

export interface ProblemPart {
  message: string;
  location: string;
  /** What was sent there, of any type. */
  value: unknown;
}

export interface ProcessRequest {
  /** The `bucketPath` of an upload. */
  gcsPath: string;
  /** Which renditions are made. */
  videoQuality: Preset;
  /** Whether it plays without a token. */
  allowPublicAccess: boolean;
  /** Name of the video; the file's without its ending if missing. */
  videoName?: string | null;
  /** Cap of the short edge in pixels. By default `-1`. */
  maxEdgeLength?: MaxEdgeLength | null;
  /** Cap of the frames per second. By default `-1`. */
  maxFrameRate?: number | null;
  /** Chroma sampling and bit depth. By default `"yuv420p"`. */
  pixelFormat?: PixelFormat | null;
  /** How the bitrate adapts to the content. By default `"variableBitrate"`. */
  rateControlMode?: RateControl | null;
  /** Encode twice for a steadier quality. By default `false`. */
  twoPassVBREncoding?: boolean | null;
  /** Speed of the encoder; slower makes smaller files. By default `"veryfast"`. */
  compressionRatio?: Speed | null;
  /** Codec of the sound. By default `"aac"`. */
  audioCodec?: AudioCodec | null;
  /** Captions by machine: the spoken languages or auto; true is auto alone. */
  generateCaptions?: string[] | null;
  /** Text about the video. */
  description?: string | null;
  /** What you call the video; no other one of the environment may have it. */
  externalID?: string | null;
  /** Keys and texts that are kept with the video; at most 4 KB. */
  metadata?: Record<string, string> | null;
  /** Words by which lists are filtered. */
  tags?: string[] | null;
  /** Whether who may watch it may take it away, too. By default `false`. */
  allowDownload?: boolean | null;
}

export interface ProcessedVideo {
  videoID: string;
}

export interface QuotaUse {
  limit: number;
  used: number;
}

export interface QuotaUses {
  concurrentEncodes?: QuotaUse;
  encodedMinutesPerMonth?: QuotaUse;
  storedBytes?: QuotaUse;
  deliveredBytesPerMonth?: QuotaUse;
  captionMinutesPerMonth?: QuotaUse;
}

export interface Rendition {
  name: string;
  contentType: string;
  url: string;
  language?: string;
}

export interface ReportPagination {
  page: number;
  pageSize: number;
  hasNext: boolean;
  hasPrevious: boolean;
}

export interface ResolutionDistributionReport {
  distribution: ServedResolution[];
}

export interface ResumableUpload {
  uploadURL: string;
  bucketPath: string;
  expiresAt: number;
  assetId: string;
  videoID: string;
}

export interface ServedMinute {
  minute: string;
  segmentsServed: number;
}

export interface ServedResolution {
  resolutionHeight: number;
  segmentsServed: number;
  uniqueVideos: number;
  daysActive: number;
  firstServed: string;
  firstServedValid: boolean;
  lastServed: string;
  lastServedValid: boolean;
}

export interface ShareLink {
  shareID: string;
  videoID: string;
  shareURL: string;
  deliveryURL: string;
  createdAt: string;
  expiresAt: string;
  maxViews: number | null;
  views: number;
  viewerEmail: string | null;
  revokedAt: string | null;
}

export interface ShareLinkList {
  shares: ShareLink[];
}

export interface ShareRequest {
  /** By default `24`. */
  expirationHours?: number | null;
  /** How many playback sessions may begin; by default any number. */
  maxViews?: number | null;
  /** Only a viewer who enters the code that is sent to this address may watch. */
  viewerEmail?: string | null;
}

export interface SignedUrl {
  signed_url: string;
  expires_in: number;
}

export interface SnippetPart {
  text: string;
  isMatch: boolean;
}

export interface SpokenHit {
  startSeconds: number;
  language: string;
  snippet: SnippetPart[];
}

export interface StorageReport {
  storage: StoredVideos;
}

export interface StoredVideos {
  totalVideos: number;
  totalDurationSeconds: number;
  avgVideoDuration: number;
  ultraQualityDuration: number;
  highQualityDuration: number;
  standardQualityDuration: number;
}

export interface Thumbnail {
  videoID: string;
  thumbnailUrl: string;
  status: ThumbnailStatus;
}

export interface Transcript {
  language: string;
  generated: boolean;
  confidence: number | null;
  cues: TranscriptCue[];
}

export interface TranscriptCue {
  startSeconds: number;
  endSeconds: number;
  text: string;
  words: TranscriptWord[];
}

export interface TranscriptWord {
  text: string;
  startSeconds: number;
  endSeconds: number;
  confidence: number;
}

export interface UploadGrant {
  signedURL: string;
  bucketPath: string;
  expiresAt: number;
  direct?: boolean;
  contentType?: string;
  parts?: UploadPart[];
}

export interface UploadPart {
  partNumber: number;
  size: number;
  signedURL: string;
}

export interface UploadUrlRequest {
  /** Name of the file; shown, never part of a path. */
  filename: string;
  /** Bytes that will be sent; at most 5 GiB. */
  fileSize: number;
  /** Content type with which the file will be sent. By default `"video/mp4"`. */
  contentType?: ContentType | null;
  /** Text about the video. */
  description?: string | null;
  /** Whether it may be sent in parts, over 100 MiB and where the store can. By default `false`. */
  parts?: boolean | null;
}

export interface UsageOfDay {
  deliveryDate: string;
  segmentsServed: number;
  uniqueVideosServed: number;
  hdSegments: number;
  sdSegments: number;
  ldSegments: number;
  estimatedViews: number;
  watchedSeconds: number;
}

export interface UsageReport {
  usage: EnvironmentUsage[];
}

export interface VideoChangeRequest {
  videoName?: string | null;
  /** null removes it. */
  description?: string | null;
  allowPublicAccess?: boolean | null;
  /** null removes it. */
  externalID?: string | null;
  /** Keys that are not named stay; null removes a key, or all of them. */
  metadata?: Record<string, string | null> | null;
  /** In place of all tags; null removes them. */
  tags?: string[] | null;
  /** Whether who may watch it may take it away, too. */
  allowDownload?: boolean | null;
}

export interface VideoDetails {
  id: string;
  name: string;
  duration: string;
  durationSeconds: number;
  createdAt: string;
  thumbnailUrl: string;
  served: string;
  allowPublicAccess: boolean;
  videoQuality: Preset;
  playback: Playback;
  publicID: string;
  status: VideoStatusFlags;
  maxEdgeLength: MaxEdgeLength;
  maxFrameRate: number;
  pixelFormat: PixelFormat;
  rateControlMode: RateControl;
  twoPassVBREncoding: boolean;
  compressionRatio: Speed;
  audioCodec: AudioCodec;
  encodings: Encoding[];
  description?: string;
  externalID?: string;
  metadata?: Record<string, string>;
  tags?: string[];
  width?: number;
  height?: number;
  aspectRatio?: string;
  frameRate?: number;
  sourceBytes?: number;
  allowDownload?: boolean;
  renditions?: Rendition[];
  progress?: number;
  failureReason?: string;
  warnings?: string[];
  chapters?: Chapter[];
  effectiveAudioCodec?: AudioCodec;
  /** The answer's `ETag`: a change that is sent with it is refused if somebody else has changed the same thing since. */
  etag: string;
}

export interface VideoEvent {
  event: VideoEventKind;
  status: VideoEventStatus;
  videoId: string;
  id: string;
  timestamp: string;
  orgID: string;
  envID: string;
  sequence: number;
  error: string | null;
  playback: Playback | null;
  externalID?: string;
  metadata?: Record<string, string>;
  tags?: string[];
  durationSeconds?: number;
  width?: number;
  height?: number;
  aspectRatio?: string;
  frameRate?: number;
  sourceBytes?: number;
}

export interface VideoEventList {
  events: VideoEvent[];
  cursor: string;
  hasMore: boolean;
}

export interface VideoList {
  videos: VideoSummary[];
  pagination: Pagination;
}

export interface VideoResolution {
  vidId: string;
  vidPublicId: string;
  vidName: string;
  vidNameValid: boolean;
  resolutionHeight: number;
  timesServed: number;
  daysServed: number;
  firstServed: string;
  firstServedValid: boolean;
  lastServed: string;
  lastServedValid: boolean;
}

export interface VideoResolutionReport {
  summary: VideoResolutionSummary;
  resolutions: VideoResolution[];
}

export interface VideoResolutionSummary {
  vidId: string;
  vidPublicId: string;
  vidName: string;
  vidNameValid: boolean;
  assetId: string;
  vidLengthSeconds: number;
  availableResolutions: number;
  totalSegmentsServed: number;
  totalDaysServed: number;
  firstServed: string;
  firstServedValid: boolean;
  lastServed: string;
  lastServedValid: boolean;
  mostPopularResolution: number;
  mostPopularResolutionValid: boolean;
}

export interface VideoStatusFlags {
  ready: boolean;
  transcoding: boolean;
  failed: boolean;
}

export interface VideoSummary {
  id: string;
  name: string;
  duration: string;
  durationSeconds: number;
  createdAt: string;
  thumbnailUrl: string;
  served: string;
  allowPublicAccess: boolean;
  videoQuality: Preset;
  playback: Playback;
  status: VideoStatus;
  description?: string;
  externalID?: string;
  metadata?: Record<string, string>;
  tags?: string[];
  width?: number;
  height?: number;
  aspectRatio?: string;
  frameRate?: number;
  sourceBytes?: number;
  spokenHits?: SpokenHit[];
}

export interface VideoUploadGrant {
  signedURL: string;
  bucketPath: string;
  expiresAt: number;
  assetId: string;
  videoID: string;
  direct?: boolean;
  contentType?: string;
  parts?: UploadPart[];
}

export interface VideoUploadRequest {
  /** Name of the file; shown, never part of a path. */
  fileName: string;
  /** Whether it plays without a token. By default `false`. */
  allowPublicAccess?: boolean | null;
  /** Which renditions are made. By default `"standard"`. */
  videoQuality?: Preset | null;
  /** Bytes that the file must have; at most 5 GiB. */
  fileSize?: number | null;
  /** Type of the file; recognised by its first bytes if missing. */
  contentType?: ContentType | null;
  /** Name of the video; the file's without its ending if missing. */
  videoName?: string | null;
  /** Text about the video. */
  description?: string | null;
  /** Cap of the short edge in pixels. By default `-1`. */
  maxEdgeLength?: MaxEdgeLength | null;
  /** Cap of the frames per second. By default `-1`. */
  maxFrameRate?: number | null;
  /** Chroma sampling and bit depth. By default `"yuv420p"`. */
  pixelFormat?: PixelFormat | null;
  /** How the bitrate adapts to the content. By default `"variableBitrate"`. */
  rateControlMode?: RateControl | null;
  /** Encode twice for a steadier quality. By default `false`. */
  twoPassVBREncoding?: boolean | null;
  /** Speed of the encoder; slower makes smaller files. By default `"veryfast"`. */
  compressionRatio?: Speed | null;
  /** Codec of the sound. By default `"aac"`. */
  audioCodec?: AudioCodec | null;
  /** Captions by machine: the spoken languages or auto; true is auto alone. */
  generateCaptions?: string[] | null;
  /** What you call the video; no other one of the environment may have it. */
  externalID?: string | null;
  /** Keys and texts that are kept with the video; at most 4 KB. */
  metadata?: Record<string, string> | null;
  /** Words by which lists are filtered. */
  tags?: string[] | null;
  /** Whether who may watch it may take it away, too. By default `false`. */
  allowDownload?: boolean | null;
  /** Whether it may be sent in parts, over 100 MiB and where the store can. By default `false`. */
  parts?: boolean | null;
}

export interface ViewersReport {
  viewers: CurrentViewers;
  minutes: ServedMinute[];
}

export interface WatchedVideo {
  videoID: string;
  videoName: string;
  videoNameValid: boolean;
  segments: number;
  estimatedViews: number;
  watchedSeconds: number;
  lastServed: string;
  lastServedValid: boolean;
  deliveryDate?: string;
}

export interface WatchedVideosReport {
  videos: WatchedVideo[];
  pagination: ReportPagination;
}

export interface WebhookEvent {
  event: string;
  status: string;
  videoId: string;
  id: string;
  timestamp: string;
  orgID: string;
  envID: string;
  sequence: number;
  error: string | null;
  playback: Playback | null;
  externalID?: string;
  metadata?: Record<string, string>;
  tags?: string[];
  durationSeconds?: number;
  width?: number;
  height?: number;
  aspectRatio?: string;
  frameRate?: number;
  sourceBytes?: number;
}

export interface WhoAmI {
  orgID: string | null;
  envID: string | null;
  kind: EnvironmentKind | null;
  keyID: string;
  keyType: KeyType;
  name: string;
  permissions: Permission[];
  expiresAt: string | null;
  quotas: QuotaUses;
}

export interface CreateUploadUrlInEnvironmentParams extends UploadUrlRequest {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
}

export interface CreateUploadUrlParams extends VideoUploadRequest {}

export interface CompleteUploadParams {
  /** The video. */
  videoID: string;
}

export interface CreateVideoFromUrlParams extends FetchVideoRequest {}

export interface DownloadFileParams extends DownloadRequest {}

export interface CreateResumableUploadParams {
  uploadLength: number;
  uploadMetadata: UploadFields;
}

export interface ProcessVideoInEnvironmentParams extends ProcessRequest {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
}

export interface ProcessVideoParams extends ProcessRequest {}

export interface ListVideosInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
  /** Number of the page, from 1. By default `1`. */
  page?: number;
  /** Videos on a page. By default `20`. */
  pageSize?: number;
  /** What to sort by. By default `"created_at"`. */
  sortBy?: SortBy;
  /** Rising or falling. By default `"desc"`. */
  sortDir?: SortDir;
  /** Only those in this state. */
  status?: VideoStatus;
  /** Only those whose name contains this, in upper or lower case. */
  search?: string;
  /** Only those created on this UTC day or later. */
  from?: string;
  /** Only those created on this UTC day or earlier. */
  to?: string;
  /** Only the one that has this external ID. */
  externalID?: string;
  /** Only those with this tag. */
  tag?: string;
  /** Only those whose metadata has this key with this value, such as `order:4711`; of several, all must hold. */
  metadata?: string | string[];
  /** Only those that play without a token, or only those that need one. */
  allowPublicAccess?: boolean;
  /** Only those in which all of these words are said, by their captions in one language; each has `spokenHits`. */
  spoken?: string;
}

export interface ListVideosParams {
  /** Number of the page, from 1. By default `1`. */
  page?: number;
  /** Videos on a page. By default `20`. */
  pageSize?: number;
  /** What to sort by. By default `"created_at"`. */
  sortBy?: SortBy;
  /** Rising or falling. By default `"desc"`. */
  sortDir?: SortDir;
  /** Only those in this state. */
  status?: VideoStatus;
  /** Only those whose name contains this, in upper or lower case. */
  search?: string;
  /** Only those created on this UTC day or later. */
  from?: string;
  /** Only those created on this UTC day or earlier. */
  to?: string;
  /** Only the one that has this external ID. */
  externalID?: string;
  /** Only those with this tag. */
  tag?: string;
  /** Only those whose metadata has this key with this value, such as `order:4711`; of several, all must hold. */
  metadata?: string | string[];
  /** Only those that play without a token, or only those that need one. */
  allowPublicAccess?: boolean;
  /** Only those in which all of these words are said, by their captions in one language; each has `spokenHits`. */
  spoken?: string;
}

export interface GetVideoDetailsInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface GetVideoParams {
  /** The video. */
  videoID: string;
}

export interface DeleteVideoParams extends DeleteRequest {
  /** The video. */
  videoID: string;
  /** How many hours the video can be restored; 0: its files are removed at once. By default `0`. */
  keepHours?: number;
}

export interface UpdateVideoParams extends VideoChangeRequest {
  /** The video. */
  videoID: string;
  /** The `ETag` of the details that the change was made for: if one of their members was changed since, nothing is changed (412). Several may be sent, separated by commas. */
  ifMatch?: string;
}

export interface GetVideoDetailsParams {
  /** The video. */
  videoID: string;
}

export interface GetVideoConformanceInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface GetVideoConformanceParams {
  /** The video. */
  videoID: string;
}

export interface DeleteVideoInOrganizationParams extends DeleteRequest {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** How many hours the video can be restored; 0: its files are removed at once. By default `0`. */
  keepHours?: number;
}

export interface UpdateVideoInOrganizationParams extends VideoChangeRequest {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** The `ETag` of the details that the change was made for: if one of their members was changed since, nothing is changed (412). Several may be sent, separated by commas. */
  ifMatch?: string;
}

export interface ListDeletedVideosInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
  /** Number of the page, from 1. By default `1`. */
  page?: number;
  /** Videos on a page. By default `20`. */
  pageSize?: number;
}

export interface ListDeletedVideosParams {
  /** Number of the page, from 1. By default `1`. */
  page?: number;
  /** Videos on a page. By default `20`. */
  pageSize?: number;
}

export interface RestoreVideoInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface RestoreVideoParams {
  /** The video. */
  videoID: string;
}

export interface RetryVideoInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface RetryVideoParams {
  /** The video. */
  videoID: string;
}

export type SetThumbnailInOrganizationParams = {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
} & (CustomThumbnailRequest | ContentBody<"image/jpeg" | "image/png">);

export type SetThumbnailParams = {
  /** The video. */
  videoID: string;
} & (CustomThumbnailRequest | ContentBody<"image/jpeg" | "image/png">);

export interface GetCaptionDefaultsInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
}

export interface SetCaptionDefaultsInEnvironmentParams extends CaptionDefaultRequest {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
}

export interface SetCaptionDefaultsParams extends CaptionDefaultRequest {}

export interface ListCaptionsInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface GenerateCaptionsInOrganizationParams extends CaptionGenerationRequest {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface CancelCaptionsInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface GetTranscriptInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** A language tag, such as `en` or `pt-BR`. */
  language: string;
  /** The format; by default that of the header Accept, or JSON. */
  format?: TranscriptFormat;
}

export type SetCaptionsInOrganizationParams = {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** A language tag, such as `en` or `pt-BR`. */
  language: string;
  /** The name that viewers see; by default the language's tag. */
  label?: string;
} & ContentBody<"text/vtt" | "application/x-subrip" | "text/plain" | "application/octet-stream">;

export interface RemoveCaptionsInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** A language tag, such as `en` or `pt-BR`. */
  language: string;
}

export interface ListCaptionsParams {
  /** The video. */
  videoID: string;
}

export interface GenerateCaptionsParams extends CaptionGenerationRequest {
  /** The video. */
  videoID: string;
}

export interface CancelCaptionsParams {
  /** The video. */
  videoID: string;
}

export interface GetTranscriptParams {
  /** The video. */
  videoID: string;
  /** A language tag, such as `en` or `pt-BR`. */
  language: string;
  /** The format; by default that of the header Accept, or JSON. */
  format?: TranscriptFormat;
}

export type SetCaptionsParams = {
  /** The video. */
  videoID: string;
  /** A language tag, such as `en` or `pt-BR`. */
  language: string;
  /** The name that viewers see; by default the language's tag. */
  label?: string;
} & ContentBody<"text/vtt" | "application/x-subrip" | "text/plain" | "application/octet-stream">;

export interface RemoveCaptionsParams {
  /** The video. */
  videoID: string;
  /** A language tag, such as `en` or `pt-BR`. */
  language: string;
}

export interface ListChaptersInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export type SetChaptersInOrganizationParams = {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
} & ContentBody<"text/vtt" | "text/plain" | "application/octet-stream">;

export interface RemoveChaptersInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface ListChaptersParams {
  /** The video. */
  videoID: string;
}

export type SetChaptersParams = {
  /** The video. */
  videoID: string;
} & ContentBody<"text/vtt" | "text/plain" | "application/octet-stream">;

export interface RemoveChaptersParams {
  /** The video. */
  videoID: string;
}

export interface GetSignedUrlInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** How long the address works. By default `"1h"`. */
  expiration?: SignedUrlExpiration;
  /** Host names of the pages that may play it, separated by commas; `*.` in front includes all subdomains. */
  domains?: string;
}

export interface GetSignedUrlParams {
  /** The video. */
  videoID: string;
  /** How long the address works. By default `"1h"`. */
  expiration?: SignedUrlExpiration;
  /** Host names of the pages that may play it, separated by commas; `*.` in front includes all subdomains. */
  domains?: string;
}

export interface GetSourceUrlInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** How long the address works. By default `"1h"`. */
  expiration?: SignedUrlExpiration;
}

export interface GetSourceUrlParams {
  /** The video. */
  videoID: string;
  /** How long the address works. By default `"1h"`. */
  expiration?: SignedUrlExpiration;
}

export interface ListEdgeKeysInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface CreateEdgeKeyInOrganizationParams extends EdgeKeyRequest {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface RevokeVideoEdgeKeyInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** The edge key. */
  edgeKey: string;
}

export interface CreateShareLinkInOrganizationParams extends ShareRequest {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface ListShareLinksInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
}

export interface RevokeShareLinkInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** The share link. */
  shareID: string;
}

export interface GetEdgeKeyInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The edge key. */
  edgeKey: string;
}

export interface RevokeEdgeKeyInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The edge key. */
  edgeKey: string;
}

export interface ListEdgeKeysParams {
  /** The video. */
  videoID: string;
}

export interface CreateEdgeKeyParams extends EdgeKeyRequest {
  /** The video. */
  videoID: string;
}

export interface RevokeVideoEdgeKeyParams {
  /** The video. */
  videoID: string;
  /** The edge key. */
  edgeKey: string;
}

export interface CreateShareLinkParams extends ShareRequest {
  /** The video. */
  videoID: string;
}

export interface ListShareLinksParams {
  /** The video. */
  videoID: string;
}

export interface RevokeShareLinkParams {
  /** The video. */
  videoID: string;
  /** The share link. */
  shareID: string;
}

export interface GetEdgeKeyParams {
  /** The edge key. */
  edgeKey: string;
}

export interface RevokeEdgeKeyParams {
  /** The edge key. */
  edgeKey: string;
}

export interface GetUsageInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** By default `30`. */
  periodDays?: number;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetUsageInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
  /** By default `30`. */
  periodDays?: number;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetUsageParams {
  /** By default `30`. */
  periodDays?: number;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetDailyUsageInOrganizationParams {
  /** The organization. */
  orgID: string;
  startDate?: string;
  endDate?: string;
  /** By default `false`. */
  fill?: boolean;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetDailyUsageInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
  startDate?: string;
  endDate?: string;
  /** By default `false`. */
  fill?: boolean;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetDailyUsageParams {
  startDate?: string;
  endDate?: string;
  /** By default `false`. */
  fill?: boolean;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface ListWatchedVideosInOrganizationParams {
  /** The organization. */
  orgID: string;
  startDate?: string;
  endDate?: string;
  /** What to sort by. By default `"views"`. */
  sortBy?: VideoSort;
  /** Rising or falling. By default `"desc"`. */
  sortDir?: SortDir;
  /** Number of the page, from 1. Without it and `pageSize`, a file has all records. */
  page?: number;
  /** Records on a page; 20 if there is none. */
  pageSize?: number;
  /** `day`: a record for each video and day, by day first. */
  by?: RecordsBy;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface ListWatchedVideosInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
  startDate?: string;
  endDate?: string;
  /** What to sort by. By default `"views"`. */
  sortBy?: VideoSort;
  /** Rising or falling. By default `"desc"`. */
  sortDir?: SortDir;
  /** Number of the page, from 1. Without it and `pageSize`, a file has all records. */
  page?: number;
  /** Records on a page; 20 if there is none. */
  pageSize?: number;
  /** `day`: a record for each video and day, by day first. */
  by?: RecordsBy;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface ListWatchedVideosParams {
  startDate?: string;
  endDate?: string;
  /** What to sort by. By default `"views"`. */
  sortBy?: VideoSort;
  /** Rising or falling. By default `"desc"`. */
  sortDir?: SortDir;
  /** Number of the page, from 1. Without it and `pageSize`, a file has all records. */
  page?: number;
  /** Records on a page; 20 if there is none. */
  pageSize?: number;
  /** `day`: a record for each video and day, by day first. */
  by?: RecordsBy;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetVideoDailyUsageInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  startDate?: string;
  endDate?: string;
  /** By default `false`. */
  fill?: boolean;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetVideoDailyUsageParams {
  /** The video. */
  videoID: string;
  startDate?: string;
  endDate?: string;
  /** By default `false`. */
  fill?: boolean;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetStorageUsageInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetStorageUsageInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetStorageUsageParams {
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetResolutionDistributionInOrganizationParams {
  /** The organization. */
  orgID: string;
  startDate?: string;
  endDate?: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetResolutionDistributionInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
  startDate?: string;
  endDate?: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetResolutionDistributionParams {
  startDate?: string;
  endDate?: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetVideoResolutionsInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  startDate?: string;
  endDate?: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the record of each height or the summary. By default `"resolutions"`. */
  records?: VideoRecords;
}

export interface GetVideoResolutionsParams {
  /** The video. */
  videoID: string;
  startDate?: string;
  endDate?: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the record of each height or the summary. By default `"resolutions"`. */
  records?: VideoRecords;
}

export interface ExplainVideoCountInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** A UTC day; today if there is none. */
  date?: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface ExplainVideoCountParams {
  /** The video. */
  videoID: string;
  /** A UTC day; today if there is none. */
  date?: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetVideoPlaybackQualityInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  startDate?: string;
  endDate?: string;
  /** Whether the sessions of a day are told apart by device or by country. By default `"day"`. */
  by?: SessionsBy;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the reports with segments or the sessions. By default `"reports"`. */
  records?: QualityRecords;
}

export interface GetVideoPlaybackQualityParams {
  /** The video. */
  videoID: string;
  startDate?: string;
  endDate?: string;
  /** Whether the sessions of a day are told apart by device or by country. By default `"day"`. */
  by?: SessionsBy;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the reports with segments or the sessions. By default `"reports"`. */
  records?: QualityRecords;
}

export interface GetVideoBreakdownInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  startDate?: string;
  endDate?: string;
  /** By default `"country"`. */
  by?: BreakdownBy;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetVideoBreakdownParams {
  /** The video. */
  videoID: string;
  startDate?: string;
  endDate?: string;
  /** By default `"country"`. */
  by?: BreakdownBy;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
}

export interface GetViewersInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the one record of now or those of minutes. By default `"viewers"`. */
  records?: LiveRecords;
}

export interface GetViewersInEnvironmentParams {
  /** The organization. */
  orgID: string;
  /** The environment: its identifier or its short name. */
  envID: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the one record of now or those of minutes. By default `"viewers"`. */
  records?: LiveRecords;
}

export interface GetViewersParams {
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the one record of now or those of minutes. By default `"viewers"`. */
  records?: LiveRecords;
}

export interface GetVideoViewersInOrganizationParams {
  /** The organization. */
  orgID: string;
  /** The video. */
  videoID: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the one record of now or those of minutes. By default `"viewers"`. */
  records?: LiveRecords;
}

export interface GetVideoViewersParams {
  /** The video. */
  videoID: string;
  /** `csv` or `ndjson`: the records alone, as a table with a header row or as one JSON document a line. Without it, `Accept` decides. */
  format?: ExportFormat;
  /** Whether a file holds the one record of now or those of minutes. By default `"viewers"`. */
  records?: LiveRecords;
}

export interface ListEventsParams {
  /** The cursor of an earlier answer; without it, the list begins with the oldest event. */
  after?: string;
  /** By default `50`. */
  limit?: number;
  /** Kinds separated by commas; by default all kinds. */
  event?: string;
}

export interface ListEnvironmentsInOrganizationParams {
  /** The organization. */
  orgID: string;
}

export interface Operations {
  /**
   * Get an address to send a file to.
   *
   * Needs the permission `videos:write`. Counts under the limit `upload-url`.
   */
  createUploadUrlInEnvironment(params: CreateUploadUrlInEnvironmentParams, options?: RequestOptions): Promise<UploadGrant>;
  /**
   * Get an address to send a file to, which is processed on arrival.
   *
   * Needs the permission `videos:write`. Counts under the limit `upload-url`.
   */
  createUploadUrl(params: CreateUploadUrlParams, options?: RequestOptions): Promise<VideoUploadGrant>;
  /**
   * Process an upload at once that was sent straight to the store.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  completeUpload(params: CompleteUploadParams, options?: RequestOptions): Promise<ProcessedVideo>;
  /**
   * Make a video of the file at an address.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  createVideoFromUrl(params: CreateVideoFromUrlParams, options?: RequestOptions): Promise<FetchedVideo>;
  /**
   * Fetch the file at an address, to be processed.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  downloadFile(params: DownloadFileParams, options?: RequestOptions): Promise<FetchedFile>;
  /**
   * Create a resumable upload (tus 1.0), which is processed on arrival.
   *
   * Needs the permission `videos:write`. Counts under the limit `upload-url`.
   */
  createResumableUpload(params: CreateResumableUploadParams, options?: RequestOptions): Promise<ResumableUpload>;
  /**
   * Ask what resumable uploads can do.
   *
   * Needs no key.
   */
  getResumableUploadOptions(params?: {}, options?: RequestOptions): Promise<void>;
  /**
   * Make a video of uploaded bytes.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  processVideoInEnvironment(params: ProcessVideoInEnvironmentParams, options?: RequestOptions): Promise<ProcessedVideo>;
  /**
   * Make a video of uploaded bytes.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  processVideo(params: ProcessVideoParams, options?: RequestOptions): Promise<ProcessedVideo>;
  /**
   * List an environment's videos.
   *
   * Needs the permission `videos:read`.
   */
  listVideosInEnvironment(params: ListVideosInEnvironmentParams, options?: RequestOptions): ListRequest<VideoList, VideoSummary>;
  /**
   * List the videos of the key's environment.
   *
   * Needs the permission `videos:read`.
   */
  listVideos(params?: ListVideosParams, options?: RequestOptions): ListRequest<VideoList, VideoSummary>;
  /**
   * Describe a video.
   *
   * Needs the permission `videos:read`.
   */
  getVideoDetailsInOrganization(params: GetVideoDetailsInOrganizationParams, options?: RequestOptions): Promise<VideoDetails>;
  /**
   * Describe a video.
   *
   * Needs the permission `videos:read`.
   */
  getVideo(params: GetVideoParams, options?: RequestOptions): Promise<VideoDetails>;
  /**
   * Delete a video, for good or so that it can be restored for some hours.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  deleteVideo(params: DeleteVideoParams, options?: RequestOptions): Promise<Deletion>;
  /**
   * Change a video's name, description, visibility or labels.
   *
   * Needs the permission `videos:write`.
   */
  updateVideo(params: UpdateVideoParams, options?: RequestOptions): Promise<VideoDetails>;
  /**
   * Describe a video.
   *
   * Needs the permission `videos:read`.
   */
  getVideoDetails(params: GetVideoDetailsParams, options?: RequestOptions): Promise<VideoDetails>;
  /**
   * Get the findings of the check of a finished video.
   *
   * Needs the permission `videos:read`.
   */
  getVideoConformanceInOrganization(params: GetVideoConformanceInOrganizationParams, options?: RequestOptions): Promise<ConformanceReport>;
  /**
   * Get the findings of the check of a finished video.
   *
   * Needs the permission `videos:read`.
   */
  getVideoConformance(params: GetVideoConformanceParams, options?: RequestOptions): Promise<ConformanceReport>;
  /**
   * Delete a video, for good or so that it can be restored for some hours.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  deleteVideoInOrganization(params: DeleteVideoInOrganizationParams, options?: RequestOptions): Promise<Deletion>;
  /**
   * Change a video's name, description, visibility or labels.
   *
   * Needs the permission `videos:write`.
   */
  updateVideoInOrganization(params: UpdateVideoInOrganizationParams, options?: RequestOptions): Promise<VideoDetails>;
  /**
   * List the deleted videos that can be restored, the last deleted first.
   *
   * Needs the permission `videos:read`.
   */
  listDeletedVideosInEnvironment(params: ListDeletedVideosInEnvironmentParams, options?: RequestOptions): ListRequest<DeletedVideoList, DeletedVideo>;
  /**
   * List the deleted videos that can be restored, the last deleted first.
   *
   * Needs the permission `videos:read`.
   */
  listDeletedVideos(params?: ListDeletedVideosParams, options?: RequestOptions): ListRequest<DeletedVideoList, DeletedVideo>;
  /**
   * Restore a deleted video, with everything that it had.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  restoreVideoInOrganization(params: RestoreVideoInOrganizationParams, options?: RequestOptions): Promise<VideoDetails>;
  /**
   * Restore a deleted video, with everything that it had.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  restoreVideo(params: RestoreVideoParams, options?: RequestOptions): Promise<VideoDetails>;
  /**
   * Process a failed video again, with the same settings.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  retryVideoInOrganization(params: RetryVideoInOrganizationParams, options?: RequestOptions): Promise<ProcessedVideo>;
  /**
   * Process a failed video again, with the same settings.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  retryVideo(params: RetryVideoParams, options?: RequestOptions): Promise<ProcessedVideo>;
  /**
   * Choose a video's picture: a moment of it, or one that is sent.
   *
   * Needs the permission `videos:write`. Counts under the limit `thumbnails`.
   */
  setThumbnailInOrganization(params: SetThumbnailInOrganizationParams, options?: RequestOptions): Promise<Thumbnail>;
  /**
   * Choose a video's picture: a moment of it, or one that is sent.
   *
   * Needs the permission `videos:write`. Counts under the limit `thumbnails`.
   */
  setThumbnail(params: SetThumbnailParams, options?: RequestOptions): Promise<Thumbnail>;
  /**
   * Get which captions a machine makes of new videos.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  getCaptionDefaultsInEnvironment(params: GetCaptionDefaultsInEnvironmentParams, options?: RequestOptions): Promise<CaptionDefault>;
  /**
   * Set which captions a machine makes of new videos.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  setCaptionDefaultsInEnvironment(params: SetCaptionDefaultsInEnvironmentParams, options?: RequestOptions): Promise<CaptionDefault>;
  /**
   * Get which captions a machine makes of new videos.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  getCaptionDefaults(params?: {}, options?: RequestOptions): Promise<CaptionDefault>;
  /**
   * Set which captions a machine makes of new videos.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  setCaptionDefaults(params: SetCaptionDefaultsParams, options?: RequestOptions): Promise<CaptionDefault>;
  /**
   * List a video's captions.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  listCaptionsInOrganization(params: ListCaptionsInOrganizationParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * Order captions of a video by machine.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  generateCaptionsInOrganization(params: GenerateCaptionsInOrganizationParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * Cancel captions by machine that are being made.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  cancelCaptionsInOrganization(params: CancelCaptionsInOrganizationParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * Get what is said in a video: JSON with words, text, WebVTT or SubRip.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  getTranscriptInOrganization(params: GetTranscriptInOrganizationParams & { format: Exclude<TranscriptFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getTranscriptInOrganization(params: GetTranscriptInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<Transcript>;
  /**
   * Set a video's captions in a language: WebVTT or SubRip.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  setCaptionsInOrganization(params: SetCaptionsInOrganizationParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * Remove a video's captions in a language.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  removeCaptionsInOrganization(params: RemoveCaptionsInOrganizationParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * List a video's captions.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  listCaptions(params: ListCaptionsParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * Order captions of a video by machine.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  generateCaptions(params: GenerateCaptionsParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * Cancel captions by machine that are being made.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  cancelCaptions(params: CancelCaptionsParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * Get what is said in a video: JSON with words, text, WebVTT or SubRip.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  getTranscript(params: GetTranscriptParams & { format: Exclude<TranscriptFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getTranscript(params: GetTranscriptParams & { format?: "json" }, options?: RequestOptions): Promise<Transcript>;
  /**
   * Set a video's captions in a language: WebVTT or SubRip.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  setCaptions(params: SetCaptionsParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * Remove a video's captions in a language.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  removeCaptions(params: RemoveCaptionsParams, options?: RequestOptions): Promise<CaptionList>;
  /**
   * List a video's chapters.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  listChaptersInOrganization(params: ListChaptersInOrganizationParams, options?: RequestOptions): Promise<ChapterList>;
  /**
   * Set a video's chapters: a WebVTT file, a cue for each.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  setChaptersInOrganization(params: SetChaptersInOrganizationParams, options?: RequestOptions): Promise<ChapterList>;
  /**
   * Remove a video's chapters.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  removeChaptersInOrganization(params: RemoveChaptersInOrganizationParams, options?: RequestOptions): Promise<ChapterList>;
  /**
   * List a video's chapters.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  listChapters(params: ListChaptersParams, options?: RequestOptions): Promise<ChapterList>;
  /**
   * Set a video's chapters: a WebVTT file, a cue for each.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  setChapters(params: SetChaptersParams, options?: RequestOptions): Promise<ChapterList>;
  /**
   * Remove a video's chapters.
   *
   * Needs the permission `videos:write`. Counts under the limit `video-operations`.
   */
  removeChapters(params: RemoveChaptersParams, options?: RequestOptions): Promise<ChapterList>;
  /**
   * Get an address that plays a private video for a time.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  getSignedUrlInOrganization(params: GetSignedUrlInOrganizationParams, options?: RequestOptions): Promise<SignedUrl>;
  /**
   * Get an address that plays a private video for a time.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  getSignedUrl(params: GetSignedUrlParams, options?: RequestOptions): Promise<SignedUrl>;
  /**
   * Get an address of the file that a video was made of, for a time.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  getSourceUrlInOrganization(params: GetSourceUrlInOrganizationParams, options?: RequestOptions): Promise<SignedUrl>;
  /**
   * Get an address of the file that a video was made of, for a time.
   *
   * Needs the permission `videos:read`. Counts under the limit `video-operations`.
   */
  getSourceUrl(params: GetSourceUrlParams, options?: RequestOptions): Promise<SignedUrl>;
  /**
   * List a video's edge keys, newest first.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  listEdgeKeysInOrganization(params: ListEdgeKeysInOrganizationParams, options?: RequestOptions): Promise<EdgeKeyList>;
  /**
   * Make an edge key, which plays a video until it is revoked.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  createEdgeKeyInOrganization(params: CreateEdgeKeyInOrganizationParams, options?: RequestOptions): Promise<EdgeKey>;
  /**
   * Revoke an edge key of a video.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  revokeVideoEdgeKeyInOrganization(params: RevokeVideoEdgeKeyInOrganizationParams, options?: RequestOptions): Promise<EdgeKey>;
  /**
   * Make a link that plays a video for a time or some views.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  createShareLinkInOrganization(params: CreateShareLinkInOrganizationParams, options?: RequestOptions): Promise<ShareLink>;
  /**
   * List a video's share links, newest first.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  listShareLinksInOrganization(params: ListShareLinksInOrganizationParams, options?: RequestOptions): Promise<ShareLinkList>;
  /**
   * Revoke a share link; its sessions end.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  revokeShareLinkInOrganization(params: RevokeShareLinkInOrganizationParams, options?: RequestOptions): Promise<ShareLink>;
  /**
   * Get an edge key, revoked or not.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  getEdgeKeyInOrganization(params: GetEdgeKeyInOrganizationParams, options?: RequestOptions): Promise<EdgeKey>;
  /**
   * Revoke an edge key.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  revokeEdgeKeyInOrganization(params: RevokeEdgeKeyInOrganizationParams, options?: RequestOptions): Promise<EdgeKey>;
  /**
   * List a video's edge keys, newest first.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  listEdgeKeys(params: ListEdgeKeysParams, options?: RequestOptions): Promise<EdgeKeyList>;
  /**
   * Make an edge key, which plays a video until it is revoked.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  createEdgeKey(params: CreateEdgeKeyParams, options?: RequestOptions): Promise<EdgeKey>;
  /**
   * Revoke an edge key of a video.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  revokeVideoEdgeKey(params: RevokeVideoEdgeKeyParams, options?: RequestOptions): Promise<EdgeKey>;
  /**
   * Make a link that plays a video for a time or some views.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  createShareLink(params: CreateShareLinkParams, options?: RequestOptions): Promise<ShareLink>;
  /**
   * List a video's share links, newest first.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  listShareLinks(params: ListShareLinksParams, options?: RequestOptions): Promise<ShareLinkList>;
  /**
   * Revoke a share link; its sessions end.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  revokeShareLink(params: RevokeShareLinkParams, options?: RequestOptions): Promise<ShareLink>;
  /**
   * Get an edge key, revoked or not.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  getEdgeKey(params: GetEdgeKeyParams, options?: RequestOptions): Promise<EdgeKey>;
  /**
   * Revoke an edge key.
   *
   * Needs the permission `playback:sign`. Counts under the limit `video-operations`.
   */
  revokeEdgeKey(params: RevokeEdgeKeyParams, options?: RequestOptions): Promise<EdgeKey>;
  /**
   * Report what each environment holds and what was served of it.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getUsageInOrganization(params: GetUsageInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getUsageInOrganization(params: GetUsageInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<UsageReport>;
  /**
   * Report what each environment holds and what was served of it.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getUsageInEnvironment(params: GetUsageInEnvironmentParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getUsageInEnvironment(params: GetUsageInEnvironmentParams & { format?: "json" }, options?: RequestOptions): Promise<UsageReport>;
  /**
   * Report what each environment holds and what was served of it.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getUsage(params: GetUsageParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getUsage(params?: GetUsageParams & { format?: "json" }, options?: RequestOptions): Promise<UsageReport>;
  /**
   * Report what was served on each day.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getDailyUsageInOrganization(params: GetDailyUsageInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getDailyUsageInOrganization(params: GetDailyUsageInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<DailyUsageReport>;
  /**
   * Report what was served on each day.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getDailyUsageInEnvironment(params: GetDailyUsageInEnvironmentParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getDailyUsageInEnvironment(params: GetDailyUsageInEnvironmentParams & { format?: "json" }, options?: RequestOptions): Promise<DailyUsageReport>;
  /**
   * Report what was served on each day.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getDailyUsage(params: GetDailyUsageParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getDailyUsage(params?: GetDailyUsageParams & { format?: "json" }, options?: RequestOptions): Promise<DailyUsageReport>;
  /**
   * Report the views and the watched time of each video.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  listWatchedVideosInOrganization(params: ListWatchedVideosInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  listWatchedVideosInOrganization(params: ListWatchedVideosInOrganizationParams & { format?: "json" }, options?: RequestOptions): ListRequest<WatchedVideosReport, WatchedVideo>;
  /**
   * Report the views and the watched time of each video.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  listWatchedVideosInEnvironment(params: ListWatchedVideosInEnvironmentParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  listWatchedVideosInEnvironment(params: ListWatchedVideosInEnvironmentParams & { format?: "json" }, options?: RequestOptions): ListRequest<WatchedVideosReport, WatchedVideo>;
  /**
   * Report the views and the watched time of each video.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  listWatchedVideos(params: ListWatchedVideosParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  listWatchedVideos(params?: ListWatchedVideosParams & { format?: "json" }, options?: RequestOptions): ListRequest<WatchedVideosReport, WatchedVideo>;
  /**
   * Report what was watched of a video on each day.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoDailyUsageInOrganization(params: GetVideoDailyUsageInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoDailyUsageInOrganization(params: GetVideoDailyUsageInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<DailyUsageReport>;
  /**
   * Report what was watched of a video on each day.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoDailyUsage(params: GetVideoDailyUsageParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoDailyUsage(params: GetVideoDailyUsageParams & { format?: "json" }, options?: RequestOptions): Promise<DailyUsageReport>;
  /**
   * Report how much is stored.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getStorageUsageInOrganization(params: GetStorageUsageInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getStorageUsageInOrganization(params: GetStorageUsageInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<StorageReport>;
  /**
   * Report how much is stored.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getStorageUsageInEnvironment(params: GetStorageUsageInEnvironmentParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getStorageUsageInEnvironment(params: GetStorageUsageInEnvironmentParams & { format?: "json" }, options?: RequestOptions): Promise<StorageReport>;
  /**
   * Report how much is stored.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getStorageUsage(params: GetStorageUsageParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getStorageUsage(params?: GetStorageUsageParams & { format?: "json" }, options?: RequestOptions): Promise<StorageReport>;
  /**
   * Report what was served of each resolution.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getResolutionDistributionInOrganization(params: GetResolutionDistributionInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getResolutionDistributionInOrganization(params: GetResolutionDistributionInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<ResolutionDistributionReport>;
  /**
   * Report what was served of each resolution.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getResolutionDistributionInEnvironment(params: GetResolutionDistributionInEnvironmentParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getResolutionDistributionInEnvironment(params: GetResolutionDistributionInEnvironmentParams & { format?: "json" }, options?: RequestOptions): Promise<ResolutionDistributionReport>;
  /**
   * Report what was served of each resolution.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getResolutionDistribution(params: GetResolutionDistributionParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getResolutionDistribution(params?: GetResolutionDistributionParams & { format?: "json" }, options?: RequestOptions): Promise<ResolutionDistributionReport>;
  /**
   * Report what was served of a video, by resolution.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoResolutionsInOrganization(params: GetVideoResolutionsInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoResolutionsInOrganization(params: GetVideoResolutionsInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<VideoResolutionReport>;
  /**
   * Report what was served of a video, by resolution.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoResolutions(params: GetVideoResolutionsParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoResolutions(params: GetVideoResolutionsParams & { format?: "json" }, options?: RequestOptions): Promise<VideoResolutionReport>;
  /**
   * Show how the count of a video's day came about.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  explainVideoCountInOrganization(params: ExplainVideoCountInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  explainVideoCountInOrganization(params: ExplainVideoCountInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<CountExplanationReport>;
  /**
   * Show how the count of a video's day came about.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  explainVideoCount(params: ExplainVideoCountParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  explainVideoCount(params: ExplainVideoCountParams & { format?: "json" }, options?: RequestOptions): Promise<CountExplanationReport>;
  /**
   * Report how playback of a video went, as players measured it, by day.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoPlaybackQualityInOrganization(params: GetVideoPlaybackQualityInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoPlaybackQualityInOrganization(params: GetVideoPlaybackQualityInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<PlaybackQualityReport>;
  /**
   * Report how playback of a video went, as players measured it, by day.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoPlaybackQuality(params: GetVideoPlaybackQualityParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoPlaybackQuality(params: GetVideoPlaybackQualityParams & { format?: "json" }, options?: RequestOptions): Promise<PlaybackQualityReport>;
  /**
   * Report where a video's segments went: by country or by page.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoBreakdownInOrganization(params: GetVideoBreakdownInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoBreakdownInOrganization(params: GetVideoBreakdownInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<BreakdownReport>;
  /**
   * Report where a video's segments went: by country or by page.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoBreakdown(params: GetVideoBreakdownParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoBreakdown(params: GetVideoBreakdownParams & { format?: "json" }, options?: RequestOptions): Promise<BreakdownReport>;
  /**
   * Count the current viewers.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getViewersInOrganization(params: GetViewersInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getViewersInOrganization(params: GetViewersInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<ViewersReport>;
  /**
   * Count the current viewers.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getViewersInEnvironment(params: GetViewersInEnvironmentParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getViewersInEnvironment(params: GetViewersInEnvironmentParams & { format?: "json" }, options?: RequestOptions): Promise<ViewersReport>;
  /**
   * Count the current viewers.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getViewers(params: GetViewersParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getViewers(params?: GetViewersParams & { format?: "json" }, options?: RequestOptions): Promise<ViewersReport>;
  /**
   * Count the current viewers of a video.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoViewersInOrganization(params: GetVideoViewersInOrganizationParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoViewersInOrganization(params: GetVideoViewersInOrganizationParams & { format?: "json" }, options?: RequestOptions): Promise<ViewersReport>;
  /**
   * Count the current viewers of a video.
   *
   * Needs the permission `analytics:read`. Counts under the limit `analytics`.
   */
  getVideoViewers(params: GetVideoViewersParams & { format: Exclude<ExportFormat, "json"> }, options?: RequestOptions): Promise<string>;
  getVideoViewers(params: GetVideoViewersParams & { format?: "json" }, options?: RequestOptions): Promise<ViewersReport>;
  /**
   * List what has happened to videos since a cursor.
   *
   * Needs the permission `videos:read`.
   */
  listEvents(params?: ListEventsParams, options?: RequestOptions): ListRequest<VideoEventList, VideoEvent>;
  /**
   * Ask whether the service can work.
   *
   * Needs no key.
   */
  getHealth(params?: {}, options?: RequestOptions): Promise<Health>;
  /**
   * Ask whether the process answers.
   *
   * Needs no key.
   */
  getLiveness(params?: {}, options?: RequestOptions): Promise<Liveness>;
  /**
   * Ask whether the process can serve now; 503 if not.
   *
   * Needs no key.
   */
  getReadiness(params?: {}, options?: RequestOptions): Promise<Liveness>;
  /**
   * List the environments that the key may use; also tests a key.
   *
   * Needs a key.
   */
  listEnvironmentsInOrganization(params: ListEnvironmentsInOrganizationParams, options?: RequestOptions): Promise<EnvironmentList>;
  /**
   * Describe the calling key, and what it may do.
   *
   * Needs a key.
   */
  getWhoAmI(params?: {}, options?: RequestOptions): Promise<WhoAmI>;
  /**
   * Get the description of every route (OpenAPI 3.1).
   *
   * Needs no key.
   */
  getOpenApiDocument(params?: {}, options?: RequestOptions): Promise<Record<string, unknown>>;
}
