/*
 * How the transcript looks, and where it has its place: beside the picture, below it, or
 * over it. The element says which in data-transcript.
 */

const TEXT = `
:host([data-transcript]:not([hidden], [data-transcript=over])) {
  display: grid !important;
  /* The page's shape is that of the picture. */
  aspect-ratio: auto !important;
  overflow: clip;
}

:host([data-transcript=beside]) {
  grid-template-columns: minmax(0, 1fr) clamp(280px, 30%, 400px);
}

:host([data-transcript=below]) {
  grid-template-rows: auto minmax(180px, 1fr);
}

:host([data-transcript]:not([data-transcript=over])) media-controller {
  place-self: stretch;
  height: auto;
  min-height: 0;
  aspect-ratio: var(--_shape);
}

.transcript {
  color-scheme: dark;
  display: flex;
  flex-direction: column;
  contain: size layout;
  min-width: 0;
  background: var(--_menu);
  font: 400 15px/1.5 var(--hv-font-family, system-ui, sans-serif);
}

:host([data-transcript=below]) .transcript {
  contain-intrinsic-height: 320px;
}

:host([data-transcript=over]) .transcript {
  position: absolute;
  inset: 0 0 0 auto;
  z-index: 2;
  width: min(100%, 340px);
}

.transcript :is(header, .search) {
  display: flex;
  align-items: center;
  gap: 4px;
  padding: 4px 4px 4px 12px;
}

.transcript h2 {
  flex: 1;
  min-width: 0;
  margin: 0;
  overflow: hidden;
  font: inherit;
  font-weight: 600;
  text-overflow: ellipsis;
  white-space: nowrap;
}

.transcript h2 span {
  color: color-mix(in srgb, var(--_text) 72%, transparent);
  font-weight: 400;
}

.transcript input {
  flex: 1;
  min-width: 0;
  box-sizing: border-box;
  height: 32px;
  padding: 0 10px;
  border: 1px solid rgb(255 255 255 / 45%);
  border-radius: 6px;
  background: rgb(255 255 255 / 8%);
  color: inherit;
  font: inherit;
}

.transcript input:focus-visible, .transcript .cues:focus-visible {
  outline: 2px solid var(--_accent);
}

.transcript .count {
  min-width: 4em;
  font-size: 13px;
  text-align: center;
  font-variant-numeric: tabular-nums;
}

.transcript button, .transcript-button {
  border: 0;
  border-radius: 6px;
  background: none;
  color: inherit;
  font: inherit;
  cursor: pointer;
}

.transcript :is(header, .search) button {
  flex: none;
  width: 32px;
  height: 32px;
  padding: 6px;
}

:is(.transcript, .transcript-button) svg {
  display: block;
  width: 100%;
  fill: none;
  stroke: currentcolor;
  stroke-width: 2;
  stroke-linecap: round;
}

.transcript button:hover, .transcript-button:hover {
  background: rgb(255 255 255 / 14%);
}

.transcript button:disabled {
  opacity: 0.4;
  cursor: default;
}

.transcript .cues {
  position: relative;
  flex: 1;
  min-height: 0;
  overflow: hidden auto;
  overscroll-behavior: contain;
  padding: 0 4px 8px;
}

.transcript .part {
  content-visibility: auto;
  contain-intrinsic-height: auto 2000px;
}

.transcript .cues button {
  display: flex;
  gap: 10px;
  width: 100%;
  padding: 6px 8px;
  outline-offset: -3px;
  text-align: start;
}

.transcript .time {
  flex: none;
  color: color-mix(in srgb, var(--_text) 72%, transparent);
  font-size: 13px;
  line-height: 22px;
  font-variant-numeric: tabular-nums;
}

.transcript .text {
  min-width: 0;
  overflow-wrap: anywhere;
  unicode-bidi: plaintext;
  white-space: pre-line;
}

.transcript [aria-current] {
  background: rgb(255 255 255 / 12%);
  box-shadow: inset 3px 0 var(--_accent);
}

.transcript [dir=rtl] [aria-current] {
  box-shadow: inset -3px 0 var(--_accent);
}

.transcript mark {
  border-radius: 2px;
  background: #fde68a;
  color: #18181b;
}

.transcript mark.chosen {
  background: #fb923c;
}

.transcript .follow {
  align-self: center;
  margin: 6px 0 10px;
  padding: 4px 16px;
  border-radius: 999px;
  background: var(--_text);
  color: #18181b;
  font-weight: 600;
}

.transcript .follow:hover {
  background: color-mix(in srgb, var(--_text) 85%, #000);
}

.transcript .message {
  margin: 0;
  padding: 8px 12px;
}

.transcript .message:empty {
  display: none;
}

.transcript .again {
  align-self: flex-start;
  margin: 0 12px;
  padding: 4px 12px;
  border: 1px solid currentcolor;
}

.transcript-button {
  box-sizing: border-box;
  width: 40px;
  height: 44px;
  padding: 12px 10px;
}

.transcript-button[aria-expanded=true] {
  color: var(--_accent);
}

/* Full screen shows the picture alone; on the smallest ones there is room for few buttons,
   and captions are in the menu, too. */
media-controller[mediaisfullscreen] .transcript-button,
media-controller:not([breakpointsm]):has(.transcript-button:not([hidden])) media-captions-button {
  display: none;
}

media-controller:not([breakpointsm]) .transcript-button {
  margin-inline-start: auto;
}

@media (forced-colors: active) {
  .transcript [aria-current] {
    outline: 2px solid Highlight;
  }
}
`;

export const style = new CSSStyleSheet();
style.replaceSync(TEXT);
