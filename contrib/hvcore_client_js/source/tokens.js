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
