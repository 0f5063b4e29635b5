/** The player of hvcore; docs/reference/player.md says what each part does. */

export interface PlayerError {
  /** As MediaError has it: 2 network, 4 not supported. */
  readonly code: 2 | 4;
  /** What the service answered; 0 if it did not. */
  readonly status: number;
  /** By which the operator finds the request; "" if there was no answer. */
  readonly requestId: string;
  readonly title: string;
  readonly message: string;
}

export interface TokenExpiringDetail {
  readonly reason: "expiring" | "refused";
  readonly expiresAt: Date | null;
  /** Aborted when another video is to be played: an answer is of no use then. */
  readonly signal: AbortSignal;
}

export interface Rendition {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly bitrate: number;
}

export interface RenditionList extends EventTarget, Iterable<Rendition> {
  readonly length: number;
  readonly [index: number]: Rendition;
  /** -1 leaves the choice to the player. */
  selectedIndex: number;
}

export interface SoundTrack {
  readonly id: string;
  readonly label: string;
  readonly language: string;
  enabled: boolean;
}

export interface SoundTrackList extends EventTarget, Iterable<SoundTrack> {
  readonly length: number;
  readonly [index: number]: SoundTrack;
}

export interface HvPlayerEventMap extends HTMLElementEventMap {
  tokenexpiring: CustomEvent<TokenExpiringDetail>;
}

export declare class HvPlayer extends HTMLElement {
  src: string;
  token: string | null;
  poster: string;
  autoplay: boolean;
  loop: boolean;
  /** Where playback begins, in seconds. */
  startTime: number;
  /** A language, or null. */
  captions: string | null;
  readonly captionLanguages: string[];
  /** The shorter side in pixels. */
  quality: number | "auto";
  readonly qualities: number[];
  /** A language. */
  sound: string | null;
  readonly sounds: string[];
  readonly error: PlayerError | null;
  readonly preload: "none" | "metadata";
  readonly frameRate: number;
  readonly video: HTMLVideoElement;
  readonly videoRenditions: RenditionList;
  readonly audioTracks: SoundTrackList;

  play(): Promise<void>;
  pause(): void;
  retry(): void;
  /** Return what the captions are called, "" if they are hidden, null without any. */
  toggleCaptions(): string | null;
  toggleFullscreen(): void;
  togglePictureInPicture(): void;
  canPlayType(type: string): CanPlayTypeResult;
  requestPictureInPicture(): Promise<PictureInPictureWindow>;

  currentTime: number;
  defaultPlaybackRate: number;
  muted: boolean;
  playbackRate: number;
  volume: number;
  readonly buffered: TimeRanges;
  readonly currentSrc: string;
  readonly duration: number;
  readonly ended: boolean;
  readonly networkState: number;
  readonly paused: boolean;
  readonly played: TimeRanges;
  readonly readyState: number;
  readonly seekable: TimeRanges;
  readonly seeking: boolean;
  readonly textTracks: TextTrackList;
  readonly videoHeight: number;
  readonly videoWidth: number;

  addEventListener<Name extends keyof HvPlayerEventMap>(
    type: Name,
    listener: (this: HvPlayer, event: HvPlayerEventMap[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "hv-player": HvPlayer;
  }
}
