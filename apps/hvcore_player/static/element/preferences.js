/*
 * What a viewer chose before: volume and captions, kept by the browser.
 */

const PLACE = "hv-player";

const read = () => {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {};
  } catch {
    // There may be no storage in a frame of another site.
    return {};
  }
};

/** What is remembered: volume (0 to 1), muted, and captions (a language or "off"). */
export const preferences = () => {
  const { volume, muted, captions } = read();
  return {
    volume: typeof volume === "number" && volume >= 0 && volume <= 1 ? volume : null,
    muted: muted === true,
    captions: typeof captions === "string" ? captions : null,
  };
};

export const remember = (changes) => {
  try {
    localStorage.setItem(PLACE, JSON.stringify({ ...read(), ...changes }));
  } catch {
    // Then it is forgotten.
  }
};
