// Curves as uPlot draws them.

const DENSE = 1000;
const DASHES = { solid: [], dashed: [7, 4], dotted: [2, 3], dashdot: [8, 3, 2, 3] };

/** Whether lines are so many that they are drawn thin; segments do not overlap. */
const isCrowded = (chart) => chart.curves.filter(({ mark }) => mark !== "segments").length > 7;

function seriesOf(curve, crowded) {
  const stroke = () => colourOf(curve);
  if (standsAlone(curve)) {
    // Dots of several curves may overlap: dots drawn first are larger.
    const size = { solid: 6, dashed: 8, dotted: 10, dashdot: 5 }[curve.dash];
    const points = { show: curve.mark === "dots", size, width: 0, stroke, fill: stroke };
    return { label: curve.label, stroke, paths: () => null, points };
  }
  const paths = curve.mark === "steps" ? uPlot.paths.stepped({ align: 1 }) : undefined;
  const width = crowded ? 1 : 1.4;
  const marked = curve.mark === "points" || curve.y.length === 1;
  const points = marked ? { show: true, size: 5, width: 0, stroke, fill: stroke } : { show: false };
  // Dashes are unreadable on a line of very many points.
  // Curves beyond the palette keep them, since their colours repeat.
  const repeats = !curve.ramp && curve.colour >= palette.light.length;
  const dash = DASHES[curve.y.length > DENSE && !repeats ? "solid" : curve.dash];
  return { label: curve.label, stroke, width, dash, paths, points };
}
