// Buttons that save a chart, as shown, to a file.

/** Adds a button for each kind of file: `kinds` are names, and functions from titles to texts. */
function addSaving(figure, file, kinds) {
  const title = figure.querySelector("h3").textContent;
  const place = document.createElement("span");
  place.className = "save";
  for (const [kind, textOf] of Object.entries(kinds)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.title = `Save as ${kind}, as shown`;
    button.setAttribute("aria-label", `Save “${title}” as ${kind}`);
    button.addEventListener("click", () => save(`${file}.${kind.toLowerCase()}`, textOf(title)));
    place.append(button);
  }
  figure.querySelector("figcaption").prepend(place);
}

/** Milliseconds after which a browser has surely begun to read the file that it saves. */
const A_WHILE = 10_000;
const TYPES = { svg: "image/svg+xml", csv: "text/csv" };

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: TYPES[name.split(".").at(-1)] }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), A_WHILE);
}
