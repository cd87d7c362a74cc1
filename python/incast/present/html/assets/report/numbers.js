// Numbers for readers: few digits, in a unit that fits their size.

const UNITS = {
  s: [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]],
  B: [[1e15, "PB"], [1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "B"]],
  bps: [[1e15, "Pbps"], [1e12, "Tbps"], [1e9, "Gbps"], [1e6, "Mbps"], [1e3, "kbps"], [1, "bps"]],
};

/** The unit in which a number of this size is best read: [its size, its name]. */
function unitOf(axis, value) {
  const units = UNITS[axis.unit];
  if (!units) return [1, ""];
  // 0.9995, since a number that rounds to 1000 of a unit is 1 of the next.
  const fits = units.find(([size]) => Math.abs(value) >= 0.9995 * size);
  return fits || (value ? units[units.length - 1] : units.find(([size]) => size === 1));
}

/** A number with few digits, without exponential notation, and without trailing zeros. */
function digits(value, significant) {
  if (value === 0) return "0";
  const decimals = Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number(value.toFixed(Math.min(decimals, 12))));
}

function format(axis, value, significant) {
  const [size, unit] = unitOf(axis, value);
  return `${digits(value / size, significant)} ${unit}`.trim();
}
