/*
 * What stands over the video before it plays: picture, title and logo.
 */

import { absolute, isNear, tokenOf, withToken, withoutToken } from "./addresses.js";

/* With the token of the video, if the picture comes from the same host. */
const posterAddress = (player) => {
  const given = player.getAttribute("poster");
  const address = given ? absolute(given) : "";
  const video = absolute(player.src);
  return address && video && isNear(address, video) && !tokenOf(address)
    ? withToken(address, player.getAttribute("token"))
    : address;
};

/* The service's own pictures, which every page may read: copies of them in caches may come
   from versions that did not say who may load them (Cross-Origin-Resource-Policy). */
const isOfService = (address, video) => address !== "" && video !== ""
  && isNear(address, video) && /\/t\/[^/]+\/[^/]+$/.test(new URL(address).pathname);

export const showPoster = (player, { poster }) => {
  const address = posterAddress(player);
  poster.hidden = address === "";
  // Another token shows the same picture.
  if (withoutToken(poster.getAttribute("src") ?? "") !== withoutToken(address)) {
    poster.crossOrigin = isOfService(address, absolute(player.src)) ? "anonymous" : null;
    poster.src = address;
  }
};

const showLogo = (player, logo) => {
  const picture = player.getAttribute("logo");
  const href = player.getAttribute("logo-href") ?? "";
  logo.hidden = !picture;
  if (!picture) {
    return;
  }
  logo.firstElementChild.src = picture;
  logo.firstElementChild.alt = player.getAttribute("logo-alt") ?? "Logo";
  if (/^https?:/.test(href)) {
    logo.href = href;
  } else {
    logo.removeAttribute("href");
  }
};

export const showTitle = (player, { title, logo, controller }) => {
  const text = player.getAttribute("video-title") ?? "";
  title.textContent = text;
  showLogo(player, logo);
  title.parentElement.classList.toggle("has-content", Boolean(text) || !logo.hidden);
  controller.setAttribute("aria-label", text ? `Video player: ${text}` : "Video player");
  if (navigator.mediaSession && "MediaMetadata" in window) {
    tellTitle(player, text);
  }
};

/* Which player of the page has told its title last. */
let teller = null;

const tellTitle = (player, text) => {
  if (text) {
    navigator.mediaSession.metadata = new MediaMetadata({ title: text });
    teller = player;
  } else if (teller === player) {
    navigator.mediaSession.metadata = null;
    teller = null;
  }
};
