// Twenty calls by the client that openapi-generator makes for TypeScript with fetch.
import * as assert from "node:assert";
import * as hv from "../clients/typescript-fetch";

const video = process.env.HV_VIDEO!;
const configuration = new hv.Configuration({
  basePath: process.env.HV_URL,
  apiKey: process.env.HV_KEY,
});

async function problemOf(call: Promise<unknown>): Promise<hv.Problem> {
  try {
    await call;
  } catch (error) {
    if (error instanceof hv.ResponseError) {
      return hv.ProblemFromJSON(await error.response.json());
    }
    throw error;
  }
  throw new Error("It was not refused.");
}

async function main(): Promise<void> {
  const service = new hv.ServiceApi(configuration);
  const uploads = new hv.UploadsApi(configuration);
  const videos = new hv.VideosApi(configuration);
  const sharing = new hv.SharingApi(configuration);
  const analytics = new hv.AnalyticsApi(configuration);

  assert.equal((await service.getHealth()).body.status, hv.HealthStatus.Ok);
  assert.equal((await service.getWhoAmI()).body.orgID, "org_a");
  const wanted = {
    videoUploadRequest: { fileName: "a.mp4", videoQuality: hv.Preset.Standard },
    idempotencyKey: "fetch",
  };
  const granted = (await uploads.createUploadUrl(wanted)).body;
  assert.equal((await uploads.createUploadUrl(wanted)).body.videoID, granted.videoID);
  const details = (await videos.getVideo({ assetId: video })).body;
  assert.deepEqual([details.id, details.status.ready], [video, true]);
  assert.ok((await videos.getVideoDetails({ assetId: video })).body.createdAt.getTime());
  const listed = (await videos.listVideos({ page: 1, pageSize: 5 })).body;
  assert.ok(listed.pagination.total >= 1);
  const changed = { assetId: video, videoChangeRequest: { videoName: "Sea" } };
  assert.equal((await videos.updateVideo(changed)).body.name, "Sea");
  const domains = { assetId: video, edgeKeyRequest: { domains: ["example.com"] } };
  const key = (await sharing.createEdgeKey(domains)).body;
  assert.equal(key.revokedAt, null);
  const keys = (await sharing.listEdgeKeys({ assetId: video })).body.edgeKeys;
  assert.equal(keys[0]!.edgeKey, key.edgeKey);
  assert.ok((await sharing.revokeEdgeKey({ edgeKey: key.edgeKey })).body.revokedAt);
  const few = { assetId: video, shareRequest: { maxViews: 5 } };
  const link = (await sharing.createShareLink(few)).body;
  assert.equal(link.maxViews, 5);
  assert.ok((await sharing.listShareLinks({ assetId: video })).body.shares.length >= 1);
  const share = { assetId: video, shareID: link.shareID };
  assert.ok((await sharing.revokeShareLink(share)).body.revokedAt);
  const playback = new hv.PlaybackApi(configuration);
  assert.ok((await playback.getSignedUrl({ assetId: video })).body.expiresIn > 0);
  assert.ok((await analytics.getUsage()).body.usage[0]!.totalVideos >= 1);
  assert.ok((await analytics.getViewers()).body.viewers.currentViewers >= 0);
  const events = (await new hv.EventsApi(configuration).listEvents({ limit: 1 })).body;
  assert.equal(events.events[0]!.sequence, 1);
  assert.ok((await videos.deleteVideo({ assetId: granted.videoID })).body.deletedAt);
  const missing = videos.getVideo({ assetId: "vid_0000000000000000000000" });
  assert.equal((await problemOf(missing)).code, "video_not_found");
  const refused = uploads.createUploadUrl({ videoUploadRequest: { fileName: "" } });
  assert.equal((await problemOf(refused)).errors[0]!.location, "body.fileName");
  console.log("20 calls");
}

main();
