/*
 * Play the video that the page describes: with hls.js where the browser has
 * Media Source Extensions, else with the browser's own HLS.
 *
 * The token stays in the address of the page and is read from there, so that
 * the page itself holds no secret.
 */
(() => {
  "use strict";

  const TEXTS = {
    401: "Your permission to watch this video is not valid or has expired. " +
      "Go back to the page that you came from and open the video again.",
    403: "You may not watch this video here.",
    404: "This video is not available.",
    network: "The video cannot be loaded. Check your connection and try again.",
    media: "Your browser cannot play this video.",
  };
  const SHARE_TEXTS = {
    ...TEXTS,
    401: "This took too long. Reload the page to watch the video.",
    403: "This link is over: it has expired, was withdrawn, or was watched as " +
      "often as it may be.",
  };
  const MAX_RECOVERIES = 3;

  const byId = (id) => document.getElementById(id);
  const video = byId("video");
  const message = byId("message");
  const choices = byId("choices");
  const begin = byId("begin");
  const query = new URLSearchParams(window.location.search);
  const isShare = video.dataset.access === "share";

  const addressOf = (given) => {
    const address = new URL(given, window.location.href);
    const token = query.get("token");
    if (token && video.dataset.access === "private") {
      address.searchParams.set("token", token);
    }
    return address.href;
  };

  const fail = (cause) => {
    const texts = isShare ? SHARE_TEXTS : TEXTS;
    message.textContent = texts[cause] || texts.network;
    message.hidden = false;
    choices.hidden = true;
    begin.hidden = true;
    video.removeAttribute("controls");
  };

  const isOn = (name) => query.has(name) && !["0", "false"].includes(query.get(name));

  const fill = (name, options, chosen, choose) => {
    if (options.length < 2) {
      return;
    }
    const select = byId(name);
    select.replaceChildren(
      ...options.map(([value, text]) => new Option(text, value, false, value === chosen)),
    );
    select.addEventListener("change", () => choose(Number(select.value)));
    byId(`${name}-label`).hidden = false;
    choices.hidden = false;
  };

  const languageName = (track) => {
    try {
      const names = new Intl.DisplayNames([navigator.language], { type: "language" });
      return track.name === track.lang ? names.of(track.lang) : track.name;
    } catch {
      return track.name;
    }
  };

  const offerQualities = (hls) => {
    const levels = hls.levels
      .map((level, index) => [index, `${Math.min(level.width, level.height)}p`])
      .reverse();
    const options = levels.length > 1 ? [[-1, "Auto"], ...levels] : levels;
    fill("quality", options, -1, (index) => {
      hls.nextLevel = index;
    });
  };

  const offerAudio = (hls) => {
    const options = hls.audioTracks.map((track, index) => [index, languageName(track)]);
    fill("audio", options, hls.audioTrack, (index) => {
      hls.audioTrack = index;
    });
  };

  const playWithHlsJs = (master) => {
    // No worker: it would have to be made from a text, which the page's
    // policy forbids, and fragmented MP4 needs no repackaging.
    const hls = new window.Hls({ enableWorker: false, capLevelToPlayerSize: true });
    let recoveries = 0;
    hls.on(window.Hls.Events.ERROR, (_event, data) => {
      if (!data.fatal) {
        return;
      }
      const status = data.response ? data.response.code : 0;
      if (TEXTS[status]) {
        hls.destroy();
        fail(status);
        return;
      }
      recoveries += 1;
      const { MEDIA_ERROR, NETWORK_ERROR } = window.Hls.ErrorTypes;
      if (recoveries <= MAX_RECOVERIES && data.type === MEDIA_ERROR) {
        hls.recoverMediaError();
      } else if (recoveries <= MAX_RECOVERIES && data.type === NETWORK_ERROR) {
        window.setTimeout(() => hls.startLoad(), 1000 * recoveries);
      } else {
        hls.destroy();
        fail(data.type === MEDIA_ERROR ? "media" : "network");
      }
    });
    hls.on(window.Hls.Events.FRAG_BUFFERED, () => {
      recoveries = 0;
    });
    hls.once(window.Hls.Events.MANIFEST_PARSED, () => offerQualities(hls));
    hls.once(window.Hls.Events.AUDIO_TRACKS_UPDATED, () => offerAudio(hls));
    hls.loadSource(master);
    hls.attachMedia(video);
  };

  const playNatively = (master) => {
    video.addEventListener("error", async () => {
      try {
        const answer = await fetch(master);
        fail(answer.ok ? "media" : answer.status);
      } catch {
        fail("network");
      }
    });
    video.src = master;
  };

  const play = (master) => {
    if (window.Hls && window.Hls.isSupported()) {
      playWithHlsJs(master);
    } else if (video.canPlayType("application/vnd.apple.mpegurl")) {
      playNatively(master);
    } else {
      fail("media");
    }
  };

  // Each playlist without a session begins one and uses up a view. Browsers
  // load a playlist as often as they like, so it is begun here, once.
  const openSession = async (master) => {
    const answer = await fetch(master, { cache: "no-store" });
    if (!answer.ok) {
      throw answer.status;
    }
    const session = /[?&]token=([\w.-]+)/.exec(await answer.text());
    const address = new URL(master);
    address.searchParams.set("token", session[1]);
    return address.href;
  };

  const waitForViewer = (master) => {
    const go = async () => {
      begin.hidden = true;
      try {
        const session = await openSession(master);
        video.controls = true;
        play(session);
        await video.play();
      } catch (cause) {
        // Where the browser wants another click, its controls are there.
        if (!video.controls) {
          fail(cause);
        }
      }
    };
    video.controls = false;
    begin.addEventListener("click", go, { once: true });
    begin.hidden = false;
    begin.focus();
    if (video.autoplay) {
      begin.click();
    }
  };

  const start = () => {
    const master = addressOf(video.dataset.master);
    if (video.dataset.poster) {
      video.poster = addressOf(video.dataset.poster);
    }
    video.muted = isOn("muted");
    video.loop = isOn("loop");
    // Browsers let a page begin by itself only without sound.
    video.autoplay = isOn("autoplay");
    const showsChoices = () => choices.classList.toggle("paused", video.paused);
    video.addEventListener("play", showsChoices);
    video.addEventListener("pause", showsChoices);
    showsChoices();
    if (isShare) {
      waitForViewer(master);
    } else {
      play(master);
    }
  };

  start();
})();
