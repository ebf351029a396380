import { count, h, marked, said } from "./review_parts.js";

// Parting an entity that is several: which mentions belong to whom, and what that does to its relations.

const PAUSE = 250; // milliseconds after the last tick before the effect is asked for

export class Splitter {
  /** `act` sends messages and draws the card again. */
  constructor(card, act) {
    Object.assign(this, { card, act, mentions: null, n: 0, parts: [{ name: "", type: "", ids: new Set() }], at: 0, effect: null, problem: "" });
  }

  get some() {
    return this.parts.some((part) => part.ids.size);
  }

  /** The parts as a decision has them. */
  answer() {
    const [side] = this.card.sides;
    return this.parts.filter((p) => p.ids.size).map((p) => ({ name: p.name.trim() || side.name, ...(p.type.trim() ? { type: p.type.trim() } : {}), mention_ids: [...p.ids] }));
  }

  load() {
    this.act.send({ do: "mentions", item_id: this.card.item_id, first: this.mentions?.length ?? 0 }, ({ mentions, n }) => {
      this.mentions = [...(this.mentions ?? []), ...mentions];
      this.n = n;
      this.act.redraw();
    });
  }

  put(ids, leaves) {
    for (const part of this.parts) for (const id of ids) part.ids.delete(id);
    if (leaves) for (const id of ids) this.parts[this.at].ids.add(id);
    this.changed();
  }

  /** Ask for the effect anew. A field that is left draws nothing at once: the click that left it would find another node. */
  changed(redraw = true) {
    clearTimeout(this.timer);
    this.effect = null;
    this.problem = "";
    if (this.some) this.timer = setTimeout(() => this.ask(), PAUSE);
    if (redraw) this.act.redraw();
  }

  ask() {
    const parts = this.answer();
    const same = () => JSON.stringify(parts) === JSON.stringify(this.answer());
    this.act.send({ do: "split", item_id: this.card.item_id, parts }, (seen) => { if (same()) { this.effect = seen; this.act.redraw(); } }, (error) => { if (same()) { this.problem = error; this.act.redraw(); } });
  }

  partOf(id) {
    return this.parts.findIndex((part) => part.ids.has(id));
  }

  draw() {
    const open = this.mentions !== null;
    if (!open) return h("p", {}, h("button", { type: "button", class: "kr-do kr-small", "aria-keyshortcuts": "X", onclick: () => this.load() }, "Two of one name? Split it …", h("kbd", { "aria-hidden": "true" }, "X")));
    return h("section", { class: "kr-split", "aria-label": "Split" }, h("h5", {}, "Tick what means somebody or something else"), this.drawParts(), h("div", { class: "kr-documents", tabindex: "0", role: "group", "aria-label": "Where it is mentioned" }, ...this.drawDocuments()),
      this.mentions.length < this.n ? h("p", {}, h("button", { type: "button", class: "kr-link", onclick: () => this.load() }, `Show more: ${this.mentions.length.toLocaleString("en")} of ${count(this.n, "mention")} are here`)) : null, this.drawEffect());
  }

  drawParts() {
    const [side] = this.card.sides;
    const row = (part, k) => h("p", { class: "kr-form" }, this.parts.length > 1 ? h("label", {}, h("input", { type: "radio", name: `kr-part-${this.card.item_id}`, checked: k === this.at, "aria-label": `Ticks go to ${k + 1}`, onchange: () => { this.at = k; this.act.redraw(); } }), ` ${k + 1} `) : null,
      h("input", { type: "text", class: "kr-field", placeholder: `name, if not ${side.name}`, "aria-label": `Name of the other ${k + 1}`, value: part.name, oninput: (e) => { part.name = e.target.value; }, onchange: () => this.changed(false) }),
      h("input", { type: "text", class: "kr-field kr-number", placeholder: side.type || "type", "aria-label": `Type of the other ${k + 1}`, value: part.type, oninput: (e) => { part.type = e.target.value; }, onchange: () => this.changed(false) }), h("small", {}, count(part.ids.size, "mention")));
    const more = () => { this.parts.push({ name: "", type: "", ids: new Set() }); this.at = this.parts.length - 1; this.act.redraw(); };
    return h("div", {}, ...this.parts.map(row), this.some ? h("button", { type: "button", class: "kr-link", onclick: more }, "There is one more") : null);
  }

  drawDocuments() {
    const documents = new Map();
    for (const m of this.mentions) documents.set(m.doc_id, [...(documents.get(m.doc_id) || []), m]);
    const tick = (m) => {
      const part = this.partOf(m.mention_id), quote = marked({ text: m.quote, marks: m.marks });
      return h("li", {}, h("label", {}, h("input", { type: "checkbox", class: "kr-tick", checked: part >= 0, "aria-label": `${m.source} ${m.start ?? ""}: ${m.quote.slice(0, 60)}`, onchange: (e) => this.put([m.mention_id], e.target.checked) }), part >= 0 && this.parts.length > 1 ? h("b", {}, ` ${part + 1} `) : " ", h("q", {}, quote)));
    };
    return [...documents.values()].map((list) => {
      const ids = list.map((m) => m.mention_id), here = ids.filter((id) => this.partOf(id) >= 0).length;
      const all = h("input", { type: "checkbox", class: "kr-tick", checked: here === ids.length, "aria-label": `All of ${list[0].source}`, onchange: (e) => this.put(ids, e.target.checked) });
      all.indeterminate = here > 0 && here < ids.length;
      return h("div", { class: "kr-document" }, h("label", {}, all, " ", h("b", {}, said(list[0].source)), h("small", {}, ` ${count(ids.length, "mention")}`)), h("ul", {}, ...list.map(tick)));
    });
  }

  drawEffect() {
    if (this.problem) return h("p", { class: "kr-error", role: "alert" }, this.problem);
    if (!this.some) return h("p", { class: "kr-quiet" }, "What the split would do is shown here before it is done.");
    if (!this.effect) return h("p", { class: "kr-quiet" }, "Working out what that would do …");
    const { parts, relations } = this.effect, sign = (r) => (r.polarity === "positive" ? "" : ` (${r.polarity})`);
    const relation = (r) => h("li", { title: r.quotes.join("\n") }, said(r.source), " ", h("i", {}, said(r.predicate.replaceAll("_", " "))), sign(r), " ", said(r.target), r.n_statements > 1 ? h("small", {}, ` ×${r.n_statements}`) : null);
    const column = (p) => {
      const own = relations.filter((r) => r.part === p.part), shown = own.slice(0, 12);
      return h("div", { class: "kr-part" }, h("h5", {}, p.part ? "leaves: " : "stays: ", said(p.name), p.type ? h("small", {}, " ", said(p.type)) : null), h("p", { class: "kr-facts" }, `${count(p.n_mentions, "mention")} · ${count(p.n_documents, "document")} · ${count(p.n_relations, "relation")}`), h("ul", {}, ...shown.map(relation)), own.length > shown.length ? h("p", { class: "kr-quiet" }, `and ${(p.n_relations - shown.length).toLocaleString("en")} more`) : null);
    };
    return h("div", { class: "kr-effect", "aria-live": "polite" }, h("p", {}, h("b", {}, "What the split would do: "), "Accept does it, Undo takes it back."), h("div", { class: "kr-columns" }, ...parts.map(column)));
  }
}
