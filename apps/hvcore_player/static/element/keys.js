/*
 * The keyboard, as YouTube has it.
 */

const SKIP_S = 10;
const STEP_S = 5;
const VOLUME_STEP = 0.05;
const SPEEDS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

const bounded = (value, least, most) => Math.min(most, Math.max(least, value));
const percent = (part) => `${Math.round(part * 100)} %`;

const seekTo = (player, at_s) => {
  player.currentTime = bounded(at_s, 0, player.duration || 0);
  return null;
};

const seekBy = (player, by_s) => {
  seekTo(player, player.currentTime + by_s);
  return `${by_s > 0 ? "+" : "−"}${Math.abs(by_s)} s`;
};

const turn = (player, by) => {
  player.muted = false;
  player.volume = bounded(Math.round((player.volume + by) * 100) / 100, 0, 1);
  return `Volume ${percent(player.volume)}`;
};

const mute = (player) => {
  player.muted = !player.muted;
  return player.muted ? "Muted" : `Volume ${percent(player.volume)}`;
};

const changeSpeed = (player, by) => {
  // Pages may set others, also beyond these.
  const { playbackRate: rate } = player;
  const next = by > 0
    ? SPEEDS.find((speed) => speed > rate)
    : [...SPEEDS].reverse().find((speed) => speed < rate);
  player.playbackRate = next ?? rate;
  return `Speed ${player.playbackRate}×`;
};

const stepFrame = (player, by) => {
  if (player.paused) {
    seekTo(player, player.currentTime + by / player.frameRate);
  }
  return null;
};

const togglePlay = (player) => {
  if (player.paused) {
    player.play().catch(() => {});
  } else {
    player.pause();
  }
  return null;
};

const toggleCaptions = (player) => {
  const label = player.toggleCaptions();
  if (label === null) {
    return "No captions";
  }
  return label ? `Captions: ${label}` : "Captions off";
};

/* What each key does; each returns what the viewer is told, or null. */
const ACTIONS = {
  k: togglePlay,
  " ": togglePlay,
  j: (player) => seekBy(player, -SKIP_S),
  l: (player) => seekBy(player, SKIP_S),
  arrowleft: (player) => seekBy(player, -STEP_S),
  arrowright: (player) => seekBy(player, STEP_S),
  arrowup: (player) => turn(player, VOLUME_STEP),
  arrowdown: (player) => turn(player, -VOLUME_STEP),
  m: mute,
  c: toggleCaptions,
  f: (player) => player.toggleFullscreen() ?? null,
  i: (player) => player.togglePictureInPicture() ?? null,
  home: (player) => seekTo(player, 0),
  end: (player) => seekTo(player, player.duration),
  "<": (player) => changeSpeed(player, -1),
  ">": (player) => changeSpeed(player, 1),
  ",": (player) => stepFrame(player, -1),
  ".": (player) => stepFrame(player, 1),
};

const actionOf = (key) => {
  if (/^[0-9]$/.test(key)) {
    return (player) => seekTo(player, (player.duration || 0) * Number(key) / 10);
  }
  return ACTIONS[key.toLowerCase()];
};

const WRITES = "input:not([type=range]), textarea, select, [contenteditable='']," +
  " [contenteditable=true]";

/* Whether a key belongs to what has the focus: a text, a menu, a button, a volume bar. */
const isTaken = (event) => event.composedPath().some((place) => {
  if (!(place instanceof Element)) {
    return false;
  }
  if (place.matches(WRITES) || place.closest("[role=menu]:not([hidden])")) {
    return true;
  }
  const isButton = place.matches("button, a[href], [role=button], summary");
  return isButton && [" ", "Enter"].includes(event.key);
});

/** Do what a key says; return what the viewer is told of it, or null. */
export const press = (event, player) => {
  const hasModifier = event.ctrlKey || event.altKey || event.metaKey;
  const action = actionOf(event.key);
  if (!action || hasModifier || event.defaultPrevented || isTaken(event)) {
    return null;
  }
  // Pages do not scroll, and bars do not move by themselves, too.
  event.preventDefault();
  event.stopPropagation();
  return action(player);
};
