/*
 * Let the page around an iframe steer the player: the protocol of messages that
 * docs/reference/player.md describes, and hv-player-host.js speaks.
 */

const CALL = "hv-player:call";
const ANSWER = "hv-player:answer";
const EVENT = "hv-player:event";
const TOLD = [
  "durationchange", "ended", "error", "pause", "play", "playing", "ratechange", "seeked",
  "seeking", "timeupdate", "volumechange", "waiting",
];

/* Tells this page from the next one in the same frame. */
const PAGE = String(Math.random()).slice(2);

const number = (value, least, most) => {
  const found = Number(value);
  if (!Number.isFinite(found) || found < least || found > most) {
    throw new RangeError(`must be a number from ${least} to ${most}, not ${value}`);
  }
  return found;
};

const stateOf = (player) => ({
  currentTime: player.currentTime,
  duration: player.duration,
  paused: player.paused,
  ended: player.ended,
  muted: player.muted,
  volume: player.volume,
  playbackRate: player.playbackRate,
  loop: player.loop,
  quality: player.quality,
  qualities: player.qualities,
  captions: player.captions,
  captionLanguages: player.captionLanguages,
  sound: player.sound,
  sounds: player.sounds,
  error: player.error,
});

const METHODS = {
  getState: () => null,
  play: (player) => player.play(),
  pause: (player) => player.pause(),
  seek: (player, at_s) => {
    player.currentTime = number(at_s, 0, player.duration || 0);
  },
  setVolume: (player, volume) => {
    player.volume = number(volume, 0, 1);
  },
  setMuted: (player, isMuted) => {
    player.muted = Boolean(isMuted);
  },
  setPlaybackRate: (player, rate) => {
    player.playbackRate = number(rate, 0.25, 4);
  },
  setLoop: (player, isOn) => {
    player.loop = Boolean(isOn);
  },
  setQuality: (player, quality) => {
    player.quality = quality;
  },
  setCaptions: (player, language) => {
    player.captions = language;
  },
  setSound: (player, language) => {
    player.sound = language;
  },
  setToken: (player, token) => {
    player.token = String(token);
  },
};

const answer = async (player, { method, args, page = PAGE }) => {
  if (page !== PAGE) {
    throw new Error("the frame shows another page by now");
  }
  if (!Object.hasOwn(METHODS, method)) {
    throw new TypeError(`there is no method ${method}; see docs/reference/player.md`);
  }
  await METHODS[method](player, ...(Array.isArray(args) ? args : []));
};

/** Speak with the page around this one, if there is one. */
export const speakWithParent = (player) => {
  const { parent } = window;
  if (parent === window) {
    return;
  }
  // Which page it is nobody tells; nothing of this is secret.
  const send = (message) => parent.postMessage({ ...message, page: PAGE, state: stateOf(player) }, "*");
  window.addEventListener("message", async ({ source, data }) => {
    if (source !== parent || data?.type !== CALL) {
      return;
    }
    try {
      await answer(player, data);
      send({ type: ANSWER, id: data.id });
    } catch (cause) {
      send({ type: ANSWER, id: data.id, error: cause.message });
    }
  });
  TOLD.forEach((event) => {
    player.addEventListener(event, () => send({ type: EVENT, event }));
  });
  player.addEventListener("tokenexpiring", ({ detail }) => {
    const { reason, expiresAt } = detail;
    send({ type: EVENT, event: "tokenexpiring", reason, expiresAt: expiresAt?.toISOString() });
  });
  send({ type: EVENT, event: "ready" });
};
