// Twenty calls by openapi-fetch with the types that openapi-typescript makes.
import * as assert from "node:assert";
import createClient from "openapi-fetch";
import type { paths } from "../clients/openapi-typescript";

const client = createClient<paths>({
  baseUrl: process.env.HV_URL,
  headers: { "X-Api-Key": process.env.HV_KEY! },
});
const path = { assetId: process.env.HV_VIDEO! };
const params = { path };

function good<T>(answer: { data?: { body: T }; error?: unknown }): T {
  assert.equal(answer.error, undefined);
  return answer.data!.body;
}

async function main(): Promise<void> {
  assert.equal(good(await client.GET("/health")).status, "ok");
  assert.equal(good(await client.GET("/v1/whoami")).orgID, "org_a");
  const grant = () =>
    client.POST("/v1/videos/upload-url", {
      body: { fileName: "a.mp4", videoQuality: "standard" },
      params: { header: { "Idempotency-Key": "types" } },
    });
  const granted = good(await grant());
  assert.equal(good(await grant()).videoID, granted.videoID);
  const details = good(await client.GET("/v1/videos/{assetId}", { params }));
  assert.deepEqual([details.id, details.status.ready], [path.assetId, true]);
  const same = good(await client.GET("/v1/videos/{assetId}/details", { params }));
  assert.ok(same.durationSeconds > 0);
  const query = { page: 1, pageSize: 5 };
  const listed = good(await client.GET("/v1/videos", { params: { query } }));
  assert.ok(listed.pagination.total >= 1);
  const body = { videoName: "Sea" };
  const changed = good(await client.PATCH("/v1/videos/{assetId}", { params, body }));
  assert.equal(changed.name, "Sea");
  const keys = "/v1/videos/{assetId}/edge-keys";
  const domains = { domains: ["example.com"] };
  const key = good(await client.POST(keys, { params, body: domains }));
  assert.equal(key.revokedAt, null);
  const listedKeys = good(await client.GET(keys, { params })).edgeKeys;
  assert.equal(listedKeys[0]!.edgeKey, key.edgeKey);
  const revoked = await client.DELETE("/v1/edge-keys/{edgeKey}", {
    params: { path: { edgeKey: key.edgeKey } },
  });
  assert.ok(good(revoked).revokedAt);
  const link = good(
    await client.POST("/v1/videos/{assetId}/share", { params, body: { maxViews: 5 } }),
  );
  assert.equal(link.maxViews, 5);
  const links = good(await client.GET("/v1/videos/{assetId}/shares", { params }));
  assert.ok(links.shares.length >= 1);
  const unshared = await client.DELETE("/v1/videos/{assetId}/shares/{shareID}", {
    params: { path: { ...path, shareID: link.shareID } },
  });
  assert.ok(good(unshared).revokedAt);
  const signed = good(await client.GET("/v1/videos/{assetId}/signed-url", { params }));
  assert.ok(signed.expires_in > 0);
  const usage = (await client.GET("/v1/analytics/usage")).data;
  assert.ok(typeof usage === "object" && usage.body.usage[0]!.totalVideos >= 1);
  const viewers = (await client.GET("/v1/analytics/viewers")).data;
  assert.ok(typeof viewers === "object" && viewers.body.viewers.currentViewers >= 0);
  const limit = { params: { query: { limit: 1 } } };
  assert.equal(good(await client.GET("/v1/events", limit)).events[0]!.sequence, 1);
  const gone = await client.DELETE("/v1/videos/{assetId}", {
    params: { path: { assetId: granted.videoID } },
  });
  assert.ok(good(gone).deletedAt);
  const missing = await client.GET("/v1/videos/{assetId}", {
    params: { path: { assetId: "vid_0000000000000000000000" } },
  });
  assert.equal(missing.error!.code, "video_not_found");
  const refused = await client.POST("/v1/videos/upload-url", { body: { fileName: "" } });
  assert.equal(refused.error!.errors[0]!.location, "body.fileName");
  console.log("20 calls");
}

main();
