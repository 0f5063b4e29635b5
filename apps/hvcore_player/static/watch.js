/*
 * Write the moments of a page as its reader's clock and language have them, and how
 * often the video can still be watched.
 */
(() => {
  "use strict";

  const format = new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  for (const element of document.querySelectorAll("time[data-local]")) {
    element.textContent = format.format(new Date(element.dateTime));
  }

  // The first play of this page uses a view.
  const views = document.querySelector("[data-views]");
  const player = document.querySelector("hv-player");
  if (views && player) {
    player.addEventListener("play", () => {
      const left = Number(views.dataset.views) - 1;
      const texts = ["This is the last time it can be watched", "Can be watched once more"];
      views.textContent = texts[left] ?? `Can be watched ${left.toLocaleString("en")} more times`;
    }, { once: true });
  }
})();
