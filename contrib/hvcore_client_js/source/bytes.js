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
