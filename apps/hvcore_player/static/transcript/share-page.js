/*
 * The button of a share link's page that shows and hides the transcript.
 */

const player = document.querySelector("hv-player");
const button = document.querySelector("button[data-transcript]");

const isOpen = () => player.getAttribute("transcript") === "open";
const tell = () => button.setAttribute("aria-expanded", String(isOpen()));

button.addEventListener("click", () => {
  player.setAttribute("transcript", isOpen() ? "closed" : "open");
});
// The player has a button of its own.
new MutationObserver(tell).observe(player, { attributeFilter: ["transcript"] });
tell();
button.hidden = false;
