// Twenty calls by the client that @hey-api/openapi-ts makes.
import * as assert from "node:assert";
import * as hv from "../clients/hey-api";
import { client } from "../clients/hey-api/client.gen";

client.setConfig({ baseUrl: process.env.HV_URL, auth: process.env.HV_KEY });
const path = { assetId: process.env.HV_VIDEO! };

function good<T>(answer: { data?: { body: T }; error?: unknown }): T {
  assert.equal(answer.error, undefined);
  return answer.data!.body;
}

async function main(): Promise<void> {
  assert.equal(good(await hv.getHealth()).status, "ok");
  assert.equal(good(await hv.getWhoAmI()).orgID, "org_a");
  const wanted: hv.CreateUploadUrlData = {
    url: "/v1/videos/upload-url",
    body: { fileName: "a.mp4", videoQuality: "standard" },
    headers: { "Idempotency-Key": "hey" },
  };
  const granted = good(await hv.createUploadUrl(wanted));
  assert.equal(good(await hv.createUploadUrl(wanted)).videoID, granted.videoID);
  const details = good(await hv.getVideo({ path }));
  assert.deepEqual([details.id, details.status.ready], [path.assetId, true]);
  assert.ok(good(await hv.getVideoDetails({ path })).createdAt.endsWith("Z"));
  const listed = good(await hv.listVideos({ query: { page: 1, pageSize: 5 } }));
  assert.ok(listed.pagination.total >= 1);
  const changed = await hv.updateVideo({ path, body: { videoName: "Sea" } });
  assert.equal(good(changed).name, "Sea");
  const key = good(await hv.createEdgeKey({ path, body: { domains: ["example.com"] } }));
  assert.equal(key.revokedAt, null);
  const keys = good(await hv.listEdgeKeys({ path })).edgeKeys;
  assert.equal(keys[0]!.edgeKey, key.edgeKey);
  const revoked = await hv.revokeEdgeKey({ path: { edgeKey: key.edgeKey } });
  assert.ok(good(revoked).revokedAt);
  const link = good(await hv.createShareLink({ path, body: { maxViews: 5 } }));
  assert.equal(link.maxViews, 5);
  assert.ok(good(await hv.listShareLinks({ path })).shares.length >= 1);
  const share = { path: { ...path, shareID: link.shareID } };
  assert.ok(good(await hv.revokeShareLink(share)).revokedAt);
  assert.ok(good(await hv.getSignedUrl({ path })).expires_in > 0);
  const usage = (await hv.getUsage()).data;
  assert.ok(typeof usage === "object" && usage.body.usage[0]!.totalVideos >= 1);
  const viewers = (await hv.getViewers()).data;
  assert.ok(typeof viewers === "object" && viewers.body.viewers.currentViewers >= 0);
  const events = good(await hv.listEvents({ query: { limit: 1 } })).events;
  assert.equal(events[0]!.sequence, 1);
  const gone = { path: { assetId: granted.videoID } };
  assert.ok(good(await hv.deleteVideo(gone)).deletedAt);
  const missing = await hv.getVideo({ path: { assetId: "vid_0000000000000000000000" } });
  assert.equal(missing.error!.code, "video_not_found");
  const refused = await hv.createUploadUrl({ body: { fileName: "" } });
  assert.equal(refused.error!.errors[0]!.location, "body.fileName");
  console.log("20 calls");
}

main();
