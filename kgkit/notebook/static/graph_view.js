import { makeModel, neighbourhood } from "./graph_model.js";
import { Scene, shapeOf } from "./graph_scene.js";
import { fillCard, fillPanel, glyph, make, makeLegend, makeSearch, makeTable } from "./graph_panels.js";

// Puts model, canvas and panels together, for a notebook widget and for a page of its own.

const LIGHT = ["#3f6fd1", "#e0812f", "#3a9a5b", "#b8529b", "#1f9ea3", "#cf4f4b", "#7d63cf", "#8f9330", "#4e9fd8", "#99694a", "#df7f9f", "#6b7a8f"];
const DARK = ["#7aa2f7", "#f0a45d", "#6cc58a", "#e083c4", "#4fc7c9", "#f0807b", "#ab96f5", "#c2c65c", "#8ccbfa", "#cf9f7e", "#f5b0c5", "#9db0c8"];
let views = 0;

/** Whether a key belongs to the notebook, as Ctrl+S does. AltGr writes letters, and says Ctrl and Alt on some systems;
 * in a field, Ctrl+Z and its like are the field's. */
const isForNotebook = (event) => (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph")
  && !(event.target.matches("input,select,textarea") && /^([acvxyz]|Arrow.*|Backspace|Delete|Home|End|Enter)$/i.test(event.key));

/** Light or dark: as told, else as the notebook, else as the system. */
function isDark(wish) {
  if (wish === "light" || wish === "dark") return wish === "dark";
  const { body } = document, lab = body.dataset.jpThemeLight;
  if (lab !== undefined) return lab === "false";
  if (/\bvscode-(dark|high-contrast)\b/.test(body.className)) return true;
  if (body.classList.contains("vscode-light")) return false;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function readTheme(root, wish) {
  const dark = isDark(wish);
  root.dataset.theme = dark ? "dark" : "light";
  const style = getComputedStyle(root), color = (name) => style.getPropertyValue(`--kg-${name}`).trim();
  const theme = { dark, palette: dark ? DARK : LIGHT, font: style.fontFamily || "sans-serif" };
  for (const name of ["paper", "ink", "muted", "edge", "strong", "negated", "qualified", "accent", "rest"]) theme[name] = color(name);
  return theme;
}

class View {
  constructor(host, source, { page }) {
    this.source = source;
    this.page = page;
    this.number = ++views;
    this.model = makeModel(source.buffers, source.meta);
    this.filters = { group: new Set(), type: new Set() };
    this.undo = [];
    this.known = { nodes: new Map(), relations: new Map() };
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.build(host);
    this.listen();
    this.measure();
  }

  name(part) {
    return `kg-${this.number}-${part}`;
  }

  build(host) {
    const { meta } = this.model, button = (text, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    this.canvas = make("canvas", { class: "kg-canvas", tabindex: "0", role: "img", "aria-label": `Graph. ${meta.summary} Press / to search, Escape to reset.` });
    this.card = make("div", { class: "kg-card", role: "tooltip", hidden: true });
    this.panel = make("aside", { class: "kg-panel", "aria-label": "Selected entity", hidden: true });
    this.live = make("div", { class: "kg-unseen", "aria-live": "polite" });
    this.hint = make("div", { class: "kg-hint", hidden: true }, "Click the graph first, or hold Ctrl, to zoom");
    this.legendBody = make("div", { class: "kg-legend-body" });
    this.legend = make("details", { class: "kg-legend" }, make("summary", {}, "Legend"), this.legendBody);
    this.root = make("div", { class: `kgkit-graph${this.page ? " kg-page" : ""}`, role: "group", "aria-label": meta.title || "Graph" }, this.canvas);
    host.append(this.root);
    if (!this.page) this.root.style.height = `${this.source.height}px`;
    this.theme = readTheme(this.root, meta.theme);
    this.scene = new Scene(this.canvas, this.model, this.theme);
    this.scene.onPaint = () => { this.root.dataset.painted = String(Number(this.root.dataset.painted || 0) + 1); this.root.dataset.times = String(this.model.meta.times || 0); };
    this.search = makeSearch(this);
    this.heading = make("div", { class: "kg-heading" });
    this.table = makeTable(this);
    this.root.append(
      make("div", { class: "kg-top" },
        this.heading,
        make("div", { class: "kg-tools" }, this.search.node, button("+", "Zoom in (+)", () => this.scene.zoom(1.4)), button("−", "Zoom out (−)", () => this.scene.zoom(1 / 1.4)), button("⤢", "Show all (0)", () => this.reset()))),
      this.legend, this.panel, this.card, this.hint, this.live, this.table);
    this.drawHeading();
    if (!this.model.n) this.root.append(make("p", { class: "kg-nothing" }, "No entities to show."));
  }

  drawHeading() {
    const { meta } = this.model, told = [...meta.notes, ...(meta.quotes === undefined ? [] : this.quoteNote())];
    this.heading.replaceChildren(...(meta.title ? [make("h2", {}, make("bdi", { dir: "auto" }, meta.title))] : []), ...told.map((note) => make("p", { class: "kg-note" }, note)));
  }

  quoteNote() {
    const { details, quotes } = this.model.meta, cut = [...(details?.nodes || []), ...(details?.relations || [])].some((d) => (d.n || 0) > quotes);
    return cut ? [`This file holds up to ${quotes} quotes for each entity and relation.`] : [];
  }

  drawLegend() {
    const top = this.legend.scrollTop;
    this.legendBody.replaceChildren(...makeLegend(this));
    this.legend.scrollTop = top;
  }

  glyphOf(i) {
    return glyph(this.theme, shapeOf(this.model.type[i]), this.scene.colorOf(i));
  }

  on(target, name, act, options) {
    target.addEventListener(name, act, options);
    this.undo.push(() => target.removeEventListener(name, act, options));
  }

  listen() {
    const { canvas, root } = this;
    this.on(canvas, "pointerdown", (e) => this.press(e));
    this.on(canvas, "pointermove", (e) => this.point(e));
    this.on(canvas, "pointerup", (e) => this.release(e));
    this.on(canvas, "pointercancel", () => { this.held = null; });
    this.on(canvas, "pointerleave", () => this.hoverOn(null));
    this.on(canvas, "dblclick", (e) => { e.preventDefault(); this.reset(); });
    this.on(canvas, "wheel", (e) => this.wheel(e), { passive: false });
    this.on(root, "keydown", (e) => this.key(e));
    for (const name of ["keypress", "contextmenu", "copy", "cut", "paste"]) this.on(root, name, (e) => e.stopPropagation());
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(root);
    const themes = () => this.retheme();
    this.themes = new MutationObserver(themes);
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });
    this.on(matchMedia("(prefers-color-scheme: dark)"), "change", themes);
  }

  destroy() {
    this.undo.forEach((undo) => undo());
    this.sizes.disconnect();
    this.themes.disconnect();
    clearTimeout(this.hinting);
    clearTimeout(this.waiting);
    cancelAnimationFrame(this.looking);
    this.scene.destroy();
    this.root.remove();
  }

  retheme() {
    if (!this.started) return;
    Object.assign(this.theme, readTheme(this.root, this.model.meta.theme));
    this.drawLegend();
    this.scene.draw();
  }

  /** Follow the size of the root. A notebook may attach it, and its style, only after it was made. */
  measure() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!width || !height || (this.started && width === this.scene.width && height === this.scene.height)) return;
    this.scene.resize(width, height);
    if (this.started) this.scene.draw(); else this.start();
  }

  start() {
    Object.assign(this.theme, readTheme(this.root, this.model.meta.theme));
    if (!this.theme.paper) { this.waiting = setTimeout(() => this.measure(), 60); return; }
    this.started = true;
    this.legend.open = this.root.clientWidth > 620 && this.root.clientHeight > 330;
    this.drawLegend();
    this.insets();
    this.scene.camera = this.scene.cameraFor(this.scene.everything());
    this.scene.paint();
    if (this.source.selected) this.selectId(this.source.selected);
  }

  /** Tell the camera what the legend and the panel cover. */
  insets() {
    const wide = this.scene.width > 620, legend = wide && this.legend.open ? this.legend.offsetWidth + 12 : 0;
    const top = this.root.querySelector(".kg-top").offsetHeight;
    this.scene.inset = { left: legend, right: wide && !this.panel.hidden ? this.panel.offsetWidth + 12 : 0, top: Math.min(top, 90), bottom: !wide && !this.panel.hidden ? this.scene.height * 0.45 : 0 };
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    if (event.button) return;
    const [x, y] = this.at(event);
    this.held = { x, y, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  point(event) {
    const [x, y] = this.at(event);
    if (!this.held) return this.hoverAt(x, y);
    const dx = x - this.held.x, dy = y - this.held.y;
    if (!this.held.moved && Math.hypot(dx, dy) < 4) return;
    Object.assign(this.held, { x, y, moved: true });
    this.root.classList.add("kg-dragging");
    this.hoverOn(null);
    this.scene.pan(dx, dy);
  }

  release(event) {
    const held = this.held;
    this.held = null;
    this.root.classList.remove("kg-dragging");
    if (!held || held.moved) return;
    const target = this.scene.pick(...this.at(event));
    if (target?.node !== undefined) this.select(target.node, { fly: true });
    else if (target?.disc !== undefined) this.closer(target.disc);
  }

  closer(g) {
    const members = this.scene.everything().filter((i) => this.model.group[i] === g);
    const to = this.scene.cameraFor(members);
    this.scene.fly({ ...to, s: Math.max(to.s, 0.22) }, this.calm);
  }

  hoverAt(x, y) {
    this.pointer = [x, y];
    if (this.looking) return;
    this.looking = requestAnimationFrame(() => {
      this.looking = 0;
      if (!this.held && !this.scene.dead) this.hoverOn(this.scene.pick(...this.pointer), ...this.pointer);
    });
  }

  hoverOn(target, x, y) {
    const key = target ? JSON.stringify(target) : "";
    if (key !== this.hovered) {
      this.hovered = key;
      this.scene.hover = target && target.disc === undefined ? target : null;
      this.canvas.style.cursor = target && target.lane === undefined ? "pointer" : "";
      this.card.hidden = !target || target.node === this.selectedRow;
      if (!this.card.hidden) fillCard(this, this.card, target);
      this.scene.draw();
    }
    if (target) this.placeCard(x, y);
  }

  placeCard(x, y) {
    const { width, height } = this.scene, w = this.card.offsetWidth, h = this.card.offsetHeight;
    const left = x + 18 + w < width ? x + 18 : x - w - 14;
    this.card.style.left = `${Math.max(6, left)}px`;
    this.card.style.top = `${Math.max(6, Math.min(y + 14, height - h - 6))}px`;
  }

  wheel(event) {
    if (!this.page && !event.ctrlKey && !event.metaKey && !this.root.contains(document.activeElement)) return this.tellHint();
    event.preventDefault();
    event.stopPropagation();
    this.hoverOn(null);
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 200 : 1;
    this.scene.zoom(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.008 : 0.0016)), ...this.at(event));
  }

  tellHint() {
    this.hint.hidden = false;
    clearTimeout(this.hinting);
    this.hinting = setTimeout(() => { this.hint.hidden = true; }, 1400);
  }

  key(event) {
    if (isForNotebook(event)) return;
    event.stopPropagation();
    if (event.target instanceof HTMLInputElement || event.isComposing) return;
    const step = 60, acts = {
      "/": () => { this.search.input.focus(); this.search.input.select(); }, Escape: () => this.reset(), 0: () => this.reset(),
      "+": () => this.scene.zoom(1.3), "=": () => this.scene.zoom(1.3), "-": () => this.scene.zoom(1 / 1.3),
      ArrowLeft: () => this.scene.pan(step, 0), ArrowRight: () => this.scene.pan(-step, 0), ArrowUp: () => this.scene.pan(0, step), ArrowDown: () => this.scene.pan(0, -step),
    };
    if (!(event.key in acts) || (event.key.startsWith("Arrow") && event.target !== this.canvas)) return;
    event.preventDefault();
    acts[event.key]();
  }

  /** Select a row, fade all but its neighbourhood, and tell the source. */
  select(i, { fly = false, tell = true } = {}) {
    this.selectedRow = i;
    this.scene.selected = i;
    this.scene.focus = neighbourhood(this.model, i, this.model.meta.hops || 1, (j) => this.scene.visible[j]);
    this.card.hidden = true;
    fillPanel(this, this.panel, i);
    this.insets();
    this.live.textContent = `${this.model.meta.names[i]} selected, ${this.scene.focus.size - 1} neighbours.`;
    if (tell) this.source.select(this.model.meta.ids[i]);
    if (fly) this.scene.fly(this.scene.cameraFor([...this.scene.focus.keys()]), this.calm); else this.scene.draw();
  }

  selectId(id) {
    const i = this.model.row.get(id);
    if (i === undefined) this.reset({ tell: false, fit: false });
    else if (i !== this.selectedRow) this.select(i, { fly: true, tell: false });
  }

  reset({ tell = true, fit = true } = {}) {
    const had = this.selectedRow !== undefined;
    this.selectedRow = undefined;
    this.scene.selected = -1;
    this.scene.focus = null;
    this.panel.hidden = true;
    this.hoverOn(null);
    if (!had && fit && (this.filters.group.size || this.filters.type.size)) this.clearFilters();
    if (this.search.input.value) this.search.clear();
    this.insets();
    if (tell && had) this.source.select(null);
    if (fit) this.scene.fly(this.scene.cameraFor(this.scene.everything()), this.calm); else this.scene.draw();
  }

  clearFilters() {
    this.filters.group.clear();
    this.filters.type.clear();
    this.refilter();
  }

  toggle(kind, number) {
    const set = this.filters[kind];
    if (set.has(number)) set.delete(number); else set.add(number);
    this.refilter();
    this.scene.fly(this.scene.cameraFor(this.scene.everything()), this.calm);
  }

  filter() {
    const { group, type } = this.filters, { model, scene } = this;
    for (let i = 0; i < model.n; i++) scene.visible[i] = (!group.size || group.has(scene.groupKey(i))) && (!type.size || type.has(model.type[i])) ? 1 : 0;
    scene.groupFilter = group.size ? group : null;
    scene.dirty();
  }

  /** Show other data in place: what became of the graph. Camera, filters and selection stay. */
  replace(source) {
    this.source = source;
    this.model = makeModel(source.buffers, source.meta);
    this.known = { nodes: new Map(), relations: new Map() };
    this.scene.take(this.model);
    this.filter();
    const table = makeTable(this);
    this.table.replaceWith(table);
    this.table = table;
    this.canvas.setAttribute("aria-label", `Graph. ${source.meta.summary} Press / to search, Escape to reset.`);
    this.drawHeading();
    this.hoverOn(null);
    if (!this.started) return;
    this.drawLegend();
    const i = source.selected ? this.model.row.get(source.selected) : undefined;
    if (i === undefined) {
      this.selectedRow = undefined;
      this.panel.hidden = true;
      this.insets();
      this.scene.draw();
    } else this.select(i, { tell: false });
    if (this.search.input.value) this.search.again();
  }

  refilter() {
    const { scene, model } = this;
    this.filter();
    if (this.selectedRow !== undefined) this.reset({ fit: false });
    this.live.textContent = `${scene.everything().length} of ${model.n} entities shown.`;
    this.drawLegend();
  }

  /** Give details of rows to `fill`: those at hand at once, others when the source has them, else say why not. */
  details(kind, rows, fill, fail) {
    const known = this.known[kind], ahead = this.model.meta.details?.[kind];
    if (ahead) return fill(rows.map((r) => ahead[r] || {}));
    if (rows.every((r) => known.has(r))) return fill(rows.map((r) => known.get(r)));
    fail("Looking up the evidence …");
    this.source.ask(kind, rows).then((details) => {
      rows.forEach((r, k) => known.set(r, details[k] || {}));
      if (!this.scene.dead) fill(rows.map((r) => known.get(r)));
    }, (error) => { if (!this.scene.dead) fail(error.message); });
  }
}

/** Start a view; the element gets `kgkitGraph`, a small interface for scripts of the host page. */
function mount(host, source, options) {
  const view = new View(host, source, options);
  view.root.kgkitGraph = {
    ids: () => [...view.model.meta.ids],
    where: (id) => { const i = view.model.row.get(id); return view.scene.toScreen(view.model.xy[2 * i], view.model.xy[2 * i + 1]); },
    select: (id) => (id === null ? view.reset() : view.selectId(id)),
    camera: () => ({ ...view.scene.camera }),
    cost: () => view.scene.cost,
    still: () => view.scene.still,
    named: (id) => view.model.meta.names[view.model.row.get(id)],
  };
  return view;
}

const NAMES = ["positions", "nodes", "sizes", "relations", "weights"];

/** The data of a notebook widget; details are asked of the kernel. */
function widgetSource(model) {
  const waiting = [], times = model.get("_meta").times;
  const answered = (message) => {
    if (!message?.answer) return;
    for (const asked of waiting.splice(0)) {
      if (asked.kind === message.answer && String(asked.rows) === String(message.rows)) { clearTimeout(asked.late); asked.done(message.details); } else waiting.push(asked);
    }
  };
  model.on("msg:custom", answered);
  const buffer = (name) => { const view = model.get(`_${name}`); return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength); };
  return {
    buffers: Object.fromEntries(NAMES.map((name) => [name, buffer(name)])),
    meta: model.get("_meta"),
    height: model.get("height"),
    selected: model.get("selected"),
    select(id) { model.set("selected", id); model.save_changes(); },
    ask: (kind, rows) => new Promise((done, fail) => {
      const late = setTimeout(() => {
        waiting.splice(waiting.findIndex((asked) => asked.late === late), 1);
        fail(new Error("The kernel has not answered: it is busy, or gone. Run the cell again if it stays so."));
      }, 4000);
      waiting.push({ kind, rows, done, late });
      model.send({ ask: kind, rows, times });
    }),
    stop() { model.off("msg:custom", answered); waiting.forEach((asked) => clearTimeout(asked.late)); },
  };
}

function render({ model, el }) {
  let source = widgetSource(model);
  const view = mount(el, source, { page: false });
  const follow = () => {
    if (model.get("_meta") !== source.meta) return; // another graph came along with this selection, and is shown next
    const id = model.get("selected");
    if (id !== null) view.selectId(id);
    else if (view.selectedRow !== undefined) view.reset({ tell: false });
  };
  const replace = () => { source.stop(); source = widgetSource(model); view.replace(source); };
  const tall = () => { view.root.style.height = `${model.get("height")}px`; };
  model.on("change:selected", follow);
  model.on("change:height", tall);
  model.on("change:_meta", replace);
  return () => { model.off("change:_meta", replace); model.off("change:selected", follow); model.off("change:height", tall); source.stop(); view.destroy(); };
}

/** Start the view of a page that holds its own data. */
export function mountPage() {
  const data = JSON.parse(document.getElementById("kgkit-data").textContent);
  const buffer = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const source = { buffers: Object.fromEntries(NAMES.map((name) => [name, buffer(data[name])])), meta: data.meta, selected: data.meta.selected, select() {}, ask: () => Promise.resolve([]) };
  mount(document.getElementById("kgkit-graph"), source, { page: true });
}

export default { render };
