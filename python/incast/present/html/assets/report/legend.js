// The legend: names, values at the pointer, and buttons that hide and show curves.

const MOST_ENTRIES = 9;

function addLegend(place, chart, plot) {
  const hovered = document.createElement("span");
  hovered.className = "place";
  const alone = needsNoName(chart);
  const tag = alone ? "span" : "button";
  const entries = groupsOf(chart).map((group) => entryOf(chart, plot, group, tag));
  place.classList.toggle("many", entries.length > 8);
  place.classList.toggle("alone", alone);
  place.append(...entries.map((entry) => entry.button), hovered);
  const update = () => {
    const index = plot.cursor.idx;
    const at = index == null ? null : plot.data[0][index];
    hovered.textContent = at == null ? "" : `at ${format(chart.x, at, 4)}`;
    for (const entry of entries) entry.update(at == null ? null : plot.cursor.idxs);
  };
  plot.hooks.setCursor = [update];
  place.addEventListener("dblclick", (event) => {
    const entry = entries.find(({ button }) => button.contains(event.target));
    if (entry && !alone) isolate(entry, entries);
  });
}

/** One entry for each label, or, if labels are too many, one for each run. */
function groupsOf(chart) {
  const curves = chart.curves.map((curve, index) => ({ curve, series: index + 1 }));
  const labels = new Set(chart.curves.map((curve) => curve.label));
  const key = labels.size <= MOST_ENTRIES || chart.curves[0].ramp ? "label" : "group";
  return [...new Set(chart.curves.map((curve) => curve[key]))].map((label) => {
    const own = curves.filter(({ curve }) => curve[key] === label);
    return { curve: own[0].curve, label, series: own.map(({ series }) => series) };
  });
}

/** Whether the chart has a single curve, named like its run. */
function needsNoName(chart) {
  const [first] = chart.curves;
  return groupsOf(chart).length === 1 && first.label === first.group;
}

function shownGroups(chart, plot) {
  if (needsNoName(chart)) return [];
  return groupsOf(chart).filter(({ series }) => series.some((each) => plot.series[each].show));
}

/** An entry: a button that hides its curves, or, for a single curve, only the values. */
function entryOf(chart, plot, { curve, label, series }, tag) {
  const button = document.createElement(tag);
  const name = document.createElement("span"), value = document.createElement("span");
  name.className = "name";
  name.textContent = label;
  value.className = "value";
  button.className = "entry";
  button.append(keyOf(curve), name, value);
  const entry = {
    button,
    shown: true,
    show(shown) {
      entry.shown = shown;
      button.setAttribute("aria-pressed", String(shown));
      plot.batch(() => series.forEach((each) => plot.setSeries(each, { show: shown })));
    },
    update(indices) {
      const values = indices ? series.map((each) => plot.data[each][indices[each]]) : [];
      value.textContent = rangeText(chart.y, values.filter((y) => y != null));
    },
  };
  if (tag === "button") {
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => entry.show(!entry.shown));
  }
  return entry;
}

function rangeText(axis, values) {
  if (!values.length) return "";
  if (axis.names) return values.length > 1 ? "" : axis.names[values[0]];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const text = format(axis, high, 3);
  return low === high ? text : `${format(axis, low, 3)} – ${text}`;
}

/** Shows one entry alone, or all entries if it was alone before. */
function isolate(entry, entries) {
  // The two clicks of the double click have hidden the entry and shown it again.
  const alone = entries.every((each) => each.shown === (each === entry));
  for (const each of entries) each.show(alone || each === entry);
}

/** The sample of a curve in the legend. */
function keyOf(curve) {
  const key = element("svg", { width: 22, height: 10, "aria-hidden": "true" });
  key.paint = () => key.replaceChildren(keyShape(curve, 5, colourOf(curve)));
  key.paint();
  return key;
}

/** A stroke or a dot in the style of the curve. */
function keyShape(curve, middle, colour) {
  if (standsAlone(curve)) return element("circle", { cx: 11, cy: middle, r: 3.5, fill: colour });
  return element("path", {
    d: `M1 ${middle}H21`, fill: "none", stroke: colour, "stroke-width": 2,
    "stroke-dasharray": DASHES[curve.dash].join(" ") || "none",
  });
}
