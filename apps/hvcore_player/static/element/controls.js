/*
 * What a viewer sees and touches; the parts are media-chrome's.
 */

import "../vendor/media-chrome.js";

import { AudioTrackList, RenditionList } from "./tracks.js";

const SPEEDS = "0.25 0.5 0.75 1 1.25 1.5 1.75 2";
const TAPS_WITHIN_MS = 300;
const NOTE_MS = 900;
const TAP_S = 10;

const SETTINGS_ICON = `
  <svg slot="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M3 6h8v2H3zM17 6h4v2h-4zM3 16h4v2H3zM13 16h8v2h-8z"/>
    <path d="M14 3.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zm0 2a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z"/>
    <path d="M10 13.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zm0 2a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z"/>
  </svg>`;

const submenu = (name, title, menu, more = "") => `
  <media-settings-menu-item class="${name}">${title}
    <${menu} slot="submenu" aria-label="${title}" hidden ${more}><div slot="title">${title}</div></${menu}>
  </media-settings-menu-item>`;

const MARKUP = `
<media-controller part="controller" nohotkeys novolumepref nomutedpref nosubtitleslangpref>
  <video slot="media" part="video" playsinline crossorigin="anonymous"></video>
  <img slot="poster" part="poster" alt="" hidden>
  <div slot="top-chrome" class="top" part="top">
    <a class="logo" part="logo" target="_blank" rel="noopener" hidden><img alt=""></a>
    <span class="title" part="title" dir="auto"></span>
  </div>
  <media-loading-indicator slot="centered-chrome" loadingdelay="400" noautohide></media-loading-indicator>
  <media-play-button slot="centered-chrome" class="big" part="big-play" notooltip
    aria-hidden="true"></media-play-button>
  <div slot="centered-chrome" class="note" role="status" noautohide></div>
  <button slot="top-chrome" class="unmute" part="unmute" noautohide hidden>Tap for sound</button>
  <media-settings-menu aria-label="Settings" hidden anchor="auto">
    ${submenu("quality", "Quality", "media-rendition-menu")}
    ${submenu("speed", "Speed", "media-playback-rate-menu", `rates="${SPEEDS}"`)}
    ${submenu("captions", "Captions", "media-captions-menu")}
    ${submenu("sound", "Sound", "media-audio-track-menu")}
  </media-settings-menu>
  <div class="bars" part="controls">
    <media-control-bar class="seek">
      <media-time-range></media-time-range>
    </media-control-bar>
    <media-control-bar class="buttons">
      <media-play-button></media-play-button>
      <media-mute-button></media-mute-button>
      <media-volume-range></media-volume-range>
      <media-time-display showduration notoggle></media-time-display>
      <span class="chapter" part="chapter" dir="auto"></span>
      <media-captions-button></media-captions-button>
      <media-settings-menu-button>${SETTINGS_ICON}</media-settings-menu-button>
      <media-pip-button></media-pip-button>
      <media-fullscreen-button></media-fullscreen-button>
    </media-control-bar>
  </div>
  <div slot="dialog" class="problem" part="problem" role="alert" noautohide hidden>
    <div class="problem-box">
      <h2 class="problem-title"></h2>
      <p class="problem-text"></p>
      <button class="problem-retry" part="retry">Try again</button>
      <p class="problem-request" hidden></p>
    </div>
  </div>
</media-controller>`;

/**
 * Make the controls, and return what the player needs of them.
 *
 * The content is for the shadow root once that is in a page: before, the controls
 * would not find the styles that they write into.
 */
export const makeControls = () => {
  const template = document.createElement("template");
  template.innerHTML = MARKUP;
  const { content } = template;
  const video = content.querySelector("video");
  // The controls look for them when they find the video.
  Object.defineProperties(video, {
    videoRenditions: { value: new RenditionList() },
    ...(video.audioTracks ? {} : { audioTracks: { value: new AudioTrackList() } }),
  });
  const find = (selector) => content.querySelector(selector);
  const found = {
    content,
    video,
    controller: find("media-controller"),
    poster: find("[slot=poster]"),
    title: find(".title"),
    logo: find(".logo"),
    note: find(".note"),
    bigPlay: find(".big"),
    captionsButton: find("media-captions-button"),
    menus: [...content.querySelectorAll("[hidden][aria-label]")],
    seekBar: find("media-time-range"),
    timeDisplay: find("media-time-display"),
    unmute: find(".unmute"),
    chapter: find(".chapter"),
    problem: find(".problem"),
    retry: find(".problem-retry"),
  };
  seekByDoubleTaps(found);
  showChapters(found);
  closeAfterChoices(found);
  return found;
};

/** Tell screen readers what media-chrome does not, once the controls are in a page. */
export const repairRoles = ({ bigPlay, captionsButton, menus }) => {
  // The other play button is enough for keyboards and screen readers.
  bigPlay.tabIndex = -1;
  // It says whether it is on by aria-checked, which buttons do not have.
  captionsButton.setAttribute("role", "switch");
  // A menu has nothing but items, also in its head.
  menus.forEach((menu) => {
    const back = menu.shadowRoot.querySelector("[part~=back]");
    back.setAttribute("role", "menuitem");
    back.setAttribute("aria-label", `${menu.getAttribute("aria-label")}: back to all settings`);
  });
};

/**
 * Have menus take the focus only if they are open and do not have it.
 *
 * media-chrome focuses a menu at the end of the first transition after each opening, and
 * when it is left gives the focus back to what had it before. Of a menu that was closed
 * meanwhile, keys would go to items that nobody sees. Of one that has the focus already (an
 * item was pressed early, or the menu opened twice), that is the menu itself: it and the menu
 * around it then take the focus from each other until the stack is full.
 *
 * Once the controls are in a page, and have their methods.
 */
export const guardFocus = ({ menus }) => {
  menus.forEach((menu) => {
    const { focus } = menu;
    menu.focus = () => {
      if (!menu.closest("[hidden]") && !menu.matches(":focus-within")) {
        focus.call(menu);
      }
    };
  });
};

/**
 * Show times to the millisecond: 19.999999 s, as browsers have it, is 20 s and not 19.
 *
 * Once the controls are in a page, and have their properties.
 */
export const roundTimes = ({ timeDisplay, seekBar }) => {
  [timeDisplay, seekBar].forEach((part) => {
    ["mediaCurrentTime", "mediaDuration", "mediaSeekableEnd"].forEach((name) => {
      const its = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(part), name);
      if (its) {
        Object.defineProperty(part, name, {
          ...its,
          get: () => {
            const at_s = its.get.call(part);
            return Number.isFinite(at_s) ? Math.round(at_s * 1000) / 1000 : at_s;
          },
        });
      }
    });
  });
};

/** Say for a moment what a key has done. */
export const say = (note, text) => {
  clearTimeout(Number(note.dataset.timer));
  note.textContent = text;
  note.classList.add("shown");
  note.dataset.timer = String(setTimeout(() => note.classList.remove("shown"), NOTE_MS));
};

/* Two taps on the left or right third of the video. */
const seekByDoubleTaps = ({ controller, video, note }) => {
  let before = { at: -Infinity, side: 0 };
  controller.addEventListener("pointerup", (event) => {
    if (event.pointerType !== "touch" || ![video, controller].includes(event.target)) {
      return;
    }
    const { left, width } = controller.getBoundingClientRect();
    const side = Math.floor(((event.clientX - left) / width) * 3) - 1;
    const isSecond = event.timeStamp - before.at < TAPS_WITHIN_MS && side === before.side;
    before = { at: event.timeStamp, side };
    if (isSecond && side !== 0 && Number.isFinite(video.duration)) {
      const to_s = video.currentTime + side * TAP_S;
      video.currentTime = Math.min(video.duration, Math.max(0, to_s));
      say(note, side > 0 ? `+${TAP_S} s` : `−${TAP_S} s`);
    }
  });
};

/* Else the menu stays in the way, and keeps the keys. */
const closeAfterChoices = ({ menus: [settings, ...submenus] }) => {
  const close = () => {
    settings.hidden = true;
  };
  submenus.forEach((menu) => {
    menu.addEventListener("change", close);
    // Also of what was chosen already.
    menu.addEventListener("click", (event) => {
      if (event.composedPath().some(({ role }) => role === "menuitemradio")) {
        close();
      }
    });
  });
};

/* The name of the chapter that plays, beside the time. */
const showChapters = ({ video, chapter }) => {
  video.addEventListener("timeupdate", () => {
    const track = [...video.textTracks].find(({ kind }) => kind === "chapters");
    const cue = [...(track?.cues ?? [])].find(({ startTime, endTime }) =>
      startTime <= video.currentTime && video.currentTime < endTime);
    const name = cue ? cue.getCueAsHTML().textContent : "";
    if (chapter.textContent !== name) {
      chapter.textContent = name;
    }
  });
};
