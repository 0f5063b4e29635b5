// A program of a developer, which the types must let pass; each line marked as an error
// must be one.
import {
  ApiError,
  HvClient,
  AlreadyDeletedError,
  PreconditionFailedError,
  animationURL,
  pictureURL,
  playbackURL,
  signPlaybackToken,
  uploadTo,
  verifyWebhook,
  type VideoDetails,
  type VideoSummary,
  type WebhookEvent,
} from "hvcore-client";

export async function program(file: Blob, request: { headers: Headers; body: Uint8Array }): Promise<string[]> {
  const client = new HvClient({ apiURL: "https://api.example.com", apiKey: "key", maxTries: 2 });
  const ids: string[] = [];

  const { videos, pagination } = await client.listVideos({ status: "ready", pageSize: 100 });
  ids.push(...videos.map((video: VideoSummary) => video.id), String(pagination.total));
  for await (const video of client.listVideos({ metadata: "a:1" })) ids.push(video.name);
  for await (const { aspectRatio, frameRate, sourceBytes } of client.listVideos({ metadata: ["a:1", "b:2"], allowPublicAccess: false }))
    ids.push(`${aspectRatio ?? ""} ${(frameRate ?? 0) + (sourceBytes ?? 0)}`);
  for await (const page of client.listEvents({ after: "cursor" }).pages()) ids.push(page.cursor);

  const made = await client.upload(file, {
    fileName: "film.mp4",
    metadata: { order: "4711" },
    onProgress: ({ sentBytes, totalBytes }) => ids.push(`${sentBytes / totalBytes}`),
    onCreated: ({ uploadURL }) => ids.push(uploadURL),
  });
  const details: VideoDetails = await client.waitUntilReady(made.videoID, { timeoutS: 60 });
  const grant = await client.createResumableUpload({
    uploadLength: file.size,
    uploadMetadata: { fileName: "film.mp4", videoQuality: "high" },
  });
  await uploadTo(grant.uploadURL, file, { signal: new AbortController().signal });

  await client.updateVideo({ videoID: details.id, description: null, tags: ["a"] });
  await client.updateVideo({ videoID: details.id, description: "Sea", ifMatch: details.etag });
  await client.setCaptions({ videoID: details.id, language: "en", body: "WEBVTT", contentType: "text/vtt" });
  await client.setThumbnail({ videoID: details.id, body: new Blob([]), contentType: "image/png" });
  await client.setThumbnail({ videoID: details.id, timestampSeconds: 3 });
  await client.deleteVideo({ videoID: details.id }, { signal: new AbortController().signal });
  const nothing: void = await client.getResumableUploadOptions();
  const csv: string = await client.getUsage({ format: "csv" });
  const segments: number[] = (await client.getUsage()).usage.map((record) => record.totalSegmentsServed);

  const event: WebhookEvent = await verifyWebhook("whsec_", request.headers, request.body);
  const token = await signPlaybackToken({ videoID: details.id, key: "key", kid: "kid", domains: ["example.com"] });
  ids.push(pictureURL(details, token, { time: 12.5, format: "webp" }), animationURL(details, token, { start: 1, end: 4 }));
  ids.push(playbackURL(details, token, "embed"), playbackURL(event), csv, `${nothing} ${segments}`);

  try {
    await client.getWhoAmI();
  } catch (error) {
    if (error instanceof ApiError) ids.push(error.code, `${error.retryAfterS ?? 0}`, ...error.errors.map((it) => it.message));
  }

  if (new Error() instanceof AlreadyDeletedError) ids.push("it is gone");
  if (new Error() instanceof PreconditionFailedError) ids.push("read it again");

  // @ts-expect-error: a word that the service does not know
  client.listVideos({ status: "done" });
  // @ts-expect-error: no such parameter
  client.listVideos({ pagesize: 3 });
  // @ts-expect-error: which video?
  client.getVideo({});
  // @ts-expect-error: which video?
  client.getVideo();
  // @ts-expect-error: fileName is required
  client.createUploadUrl({ videoQuality: "high" });
  // @ts-expect-error: not what the service takes
  client.setThumbnail({ videoID: "vid_", body: "", contentType: "image/gif" });
  // @ts-expect-error: a report is no text
  const text: string = await client.getUsage();
  return [...ids, text];
}
