/*
 * Begin by itself: when the player is in view, and without sound where the
 * browser wants a click before there is any.
 */

const inView = (element, signal) => new Promise((done) => {
  const observer = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) {
      observer.disconnect();
      done();
    }
  });
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
});

/**
 * Play once the player is seen.
 *
 * Args:
 *   unmute: A button, shown if there is no sound though there should be.
 *   signal: Aborted when the player is taken out of its page.
 */
export const autoplay = async (player, video, unmute, signal) => {
  await inView(player, signal);
  try {
    await video.play();
  } catch (cause) {
    if (cause.name !== "NotAllowedError" || video.muted || signal.aborted) {
      return;
    }
    video.muted = true;
    await video.play().catch(() => {});
    unmute.hidden = video.paused;
    unmute.addEventListener("click", () => {
      video.muted = false;
    }, { once: true, signal });
    video.addEventListener("volumechange", () => {
      unmute.hidden = !video.muted;
    }, { signal });
  }
};
