// Colours by purpose: one set for dark screens, one for light screens and paper.

const darkScreen = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

const isDark = () => darkScreen.matches && !printing;
const inkColour = (dark = isDark()) => (dark ? "#9aa3ad" : "#5c636b");
const paperColour = (dark = isDark()) => (dark ? "#14171a" : "#ffffff");
const gridColour = (dark = isDark()) => (dark ? "#2b3036" : "#e6e9ed");

function colourOf(curve, dark = isDark()) {
  if (curve.ramp) return onRamp(curve.colour, dark ? palette.rampDark : palette.rampLight);
  const colours = dark ? palette.dark : palette.light;
  return colours[curve.colour % colours.length];
}

function onRamp(position, ramp) {
  const place = position * (ramp.length - 1);
  return mix(ramp[Math.floor(place)], ramp[Math.ceil(place)], 1 - (place % 1));
}

function mix(from, to, share) {
  const channel = (colour, at) => parseInt(colour.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) =>
    Math.round(channel(from, at) * share + channel(to, at) * (1 - share)));
  return `#${mixed.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}
