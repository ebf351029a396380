// What a notebook does with a widget: makes its view, attaches it (perhaps late, and its style later still), tells it
// of a change, and takes it away again.
async ({ state, style, late }) => {
  const names = ["positions", "nodes", "sizes", "relations", "weights"];
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const values = { ...state, ...Object.fromEntries(names.map((name) => [`_${name}`, bytes(state[name])])) };
  const listeners = new Map();
  const model = {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    save_changes() {},
    send() {},
    on: (name, act) => listeners.set(name, act),
    off: (name) => listeners.delete(name),
  };
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const el = document.createElement("div"), sheet = document.createElement("style");
  const stop = window.renderView({ model, el });
  if (late) await pause(150);
  document.body.append(el);
  if (late) await pause(150);
  sheet.textContent = style;
  document.head.append(sheet);
  while (!el.querySelector("[data-painted]")) await pause(20);
  const pixel = [...el.querySelector(".kg-canvas").getContext("2d").getImageData(1, 1, 1, 1).data];
  const legend = el.querySelector(".kg-legend").open, panel = el.querySelector(".kg-panel h3").textContent;
  values.selected = null;
  listeners.get("change:selected")();
  const reset = el.querySelector(".kg-panel").hidden;
  stop();
  return { pixel, legend, panel, reset, left: el.children.length, listening: listeners.size };
}
