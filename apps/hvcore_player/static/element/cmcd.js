/*
 * What the player tells of playback with each request (CTA-5004, CMCD).
 *
 * No module of this build imports it. While processes of two builds answer, a player whose
 * modules came from the build before asks for it: without an answer it would not be there.
 */

/* Without nor, which would repeat addresses with their tokens. */
const KEYS = ["bl", "br", "bs", "d", "mtp", "ot", "pr", "sf", "sid", "st", "su", "v"];

/**
 * Return the settings of hls.js, or null if nothing is to be told.
 *
 * They go into the query: headers of their own would need a preflight.
 */
export const cmcdSettings = (isOn) => (isOn
  ? { sessionId: crypto.randomUUID?.() ?? undefined, useHeaders: false, includeKeys: KEYS }
  : null);
