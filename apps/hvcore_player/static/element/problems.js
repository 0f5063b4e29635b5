/*
 * What a viewer is told when a video does not play, and what to do about it.
 */

const TEXTS = {
  401: ["You need a new permission", "Your permission to watch this video is not valid or has expired. " +
    "Go back to the page that you came from and open the video again."],
  403: ["This video cannot be watched here", "The permission is for another video or another page."],
  404: ["This video is not available", "It was removed, or it is not ready yet."],
  429: ["This video cannot be watched now", "It was watched too often. Try again later."],
  unavailable: ["The service is busy", "The video goes on as soon as the service answers."],
  network: ["The connection is lost", "The video goes on as soon as the connection is back."],
  script: ["The player could not be loaded", "Check the connection, then try again."],
  media: ["Your browser cannot play this video", "Try another browser, or try again."],
};
const SHARE_TEXTS = {
  401: ["This took too long", "Reload the page to watch the video."],
  403: ["This link is over", "It has expired, was withdrawn, or was watched as often as allowed. " +
    "Ask whoever sent you this link for a new one."],
};
/* As MediaError has them. */
const NETWORK = 2;
const NOT_SUPPORTED = 4;

/** Tell whether trying again by itself is of use. */
export const isPassing = ({ kind, status }) =>
  kind === "network" && (status === 0 || status >= 500);

const textsOf = (problem, isShare) => {
  const { kind, status } = problem;
  if (kind !== "network") {
    return TEXTS[kind];
  }
  if (status >= 500) {
    return TEXTS.unavailable;
  }
  return (isShare && SHARE_TEXTS[status]) || TEXTS[status] ||
    (status >= 400 ? TEXTS[404] : TEXTS.network);
};

/** Return a problem as player.error shows it. */
export const describe = (problem, isShare) => {
  const [title, message] = textsOf(problem, isShare);
  return Object.freeze({
    code: problem.kind === "media" ? NOT_SUPPORTED : NETWORK,
    status: problem.status,
    requestId: problem.requestId,
    title,
    message,
  });
};

/**
 * Fill the panel over the video, or hide it (null).
 *
 * Args:
 *   isShare: Of a share link, which is over for good once it is.
 */
export const showProblem = (panel, error, isShare) => {
  panel.hidden = error === null;
  if (error === null) {
    return;
  }
  panel.querySelector(".problem-title").textContent = error.title;
  panel.querySelector(".problem-text").textContent = error.message;
  panel.querySelector(".problem-retry").hidden = isShare && error.status === 403;
  const request = panel.querySelector(".problem-request");
  request.textContent = error.requestId ? `Request ${error.requestId}` : "";
  request.hidden = !error.requestId;
};
