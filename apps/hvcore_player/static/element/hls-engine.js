/*
 * Play with hls.js, where the browser has Media Source Extensions.
 */

import { tokenOf } from "./addresses.js";
import { audioTracks, languageName } from "./tracks.js";

/** No more than this lies ready ahead of the viewer. */
export const AHEAD_S = 30;
const BEHIND_S = 120;
const MAX_RECOVERIES = 3;
const REQUEST_ID = "X-Request-Id";
const CHAPTERS = "com.apple.hls.chapters";
/* What is told of playback with each request (CTA-5004, CMCD), in the query: headers of
   their own would need a preflight. Without nor, which would repeat addresses with their
   tokens. */
const CMCD_KEYS = ["bl", "br", "bs", "d", "mtp", "ot", "pr", "sf", "sid", "st", "su", "v"];

const requestIdOf = (details) => {
  try {
    const headers = details instanceof XMLHttpRequest;
    return (headers && details.getResponseHeader(REQUEST_ID)) || "";
  } catch {
    return "";
  }
};

export class HlsEngine {
  #hls;
  #Hls;
  #video;
  #tell;
  #address = "";
  #isParsed = false;
  #recoveries = 0;
  /* With which token each request was sent. */
  #tokens = new WeakMap();
  #stopsListening = new AbortController();

  /**
   * Args:
   *   Hls: The class of hls.js.
   *   settings: workerPath (or null), reports (whether to tell of playback), and
   *     freshAddress, which gives an address the token that is good now.
   *   tell: What is called: ready({chapters}), progress(), trouble(problem)
   *     for what is tried again here, and failure(problem). A problem has a kind
   *     (network or media), status, requestId, and the token that was sent.
   */
  constructor(Hls, video, settings, tell) {
    this.#Hls = Hls;
    this.#video = video;
    this.#tell = tell;
    this.#hls = new Hls({
      autoStartLoad: false,
      backBufferLength: BEHIND_S,
      capLevelToPlayerSize: true,
      maxBufferLength: AHEAD_S / 2,
      maxMaxBufferLength: AHEAD_S / 2,
      enableWorker: Boolean(settings.workerPath),
      workerPath: settings.workerPath,
      cmcd: settings.reports
        ? { sessionId: crypto.randomUUID?.(), useHeaders: false, includeKeys: CMCD_KEYS }
        : undefined,
      xhrSetup: (xhr, url) => {
        const address = settings.freshAddress(url);
        this.#tokens.set(xhr, tokenOf(address));
        xhr.open("GET", address, true);
      },
    });
    this.#listen();
    this.#hls.attachMedia(video);
  }

  /** Load the playlist, and nothing of the video. */
  load(address) {
    this.#address = address;
    this.#isParsed = false;
    this.#hls.loadSource(address);
  }

  /** Load the video from a moment on. */
  begin(at_s) {
    const at = at_s > 0 ? at_s : -1;
    // For when the playlist is not there yet.
    this.#hls.config.startPosition = at;
    this.#hls.startLoad(at);
  }

  /** Go on after a failure; the video itself only if somebody plays it. */
  resume(address, isBegun) {
    if (!this.#isParsed) {
      // With another address it is attached anew, which pauses it; and each request
      // gets the token of now.
      const isPlaying = !this.#video.paused;
      this.load(tokenOf(this.#address) ? this.#address : address);
      if (isPlaying && this.#video.paused) {
        this.#video.play().catch(() => {});
      }
    }
    if (isBegun) {
      this.begin(this.#video.currentTime);
    }
  }

  /** Load nothing more. */
  stop() {
    this.#hls.stopLoad();
  }

  destroy() {
    this.#stopsListening.abort();
    this.#hls.destroy();
  }

  /** Pictures in a second of what is shown. */
  get frameRate() {
    const level = this.#hls.levels[Math.max(0, this.#hls.currentLevel)];
    return Number(level?.attrs?.["FRAME-RATE"]) || 30;
  }

  /** The captions that the playlist names, also before the video has them as tracks. */
  get captions() {
    return this.#hls.allSubtitleTracks.map(({ lang, name }) => ({ language: lang, label: name }));
  }

  #listen() {
    const { Events } = this.#Hls;
    const hls = this.#hls;
    hls.on(Events.MANIFEST_LOADED, (_event, data) => {
      this.#tell.ready({ chapters: Boolean(data.sessionData?.[CHAPTERS]) });
    });
    hls.on(Events.MANIFEST_PARSED, () => {
      this.#isParsed = true;
      this.#offerQualities();
    });
    hls.on(Events.AUDIO_TRACKS_UPDATED, () => this.#offerSounds());
    hls.on(Events.LEVEL_LOADED, (_event, { details }) => this.#boundBuffer(details));
    hls.on(Events.FRAG_BUFFERED, () => {
      this.#recoveries = 0;
      this.#tell.progress();
    });
    hls.on(Events.ERROR, (_event, data) => this.#fail(data));
    const { signal } = this.#stopsListening;
    const { videoRenditions, audioTracks: sounds } = this.#video;
    videoRenditions.addEventListener("change", () => {
      hls.nextLevel = Number(videoRenditions[videoRenditions.selectedIndex]?.id ?? -1);
    }, { signal });
    sounds.addEventListener("change", () => {
      hls.audioTrack = Number(sounds[sounds.enabledIndex].id);
    }, { signal });
  }

  #offerQualities() {
    this.#video.videoRenditions.fill(
      this.#hls.levels.map(({ width, height, bitrate }, index) => ({
        id: String(index), width, height, bitrate,
      })),
    );
  }

  #offerSounds() {
    const { audioTracks: list } = this.#video;
    const { audioTracks: found, audioTrack: chosen } = this.#hls;
    const isSame = found.length === list.length &&
      found.every((track, index) => list[index].language === track.lang);
    if (isSame) {
      return;
    }
    const chosenIndex = Math.max(0, chosen);
    list.fill(audioTracks(list, found.map(({ name, lang }, index) => ({
      id: String(index),
      label: name && name !== lang ? name : languageName(lang ?? ""),
      language: lang ?? "",
      enabled: index === chosenIndex,
    }))));
  }

  /* The next segment is loaded while less than this is ready: with it, it must not be
     more than AHEAD_S. */
  #boundBuffer(details) {
    const longest_s = Math.max(0, ...details.fragments.map(({ duration }) => duration));
    const bound_s = Math.max(1, AHEAD_S - longest_s);
    this.#hls.config.maxBufferLength = bound_s;
    this.#hls.config.maxMaxBufferLength = bound_s;
  }

  #fail(data) {
    const { ErrorDetails, ErrorTypes } = this.#Hls;
    const isMedia = data.type === ErrorTypes.MEDIA_ERROR;
    const problem = {
      kind: data.type === ErrorTypes.NETWORK_ERROR ? "network" : "media",
      status: data.response?.code ?? 0,
      requestId: requestIdOf(data.networkDetails),
      token: this.#tokens.get(data.networkDetails),
    };
    if (!data.fatal) {
      // What it gave up itself, after a seek say, is no trouble; nor is a missing caption.
      const isOwn = data.details === ErrorDetails.INTERNAL_ABORTED;
      const isCaption = data.frag?.type === "subtitle" || /subtitle/i.test(data.details);
      if (problem.kind === "network" && !isOwn && (!isCaption || problem.status === 401)) {
        this.#tell.trouble(problem);
      }
      return;
    }
    if (isMedia && this.#recoveries < MAX_RECOVERIES) {
      this.#recoveries += 1;
      this.#hls.recoverMediaError();
      return;
    }
    this.#tell.failure(problem);
  }
}
