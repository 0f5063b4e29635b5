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
