/*
 * Pictures over the seek bar, and chapter marks on it: WebVTT files beside the
 * playlist, which the controls read as tracks of the video.
 */

import { tokenOf, withToken } from "./addresses.js";

const STORYBOARD = { kind: "metadata", label: "thumbnails" };
const CHAPTERS = { kind: "chapters", label: "Chapters" };

const of = (video, { label }) => video.querySelector(`track[label="${label}"]`);

const put = (video, { kind, label }, address, loaded = () => {}) => {
  of(video, { label })?.remove();
  if (!address) {
    return;
  }
  const track = document.createElement("track");
  Object.assign(track, { kind, label, default: true, src: address });
  track.addEventListener("load", () => {
    loaded();
    // Who listens for tracks has seen it empty.
    video.textTracks.dispatchEvent(new Event("change"));
  });
  video.append(track);
  track.track.mode = "hidden";
};

/** Load the storyboard of an address ("" is none), and call when its pictures are known. */
export const showStoryboard = (video, address, loaded) => put(video, STORYBOARD, address, loaded);

export const showChapterMarks = (video, address) => put(video, CHAPTERS, address);

/** Give the pictures of the storyboard a token; return whether there is one, or will be. */
export const renewStoryboard = (video, token) => {
  const element = of(video, STORYBOARD);
  [...(element?.track.cues ?? [])].forEach((cue) => {
    cue.text = tokenOf(cue.text) ? withToken(cue.text, token) : cue.text;
  });
  // One that could not be loaded may be with another token.
  const hasFailed = element?.readyState === HTMLTrackElement.ERROR;
  return element !== null && !(hasFailed && tokenOf(element.src) !== token);
};
