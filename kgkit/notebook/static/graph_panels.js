import { POLARITY, searchNames } from "./graph_model.js";
import { shapeOf, traceShape } from "./graph_scene.js";

// What stands beside the canvas: search, legend, the card at the pointer, the panel of the selected entity.
// Text from documents only ever becomes text nodes.

/** Make an element; strings among the children become text nodes. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Text of a document, in its own direction. */
const said = (text, className) => make("bdi", { class: className, dir: "auto" }, String(text));
const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
const readable = (predicate) => predicate.replaceAll("_", " ");

export function glyph(theme, shape, color) {
  const canvas = make("canvas", { class: "kg-glyph", width: 28, height: 28, "aria-hidden": "true" });
  const ctx = canvas.getContext("2d");
  ctx.scale(2, 2);
  ctx.beginPath();
  traceShape(ctx, shape, 7, 7.3, 5);
  ctx.fillStyle = color;
  ctx.fill();
  return canvas;
}

/** Search: as one types, the number of names that fit and the best of them; Enter goes to the first. */
export function makeSearch(view) {
  const list = make("ul", { class: "kg-hits", role: "listbox", id: view.name("hits"), hidden: true });
  const number = make("span", { class: "kg-number", "aria-live": "polite" });
  const input = make("input", {
    type: "search", class: "kg-search", placeholder: "Search  /", "aria-label": "Search names and aliases", autocomplete: "off",
    spellcheck: "false", role: "combobox", "aria-expanded": "false", "aria-controls": view.name("hits"),
  });
  let hits = [], at = 0;
  const show = () => {
    hits = searchNames(view.model, input.value);
    at = 0;
    view.scene.matches = new Set(input.value.trim() ? hits.slice(0, 2000) : []);
    number.textContent = input.value.trim() ? (hits.length ? count(hits.length, "match", "matches") : "no match") : "";
    list.replaceChildren(...hits.slice(0, 9).map(row));
    if (hits.length > 9) list.append(make("li", { class: "kg-more", role: "presentation" }, `and ${(hits.length - 9).toLocaleString("en")} more, ringed in the graph`));
    open(hits.length > 0);
    view.scene.draw();
  };
  const open = (yes) => {
    list.hidden = !yes;
    input.setAttribute("aria-expanded", String(yes));
    mark();
  };
  const row = (i, k) => {
    const { model } = view, query = input.value.trim().toLowerCase();
    const name = model.meta.names[i], alias = (model.meta.aliases[i] || []).find((a) => a.toLowerCase().includes(query));
    const other = alias && !name.toLowerCase().includes(query) ? make("small", {}, " also ", said(alias)) : null;
    const choose = (event) => { event.preventDefault(); pick(i); };
    return make("li", { role: "option", id: view.name(`hit${k}`), onpointerdown: choose }, view.glyphOf(i), said(name), other, make("small", {}, ` ${model.meta.types[model.type[i]]}`));
  };
  const mark = () => {
    [...list.children].forEach((item, k) => item.setAttribute?.("aria-selected", String(k === at)));
    input.setAttribute("aria-activedescendant", list.hidden ? "" : view.name(`hit${at}`));
  };
  const pick = (i) => { open(false); view.select(i, { fly: true }); view.canvas.focus({ preventScroll: true }); };
  input.addEventListener("input", show);
  input.addEventListener("blur", () => open(false));
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && hits.length) pick(hits[at]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      at = (at + (event.key === "ArrowDown" ? 1 : -1) + Math.min(9, hits.length)) % Math.max(1, Math.min(9, hits.length));
      open(hits.length > 0);
    } else if (event.key === "Escape") {
      input.value = "";
      show();
      view.canvas.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { node: make("div", { class: "kg-find" }, input, number, list), input, clear() { input.value = ""; show(); }, again() { show(); open(false); } };
}

/** What colours, shapes and lines mean; a click shows only that kind. */
export function makeLegend(view) {
  const { model, theme } = view, { meta } = model;
  const typeCounts = new Array(meta.types.length).fill(0);
  for (let i = 0; i < model.n; i++) typeCounts[model.type[i]]++;
  const parts = [];
  const entry = (kind, number, picture, title, size) => {
    const button = make("button", { type: "button", "aria-pressed": String(view.filters[kind].has(number)), title: `Show only: ${title}`,
      onclick: () => { view.toggle(kind, number); } }, picture, said(title, "kg-title"), make("small", {}, size.toLocaleString("en")));
    return make("li", {}, button);
  };
  if (meta.colorBy === "community" && meta.groups.length) parts.push(make("h4", {}, "Communities"), ...communityList(view, entry));
  const shade = (k) => (meta.colorBy === "type" ? theme.palette[k % theme.palette.length] : theme.muted);
  parts.push(make("h4", {}, "Types"), make("ul", {}, ...meta.types.map((t, k) => typeCounts[k] && entry("type", k, glyph(theme, shapeOf(k), shade(k)), t, typeCounts[k])).filter(Boolean)));
  const lines = [[0, "stated", model.polarityCounts[0]], [1, "negated", model.polarityCounts[1]], [2, "conditional or reported", model.polarityCounts[2] + model.polarityCounts[3]]];
  if (model.m) {
    parts.push(make("h4", {}, "Relations"), make("ul", { class: "kg-lines" }, ...lines.filter((line) => line[2]).map(([kind, title, n]) =>
      make("li", {}, make("span", { class: `kg-line kg-line-${kind}`, "aria-hidden": "true" }), make("span", { class: "kg-title" }, title), make("small", {}, n.toLocaleString("en"))))));
  }
  return parts;
}

/** The largest communities, the others on demand, and one entry each for small, isolated and ungrouped entities. */
function communityList(view, entry) {
  const { meta } = view.model, grouped = meta.groups.map((g, k) => [g, k]).filter(([g]) => g[3] === "grouped" && g[2]);
  const item = ([g, k]) => entry("group", k, glyph(view.theme, "circle", view.scene.groupColor(k)), g[1], g[2]);
  const few = grouped.length <= 9 || view.allGroups ? grouped : grouped.slice(0, 8);
  const rest = { small: "small components", isolated: "without relations", none: "in no community" }, counts = {};
  for (let i = 0; i < view.model.n; i++) counts[view.scene.groupKey(i)] = (counts[view.scene.groupKey(i)] || 0) + 1;
  const list = make("ul", {}, ...few.slice(0, 400).map(item));
  if (few.length > 400) list.append(make("li", { class: "kg-more" }, `400 of ${few.length.toLocaleString("en")} listed; search finds all`));
  if (few.length < grouped.length) {
    const more = () => { view.allGroups = true; view.drawLegend(); };
    list.append(make("li", {}, make("button", { type: "button", class: "kg-more", onclick: more }, `show ${(grouped.length - few.length).toLocaleString("en")} more`)));
  }
  for (const [key, title] of Object.entries(rest)) if (counts[key]) list.append(entry("group", key, glyph(view.theme, "circle", view.theme.rest), title, counts[key]));
  return [list];
}

function quoteList(found, limit) {
  const shown = (found.quotes || []).slice(0, limit);
  const more = (found.n || 0) - shown.length;
  return [
    ...shown.map((q) => make("blockquote", {},
      q.polarity && q.polarity !== "positive" ? make("span", { class: `kg-sign kg-sign-${q.polarity}` }, q.polarity) : null,
      make("q", {}, q.before ? said(q.before) : null, q.before || q.after ? make("mark", {}, said(q.quote)) : said(q.quote), q.after ? said(q.after) : null),
      make("cite", {}, said(q.source ?? ""), q.start !== undefined ? `, characters ${q.start.toLocaleString("en")}–${q.end.toLocaleString("en")}` : ""))),
    more > 0 ? make("p", { class: "kg-more" }, shown.length ? `and ${count(more, "further quote")}` : count(more, "quote")) : null,
  ].filter(Boolean);
}

function nodeHead(view, i) {
  const { model } = view, group = model.group[i] >= 0 ? model.meta.groups[model.group[i]] : null;
  const aliases = model.meta.aliases[i] || [];
  return [
    make("h3", {}, view.glyphOf(i), said(model.meta.names[i])),
    make("p", { class: "kg-facts" }, said(model.meta.types[model.type[i]], "kg-type"), ` ${count(model.degree[i], "relation")} · ${count(model.mentions[i], "mention")} in ${count(model.documents[i], "document")}`),
    group ? make("p", { class: "kg-facts" }, "Community: ", said(group[1])) : null,
    aliases.length ? make("p", { class: "kg-facts" }, "Also: ", ...aliases.slice(0, 8).flatMap((a, k) => [k ? ", " : "", said(a)]), aliases.length > 8 ? ` and ${aliases.length - 8} more` : "") : null,
  ];
}

/** The card at the pointer. */
export function fillCard(view, card, target) {
  const { model } = view;
  let kind, rows, head, limit;
  if (target.node !== undefined) {
    [kind, rows, head, limit] = ["nodes", [target.node], nodeHead(view, target.node), 3];
  } else if (target.lane !== undefined) {
    rows = model.lanes.members[target.lane].slice(0, 4);
    const more = model.lanes.members[target.lane].length - rows.length;
    kind = "relations"; head = more ? [make("p", { class: "kg-more" }, `4 of ${count(more + 4, "relation")} between these`)] : []; limit = 2;
  } else {
    const g = model.meta.groups[target.disc];
    card.replaceChildren(make("h3", {}, glyph(view.theme, "circle", view.scene.groupColor(target.disc)), said(g[1])), make("p", { class: "kg-facts" }, `${count(g[2], "entity", "entities")}; click to look closer`));
    return;
  }
  const body = make("div");
  card.replaceChildren(...head.filter(Boolean), body);
  const fill = (details) => {
    if (kind === "nodes") {
      body.replaceChildren(...[details[0].description ? make("p", { class: "kg-about" }, said(details[0].description)) : null, ...quoteList(details[0], limit)].filter(Boolean));
    } else body.replaceChildren(...rows.map((r, k) => make("section", {}, sentence(view, r), ...quoteList(details[k], limit))));
  };
  view.details(kind, rows, fill, (why) => {
    body.replaceChildren(...(kind === "relations" ? rows.map((r) => make("section", {}, sentence(view, r))) : []), make("p", { class: "kg-more" }, why));
  });
}

/** A relation in words: subject, predicate, object, and how it is meant. */
function sentence(view, r, go) {
  const { meta, relations, columns, weights } = view.model;
  const [s, t, p, polarity] = [0, 1, 2, 3].map((k) => relations[r * columns + k]);
  const name = (i) => (go ? make("button", { type: "button", class: "kg-link", onclick: () => view.select(i, { fly: true }) }, said(meta.names[i])) : make("b", {}, said(meta.names[i])));
  return make("p", { class: "kg-sentence" }, name(s), " ",
    polarity ? make("span", { class: `kg-sign kg-sign-${POLARITY[polarity]}` }, POLARITY[polarity]) : null, polarity ? " " : null,
    said(readable(meta.predicates[p]), "kg-predicate"), " ", name(t), weights[r] > 1 ? make("small", {}, ` ×${weights[r].toLocaleString("en")}`) : null);
}

/** The panel of the selected entity: everything known of it, and its relations to walk along. */
export function fillPanel(view, panel, i) {
  const { model } = view, most = 60;
  const rows = [...model.incident.of(i)].flatMap((l) => model.lanes.members[l]).sort((p, q) => model.weights[q] - model.weights[p] || p - q);
  const about = make("div"), list = make("ul", { class: "kg-relations" });
  const close = make("button", { type: "button", class: "kg-close", "aria-label": "Close", title: "Close (Esc)", onclick: () => view.reset() }, "×");
  panel.replaceChildren(close, ...nodeHead(view, i).filter(Boolean), about,
    rows.length ? make("h4", {}, rows.length > most ? `Relations: ${most} of ${rows.length.toLocaleString("en")}, strongest first` : count(rows.length, "Relation")) : make("p", { class: "kg-more" }, "No relations."), list);
  list.append(...rows.slice(0, most).map((r) => {
    const open = make("div", { class: "kg-open" });
    const toggle = make("button", { type: "button", class: "kg-why", "aria-expanded": "false", title: "Show the words that say so" }, "why?");
    toggle.addEventListener("click", () => {
      const yes = toggle.getAttribute("aria-expanded") !== "true";
      toggle.setAttribute("aria-expanded", String(yes));
      open.replaceChildren();
      if (yes) view.details("relations", [r], (d) => open.replaceChildren(...(d[0].quotes ? quoteList(d[0], 3) : [make("p", { class: "kg-more" }, "No located quote.")])), (why) => open.replaceChildren(make("p", { class: "kg-more" }, why)));
    });
    const row = sentence(view, r, true);
    row.append(" ", toggle);
    return make("li", {}, row, open);
  }));
  panel.hidden = false;
  panel.scrollTop = 0;
  view.details("nodes", [i], ([d]) => {
    about.replaceChildren(...[
      d.description ? make("p", { class: "kg-about" }, said(d.description)) : null,
      d.attributes ? make("dl", {}, ...d.attributes.flatMap(([k, v]) => [make("dt", {}, said(k)), make("dd", {}, said(v))])) : null,
      ...quoteList(d, 3),
    ].filter(Boolean));
  }, (why) => about.replaceChildren(make("p", { class: "kg-more" }, why)));
}

/** A table of the most connected entities, for those who cannot see the canvas. */
export function makeTable(view) {
  const { model } = view, rows = model.byImportance.slice(0, 100);
  return make("table", { class: "kg-unseen" },
    make("caption", {}, rows.length < model.n ? `${rows.length} of ${model.n.toLocaleString("en")} entities, largest first` : "All entities"),
    make("thead", {}, make("tr", {}, ...["Name", "Type", "Relations"].map((t) => make("th", { scope: "col" }, t)))),
    make("tbody", {}, ...rows.map((i) => make("tr", {}, make("th", { scope: "row" }, said(model.meta.names[i])), make("td", {}, said(model.meta.types[model.type[i]])), make("td", {}, String(model.degree[i]))))));
}
