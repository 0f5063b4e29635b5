/*
 * Show the last picture at the end. Sound often lasts longer than the pictures: a browser
 * that seeks to the end finds none there, and goes on showing the one from before.
 */

const BEFORE_END_S = 0.05;
/* Browsers keep whole microseconds. */
const ROUNDED_S = 0.001;

/** Seek to the end by way of the last picture. */
export const showLastPicture = (video) => {
  /* Where it is sent on its way to the end; null: nowhere. */
  let by_s = null;
  video.addEventListener("seeking", () => {
    const { currentTime, duration } = video;
    if (by_s === null && duration > BEFORE_END_S && currentTime >= duration) {
      by_s = duration - BEFORE_END_S;
      video.currentTime = by_s;
    } else if (currentTime < duration && Math.abs(currentTime - by_s) > ROUNDED_S) {
      // Somebody has gone elsewhere meanwhile.
      by_s = null;
    }
  });
  video.addEventListener("seeked", () => {
    if (by_s !== null && video.currentTime < video.duration) {
      video.currentTime = video.duration;
    } else {
      by_s = null;
    }
  });
};
