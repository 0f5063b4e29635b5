/*
 * The page of a video: what its address says becomes attributes of the player.
 */

const player = document.querySelector("hv-player");
const query = new URLSearchParams(window.location.search);

const isOn = (name) => query.has(name) && !["0", "false"].includes(query.get(name));

/* 90, 90s, 1m30s, 1:30 or 1:02:03. */
const secondsOf = (text) => {
  if (/^\d+(\.\d+)?s?$/.test(text)) {
    return parseFloat(text);
  }
  const parts = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ??
    /^(?:(\d+):)?(\d{1,2}):(\d{2})$/.exec(text);
  const [hours, minutes, seconds] = (parts ?? []).slice(1).map((part) => Number(part ?? 0));
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
};

/* As CSS has them, with or without the "#" that addresses cannot hold. */
const colorOf = (text) => {
  const color = /^[0-9a-f]{3,8}$/i.test(text) ? `#${text}` : text;
  return CSS.supports("color", color) ? color : null;
};

["autoplay", "muted", "loop"].filter(isOn).forEach((name) => player.setAttribute(name, ""));
if (query.has("controls") && !isOn("controls")) {
  player.setAttribute("no-controls", "");
}
if (query.has("title") && !isOn("title")) {
  player.removeAttribute("video-title");
}
if (query.has("t")) {
  player.setAttribute("start-time", String(secondsOf(query.get("t"))));
}
["captions", "preload", "transcript"].filter((name) => query.has(name)).forEach((name) => {
  player.setAttribute(name, query.get(name));
});
// Where the service takes no reports, its page has no such attribute.
if (player.hasAttribute("session-reports") && query.has("session-reports")) {
  player.setAttribute("session-reports", query.get("session-reports"));
}
["logo", "logo-href"].filter((name) => /^https:/.test(query.get(name) ?? "")).forEach((name) => {
  player.setAttribute(name, query.get(name));
});
[["color", "--hv-accent-color"], ["text-color", "--hv-text-color"]].forEach(([name, property]) => {
  const color = query.has(name) && colorOf(query.get(name));
  if (color) {
    player.style.setProperty(property, color);
  }
});
if (/^\d{1,3}$/.test(query.get("radius") ?? "")) {
  player.style.setProperty("--hv-radius", `${query.get("radius")}px`);
}
// The page itself holds no secret.
if (player.dataset.access === "private" && query.get("token")) {
  player.setAttribute("token", query.get("token"));
}

// Sooner than the player, which may need another token before this has arrived.
const { speakWithParent } = await import("./element/messages.js");
// Only now: it loads what its attributes say.
await import("./hv-player.js");
speakWithParent(player);
