/*
 * Which engine plays: hls.js where it can, else the browser itself.
 */

import { HlsEngine } from "./hls-engine.js";
import { NativeEngine } from "./native-engine.js";

const NATIVE_TYPE = "application/vnd.apple.mpegurl";

let failures = 0;

/** Return the class of hls.js, or null if it could not be loaded. */
export const loadHls = async () => {
  // Browsers ask once for each address of a module, also if that fails.
  const again = failures ? `?${failures}` : "";
  try {
    const { default: Hls } = await import(`../vendor/hls.min.mjs${again}`);
    return Hls;
  } catch {
    failures += 1;
    return null;
  }
};

/** Return an engine, or null if the browser plays no such video; Args: as of HlsEngine. */
export const makeEngine = (Hls, video, settings, tell) => {
  if (Hls.isSupported()) {
    return new HlsEngine(Hls, video, settings, tell);
  }
  return video.canPlayType(NATIVE_TYPE) ? new NativeEngine(video, tell) : null;
};
