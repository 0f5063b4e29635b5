/*
 * Where a transcript has its place: beside a wide picture, below a narrow one, and over
 * the picture in a frame that has room for nothing else.
 */

const BESIDE_FROM_PX = 720;
const LEAST_BELOW_PX = 180;
const USUAL_SHAPE = 16 / 9;

/* What the page gives the player, which grows with what is below the picture or does not. */
const placeIn = (player, setShape) => {
  const { clientWidth: width_px, clientHeight: height_px } = player;
  setShape(width_px / height_px);
  if (width_px >= BESIDE_FROM_PX) {
    return "beside";
  }
  player.dataset.transcript = "below";
  if (player.clientHeight > height_px) {
    return "below";
  }
  const { videoWidth, videoHeight } = player;
  const shape = videoWidth / videoHeight || USUAL_SHAPE;
  setShape(shape);
  return height_px - width_px / shape >= LEAST_BELOW_PX ? "below" : "over";
};

/** Make room for the transcript of a player, or take it back; return its place, or null. */
export const arrange = (player, controller, isShown) => {
  delete player.dataset.transcript;
  if (!isShown || player.clientHeight === 0) {
    return null;
  }
  const place = placeIn(player, (shape) => controller.style.setProperty("--_shape", shape));
  player.dataset.transcript = place;
  return place;
};
