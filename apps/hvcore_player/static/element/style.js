/*
 * How the player looks. A constructed style sheet, so that pages need to allow
 * nothing for it in their policy.
 */

const TEXT = `
:host {
  --_text: var(--hv-text-color, #fff);
  --_accent: var(--hv-accent-color, #3b82f6);
  --_panel: var(--hv-panel-color, rgb(24 24 27 / 92%));
  /* Nothing shines through: Firefox has a button of its own over videos, which takes
     the clicks of all that it does not see as covering it. */
  --_menu: var(--hv-panel-color, rgb(24 24 27));
  --_radius: var(--hv-radius, 0);
  position: relative;
  display: block;
  aspect-ratio: 16 / 9;
  overflow: hidden;
  border-radius: var(--_radius);
  background: #000;
  color: var(--_text);
}

:host([hidden]), [hidden] {
  display: none !important;
}

media-controller {
  --media-font-family: var(--hv-font-family, system-ui, sans-serif);
  --media-primary-color: var(--_text);
  --media-secondary-color: transparent;
  --media-control-hover-background: rgb(255 255 255 / 14%);
  --media-control-height: 24px;
  --media-control-padding: 10px 8px;
  /* Bars compute their height with it: it has one value, or they have none. */
  --media-range-padding: 10px;
  --media-range-padding-left: 8px;
  --media-range-padding-right: 8px;
  --media-range-bar-color: var(--_accent);
  --media-range-thumb-background: var(--_accent);
  --media-range-track-height: 4px;
  --media-range-track-background: rgb(255 255 255 / 28%);
  --media-range-track-border-radius: 2px;
  --media-time-range-buffered-color: rgb(255 255 255 / 40%);
  --media-preview-thumbnail-border-radius: 6px;
  --media-preview-thumbnail-max-width: 200px;
  --media-preview-thumbnail-min-width: 160px;
  --media-preview-thumbnail-max-height: 200px;
  --media-preview-time-background: var(--_panel);
  --media-preview-chapter-background: var(--_panel);
  --media-menu-background: var(--_menu);
  --media-settings-menu-background: var(--_menu);
  --media-settings-menu-min-width: 232px;
  --media-menu-transition-in: transform 0.15s ease-out, left 0.2s, min-width 0.2s, min-height 0.2s;
  --media-menu-border-radius: 8px;
  --media-menu-item-description-max-width: 140px;
  --media-menu-item-hover-background: rgb(255 255 255 / 12%);
  --media-tooltip-background-color: var(--_panel);
  --media-focus-box-shadow: inset 0 0 0 2px var(--_text);
  width: 100%;
  height: 100%;
  /* Time runs from left to right, whatever is read from right to left around it. */
  direction: ltr;
}

video {
  object-fit: contain;
}

/* Captions make room for the bars below them. */
media-controller:is(:not([userinactive]), [mediapaused]) video::-webkit-media-text-track-container {
  transform: translateY(-72px);
}

video::-webkit-media-text-track-container {
  transition: transform 0.2s;
}

img[slot=poster] {
  object-fit: contain;
  background: #000;
  pointer-events: none;
}

.top {
  display: flex;
  align-items: center;
  gap: 12px;
  box-sizing: border-box;
  width: 100%;
  min-height: 48px;
  padding: 12px 16px 28px;
  background: linear-gradient(rgb(0 0 0 / 70%), transparent);
  font: 500 16px/1.4 var(--hv-font-family, system-ui, sans-serif);
  text-shadow: 0 1px 3px rgb(0 0 0 / 60%);
}

.top:not(.has-content), :host([no-controls]) .top {
  display: none;
}

.title, .chapter {
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}

.logo {
  flex: none;
}

.logo img {
  display: block;
  max-width: 120px;
  height: 28px;
  object-fit: contain;
}

.bars {
  width: 100%;
  padding-top: 32px;
  /* Signs and the seek bar are seen before a white picture, too. */
  background: linear-gradient(transparent, rgb(0 0 0 / 62%) 40px, rgb(0 0 0 / 82%));
}

.seek, .buttons {
  display: flex;
  width: 100%;
}

.seek {
  padding: 0 4px;
  box-sizing: border-box;
  --media-control-padding: 4px 8px;
  --media-range-padding: 4px;
  --media-control-height: 12px;
}

media-settings-menu {
  margin: 0 8px 4px;
  border-radius: 8px;
  /* The seek bar takes clicks from above it, too. */
  z-index: 1;
}

media-time-range {
  flex: 1;
  --media-control-hover-background: transparent;
}

.buttons {
  align-items: center;
  box-sizing: border-box;
  padding: 0 6px 4px;
}

.buttons > * {
  border-radius: 6px;
}

media-volume-range {
  width: 0;
  padding: 10px 0;
  overflow: hidden;
  transition: width 0.15s;
  --media-control-hover-background: transparent;
}

media-mute-button:hover + media-volume-range,
media-volume-range:hover,
media-volume-range:focus-within,
media-mute-button:focus-within + media-volume-range {
  width: 76px;
  padding: 10px 8px;
}

media-time-display {
  --media-control-hover-background: transparent;
  font-variant-numeric: tabular-nums;
}

.chapter {
  flex: 1;
  min-width: 0;
  padding: 0 8px;
  font: 400 14px/24px var(--hv-font-family, system-ui, sans-serif);
}

.chapter:not(:empty)::before {
  content: "· ";
}

media-preview-thumbnail {
  margin-bottom: 4px;
}

media-controller:not([mediasubtitleslist]) media-captions-button,
media-controller:not([mediasubtitleslist]) .captions,
media-controller[mediarenditionunavailable] .quality,
media-controller[mediaaudiotrackunavailable] .sound {
  display: none;
}

.big {
  --media-control-height: 48px;
  padding: 18px;
  border-radius: 50%;
  background: var(--_panel);
  --media-control-background: var(--_panel);
  --media-control-hover-background: var(--_accent);
  transition: transform 0.15s;
}

.big:hover {
  transform: scale(1.06);
}

media-controller[mediahasplayed] .big,
media-controller:not([mediapaused]) .big {
  display: none;
}

media-loading-indicator {
  --media-loading-indicator-icon-height: 72px;
  position: absolute;
}

.note {
  position: absolute;
  top: 18%;
  padding: 8px 16px;
  border-radius: 999px;
  background: var(--_panel);
  font: 500 15px/1.4 var(--hv-font-family, system-ui, sans-serif);
  opacity: 0;
  pointer-events: none;
  transition: opacity 0.2s;
}

.note.shown {
  opacity: 1;
}

button.unmute, .problem-retry {
  padding: 10px 20px;
  border: 0;
  border-radius: 999px;
  background: var(--_text);
  color: #18181b;
  font: 600 15px/1.4 var(--hv-font-family, system-ui, sans-serif);
  cursor: pointer;
}

button.unmute {
  align-self: center;
  margin-top: 16px;
}

.problem {
  display: flex;
  align-items: center;
  justify-content: center;
  box-sizing: border-box;
  width: 100%;
  height: 100%;
  padding: 16px;
  background: rgb(0 0 0 / 80%);
  font: 400 15px/1.5 var(--hv-font-family, system-ui, sans-serif);
  text-align: center;
}

.problem-box {
  max-width: 480px;
}

/* What is behind the message would be read with it. */
media-controller:has(.problem:not([hidden])) :is(.top, .bars, media-loading-indicator) {
  opacity: 0;
}

.problem-title {
  margin: 0 0 8px;
  font-size: 20px;
  line-height: 1.3;
}

.problem-text {
  margin: 0 0 16px;
}

.problem-request {
  margin: 12px 0 0;
  color: rgb(255 255 255 / 70%);
  font-size: 12px;
  user-select: all;
}

:is(button, a):focus-visible {
  outline: 3px solid var(--_accent);
  outline-offset: 2px;
}

:host([no-controls]) .bars,
:host([no-controls]) media-settings-menu {
  display: none;
}

/* Names are those of media-chrome's breakpoints: sm is 384 px and more. */
media-controller:not([breakpointsm]) media-pip-button,
media-controller:not([breakpointmd]) .chapter {
  display: none;
}

media-controller:not([breakpointmd]) {
  --media-control-padding: 10px 6px;
  --media-preview-thumbnail-max-width: 120px;
  --media-preview-thumbnail-min-width: 100px;
}

media-controller:not([breakpointmd]) .big {
  --media-control-height: 32px;
}

media-controller:not([breakpointmd]) media-captions-button {
  margin-inline-start: auto;
}

media-controller:not([breakpointmd]):not([mediasubtitleslist]) media-settings-menu-button {
  margin-inline-start: auto;
}

@media (hover: none) {
  media-volume-range {
    display: none;
  }
}

@media (prefers-reduced-motion: reduce) {
  * {
    transition: none !important;
  }
}
`;

export const style = new CSSStyleSheet();
style.replaceSync(TEXT);
