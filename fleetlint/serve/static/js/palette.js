// The colours of fleets: after Okabe and Ito, told apart by people with any kind of colour blindness. The label of a
// role names its fleet as well, and past eight fleets colours come over again.

/** @import { Model } from "./types" */

/** @type {readonly (readonly [number, number, number])[]} */
const HUES = [
  [86, 180, 233],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [240, 228, 66],
  [0, 114, 178],
  [213, 94, 0],
  [140, 112, 219],
];
const GREY = /** @type {const} */ ([140, 140, 140]);

/**
 * The colours of a fleet; those of no fleet, or of several, are grey.
 * @param {Model} model
 * @param {string} fleet
 * @param {boolean} dark
 * @returns {{fill: string, line: string}}
 */
export function coloursOf(model, fleet, dark) {
  const at = fleet ? model.fleets.filter(Boolean).indexOf(fleet) : -1;
  const hue = at < 0 ? GREY : HUES[at % HUES.length];
  return dark
    ? { fill: mix(hue, [22, 27, 34], 0.36), line: mix(hue, [255, 255, 255], 0.85) }
    : { fill: mix(hue, [255, 255, 255], 0.26), line: mix(hue, [0, 0, 0], 0.78) };
}

/**
 * @param {readonly number[]} colour
 * @param {readonly number[]} ground
 * @param {number} share of the colour, 0 to 1
 */
function mix(colour, ground, share) {
  return `rgb(${colour.map((value, at) => Math.round(value * share + ground[at] * (1 - share))).join(",")})`;
}
