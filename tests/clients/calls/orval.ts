// Twenty calls by the client that orval makes with fetch.
import * as assert from "node:assert";
import * as hv from "../clients/orval";

const video = process.env.HV_VIDEO!;
const options = { headers: { "X-Api-Key": process.env.HV_KEY! } };

async function main(): Promise<void> {
  const health = await hv.getHealth(options);
  assert.ok(health.status === 200 && health.data.body.status === "ok");
  const key = await hv.getWhoAmI(options);
  assert.ok(key.status === 200 && key.data.body.orgID === "org_a");
  const wanted = { fileName: "a.mp4", videoQuality: hv.Preset.standard };
  const once = { headers: { ...options.headers, "Idempotency-Key": "orval" } };
  const granted = await hv.createUploadUrl(wanted, once);
  assert.ok(granted.status === 200);
  const again = await hv.createUploadUrl(wanted, once);
  assert.ok(again.status === 200);
  assert.equal(again.data.body.videoID, granted.data.body.videoID);
  const details = await hv.getVideo(video, options);
  assert.ok(details.status === 200 && details.data.body.status.ready);
  const same = await hv.getVideoDetails(video, options);
  assert.ok(same.status === 200 && same.data.body.durationSeconds > 0);
  const listed = await hv.listVideos({ page: 1, pageSize: 5 }, options);
  assert.ok(listed.status === 200 && listed.data.body.pagination.total >= 1);
  const changed = await hv.updateVideo(video, { videoName: "Sea" }, options);
  assert.ok(changed.status === 200 && changed.data.body.name === "Sea");
  const edge = await hv.createEdgeKey(video, { domains: ["example.com"] }, options);
  assert.ok(edge.status === 200 && edge.data.body.revokedAt === null);
  const keys = await hv.listEdgeKeys(video, options);
  assert.ok(keys.status === 200);
  assert.equal(keys.data.body.edgeKeys[0]!.edgeKey, edge.data.body.edgeKey);
  const revoked = await hv.revokeEdgeKey(edge.data.body.edgeKey, options);
  assert.ok(revoked.status === 200 && revoked.data.body.revokedAt);
  const link = await hv.createShareLink(video, { maxViews: 5 }, options);
  assert.ok(link.status === 200 && link.data.body.maxViews === 5);
  const links = await hv.listShareLinks(video, options);
  assert.ok(links.status === 200 && links.data.body.shares.length >= 1);
  const unshared = await hv.revokeShareLink(video, link.data.body.shareID, options);
  assert.ok(unshared.status === 200 && unshared.data.body.revokedAt);
  const signed = await hv.getSignedUrl(video, undefined, options);
  assert.ok(signed.status === 200 && signed.data.body.expires_in > 0);
  const usage = await hv.getUsage(undefined, options);
  assert.ok(usage.status === 200 && usage.data.body.usage[0]!.totalVideos >= 1);
  const viewers = await hv.getViewers(undefined, options);
  assert.ok(viewers.status === 200 && viewers.data.body.viewers.currentViewers >= 0);
  const events = await hv.listEvents({ limit: 1 }, options);
  assert.ok(events.status === 200 && events.data.body.events[0]!.sequence === 1);
  const gone = await hv.deleteVideo(granted.data.body.videoID, undefined, undefined, options);
  assert.ok(gone.status === 200 && gone.data.body.deletedAt);
  const missing = await hv.getVideo("vid_0000000000000000000000", options);
  assert.ok(missing.status === 404 && missing.data.code === "video_not_found");
  const refused = await hv.createUploadUrl({ fileName: "" }, options);
  assert.ok(refused.status === 400);
  assert.equal(refused.data.errors[0]!.location, "body.fileName");
  console.log("20 calls");
}

main();
