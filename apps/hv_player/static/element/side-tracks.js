/*
 * Pictures over the seek bar, and chapter marks on it: WebVTT files beside the
 * playlist, which the controls read as tracks of the video.
 */

import { tokenOf, withToken } from "./addresses.js";

const STORYBOARD = { kind: "metadata", label: "thumbnails" };
const CHAPTERS = { kind: "chapters", label: "Chapters" };

const put = (video, { kind, label }, address) => {
  video.querySelector(`track[label="${label}"]`)?.remove();
  if (!address) {
    return;
  }
  const track = document.createElement("track");
  Object.assign(track, { kind, label, default: true, src: address });
  track.addEventListener("load", () => {
    // Who listens for tracks has seen it empty.
    video.textTracks.dispatchEvent(new Event("change"));
  });
  video.append(track);
  track.track.mode = "hidden";
};

export const hasStoryboard = (video) =>
  video.querySelector(`track[label="${STORYBOARD.label}"]`) !== null;

export const showStoryboard = (video, address) => put(video, STORYBOARD, address);

export const showChapterMarks = (video, address) => put(video, CHAPTERS, address);

/** Give the pictures of a storyboard that is loaded another token. */
export const renewStoryboard = (video, token) => {
  const element = video.querySelector(`track[label="${STORYBOARD.label}"]`);
  [...(element?.track.cues ?? [])].forEach((cue) => {
    cue.text = tokenOf(cue.text) ? withToken(cue.text, token) : cue.text;
  });
};
