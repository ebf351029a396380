import { Choice, drawCard } from "./review_card.js";
import { Drawers } from "./review_drawers.js";
import { count, h, inWords, isDarkHere, isForNotebook, said } from "./review_parts.js";

// The panel: keys and buttons, what was sent and not yet answered, and what Python says of how things stand.

const PATIENCE = 2000; // milliseconds without an answer after which the panel says so
const LOT = 12; // cards asked for at once
const READY = 40; // items whose cards are kept at hand
const ORDERS = { teach: "what teaches most", uncertain: "most uncertain", consequential: "most mentions touched", score: "highest score", group: "by group", random: "random audit", disagreements: "what reviewers differ in" };
const KINDS = { merge: "merges", relation: "relations", type: "entities" };
const DONE = { accepted: "Accepted", rejected: "Rejected", skipped: "Skipped", flagged: "Flagged" };
let panels = 0;

class Panel {
  constructor(model, el) {
    Object.assign(this, { model, cards: new Map(), asked: new Set(), stale: new Set(), waiting: new Map(), settling: new Map(), spare: [], queue: [], held: null, choice: null, opened: null, problem: "", undo: [] });
    this.number = ++panels;
    this.session = Math.random().toString(36).slice(2);
    this.sent = 0;
    this.build(el);
    this.on(model, "change:_shown", () => this.take());
    this.on(model, "msg:custom", (message) => this.hear(message));
    this.take();
  }

  on(target, name, act) {
    target.on(name, act);
    this.undo.push(() => target.off(name, act));
  }

  // Talking with Python

  send(message, then = null, failed = null) {
    const token = `${this.session}-${++this.sent}`;
    const timer = setTimeout(() => this.impatient(), PATIENCE);
    this.waiting.set(token, { message, then, failed, timer });
    try {
      this.model.send({ ...message, token });
    } catch { // the notebook knows already that there is no kernel
      this.impatient();
    }
  }

  hear(message) {
    const sent = this.waiting.get(message?.re);
    if (!sent) return;
    clearTimeout(sent.timer);
    this.heard = performance.now();
    this.waiting.delete(message.re);
    if (![...this.waiting.values()].some((w) => w.late)) this.lost.hidden = true;
    if (message.ok && sent.message.do === "decide") this.settling.set(sent.message.item_id, message.version);
    if (message.ok && sent.message.do === "undo") for (const id of message.items) this.settling.delete(id);
    this.root.dataset.answered = String(Number(this.root.dataset.answered || 0) + (sent.message.do === "decide"));
    if (message.ok) sent.then?.(message);
    else if (sent.failed) sent.failed(message.error);
    else this.fail(sent.message, message.error);
    this.follow();
  }

  impatient() {
    if (performance.now() - (this.heard ?? 0) < PATIENCE) { // it is busy with other answers
      for (const sent of this.waiting.values()) { clearTimeout(sent.timer); sent.timer = setTimeout(() => this.impatient(), PATIENCE); }
      return;
    }
    for (const sent of this.waiting.values()) sent.late = true;
    const unsaid = [...this.waiting.values()].filter((w) => w.message.do === "decide").length;
    this.lost.replaceChildren(h("b", {}, "No answer from the kernel. "), unsaid ? `${count(unsaid, "answer")} may not be kept. ` : "", "If it is busy, this goes away by itself; if it was restarted, run the cell again: it goes on where you were.");
    this.lost.hidden = false;
  }

  fail(message, error) {
    if (message.item_id) {
      const card = this.cards.get(message.item_id);
      if (card) card.error = error;
      this.show(message.item_id);
      this.tell(`Not kept: ${error}`);
    } else this.note(`That did not work: ${error}`);
  }

  // What is shown

  take() {
    this.state = this.model.get("_shown");
    const { cards = {}, ids = [], change, version, order, filters } = this.state, asked = JSON.stringify([order, filters]);
    if (change !== this.scored) { // scores are new: cards are asked for again, and shown as they are until then
      this.scored = change;
      this.stale = new Set(this.cards.keys());
      if (asked === this.about) this.spare = this.queue.filter((id) => this.cards.has(id));
    }
    if (asked !== this.about) this.spare = [];
    this.about = asked;
    for (const [id, since] of this.settling) if (since <= version) this.settling.delete(id);
    this.keep(cards);
    this.queue = ids;
    this.root.dataset.theme = isDarkHere(this.state.theme) ? "dark" : "light";
    if (this.held && !ids.includes(this.held) && this.heldBy !== "show") this.held = null;
    this.fetch();
    this.drawFrame();
    this.follow();
  }

  keep(cards) {
    for (const [id, card] of Object.entries(cards)) {
      this.asked.delete(id);
      this.stale.delete(id);
      this.cards.set(id, card);
    }
  }

  fetch() {
    if (this.queue.slice(0, LOT).every((id) => this.cards.has(id))) this.spare = [];
    const keep = new Set([...this.queue, ...this.spare, this.held]);
    for (const id of this.cards.keys()) if (!keep.has(id)) this.cards.delete(id);
    const lacks = (id) => (!this.cards.has(id) || this.stale.has(id)) && !this.asked.has(id);
    if (!this.queue.slice(0, READY).some(lacks)) return;
    const wanted = this.queue.filter(lacks);
    for (let k = 0; k < wanted.length; k += LOT) {
      const ids = wanted.slice(k, k + LOT);
      ids.forEach((id) => this.asked.add(id));
      this.send({ do: "cards", ids }, ({ cards }) => this.keep(cards));
    }
  }

  /** Show the next item, unless one is held. Items whose answers are under way are not shown again. */
  follow() {
    const away = new Set([...this.settling.keys(), ...[...this.waiting.values()].filter((w) => w.message.do === "decide").map((w) => w.message.item_id)]);
    if (this.held && away.has(this.held)) this.held = null;
    this.spare = this.spare.filter((i) => !away.has(i));
    const left = this.queue.filter((i) => !away.has(i)), id = this.held ?? [...left, ...this.spare].find((i) => this.cards.has(i)) ?? left[0] ?? null;
    const card = id === null ? null : this.cards.get(id);
    const sign = `${id} ${card ? JSON.stringify([card.status, card.error, card.score]) : ""}`;
    if (sign === this.sign) return;
    const other = id !== this.current?.item_id;
    this.sign = sign;
    this.current = card ?? null;
    if (card && other) {
      this.held = id;
      if (this.heldBy !== "show") this.heldBy = "queue";
      this.choice = new Choice(card, { send: (...all) => this.send(...all), redraw: () => { if (this.current === card) this.drawCard(true); } });
      this.opened = null;
      this.noteField.value = "";
      this.announce(card);
    }
    this.drawCard(id !== null);
  }

  show(id) {
    this.held = id;
    this.heldBy = "show";
    this.sign = "";
    if (this.cards.has(id)) return this.follow();
    return this.send({ do: "cards", ids: [id] }, ({ cards }) => this.keep(cards));
  }

  drawCard(more) {
    const card = this.current;
    for (const button of this.verdicts) {
      button.disabled = !card;
      button.firstChild.textContent = (card && this.choice.does(button.dataset.verdict)) || button.dataset.text;
    }
    if (!card) {
      const { total = 0 } = this.state.progress || {};
      this.body.replaceChildren(h("p", { class: "kr-empty" }, more ? "One moment …" : total ? "All decided. Nothing is left to ask." : Object.keys(this.state.filters).length ? "Nothing to decide here." : "There is nothing to decide."));
      return;
    }
    const act = { redraw: () => this.drawCard(true), choose: (i) => this.choose(i), open: (quote) => this.open(quote) };
    const focused = this.body.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    const leave = this.heldBy === "show" && card.status !== "undecided" ? [h("p", { class: "kr-quiet" }, "Answer anew, or ", h("button", { type: "button", class: "kr-link", onclick: () => this.leave() }, "leave it as it is (Esc)"), ".")] : [];
    this.body.replaceChildren(...leave, drawCard(card, this.choice, act), ...(this.opened ? [this.drawOpened()] : []));
    if (focused !== null) ([...this.body.querySelectorAll("[aria-label]")].find((n) => n.getAttribute("aria-label") === focused && n.matches("input,button,select")) ?? this.root).focus({ preventScroll: true });
    this.root.dataset.item = card.item_id;
    this.root.dataset.painted = String(Number(this.root.dataset.painted || 0) + 1);
  }

  drawOpened() {
    const p = this.opened, part = h("mark", {}, p.quote);
    const text = h("div", { class: "kr-text", tabindex: "0", role: "region", "aria-label": "Document", dir: "auto" }, p.more_before ? "… " : "", p.before, part, p.after, p.more_after ? " …" : "");
    const close = h("button", { type: "button", class: "kr-link", onclick: () => this.close() }, "Close (Esc)");
    requestAnimationFrame(() => { text.scrollTop = Math.max(0, part.offsetTop - text.clientHeight / 2); });
    return h("div", { class: "kr-opened" }, h("p", {}, h("b", {}, said(p.source)), ` characters ${p.start.toLocaleString("en")}–${p.end.toLocaleString("en")} of ${p.n_chars.toLocaleString("en")} `, close), text);
  }

  drawFrame() {
    const s = this.state, p = s.progress || {}, done = (p.accepted || 0) + (p.rejected || 0);
    this.count.textContent = s.said || "";
    this.bar.max = Math.max(p.total || 0, 1);
    this.bar.value = done;
    this.bar.setAttribute("aria-label", s.said || "");
    const later = [p.skipped ? `${p.skipped} skipped` : "", p.flagged ? `${p.flagged} flagged` : ""].filter(Boolean).join(", ");
    this.later.textContent = later ? `${later}: they come back at the end.` : "";
    this.orderField.replaceChildren(...s.orders.map((o) => h("option", { value: o, selected: o === s.order }, ORDERS[o])));
    this.typeField.replaceChildren(h("option", { value: "" }, "all types"), ...s.types.map((t) => h("option", { value: t, selected: t === s.filters.type }, t)));
    for (const [field, name] of [[this.documentField, "document"], [this.lowField, "low"], [this.highField, "high"]]) if (document.activeElement !== field) field.value = s.filters[name] ?? "";
    this.lowField.hidden = this.highField.hidden = s.blind;
    this.kindField.hidden = s.kinds.length < 2;
    this.kindField.replaceChildren(h("option", { value: "" }, "everything"), ...s.kinds.map((k) => h("option", { value: k, selected: k === s.filters.kind }, KINDS[k] ?? k)));
    this.entityNote.replaceChildren(...(s.filters.entity ? ["Only about ", h("b", {}, said(s.about ?? s.filters.entity)), ". ", h("button", { type: "button", class: "kr-link", onclick: () => this.ask() }, "Show all")] : []));
    this.who.replaceChildren("You are ", said(s.reviewer), s.blind ? ", scores are hidden" : "");
    this.news(s);
    this.drawers.update(s);
  }

  /** Say what changed behind the item: new scores, or that something does not work. */
  news(s) {
    const told = [s.change, s.learns && !s.helps ? "More answers hardly change the proposals now." : null, s.failed ? `Learning failed: ${s.failed}` : null, s.graph_failed ? `The graph view does not follow: ${s.graph_failed}` : null].filter(Boolean).join(" ");
    if (told === this.told) return;
    this.told = told;
    this.newsBox.replaceChildren(told, ...(told ? [" ", h("button", { type: "button", class: "kr-link", onclick: () => { this.newsBox.hidden = true; this.root.focus({ preventScroll: true }); } }, "Hide")] : []));
    this.newsBox.hidden = !told;
  }

  // Deciding

  decide(verdict) {
    const card = this.current;
    if (!card) return this.note(this.queue.length ? "The next item is on its way; that was not taken as an answer." : "");
    const note = this.noteField.value.trim(), extras = this.choice.extras(verdict);
    if (extras.members && extras.members.length < 2) return this.note("Tick at least two that are one, or reject.");
    this.release();
    this.send({ do: "decide", item_id: card.item_id, verdict, ...extras, ...(note ? { note } : {}) });
    this.note("");
    this.done = `${DONE[verdict]}: ${card.label}.`;
    this.tell(this.done);
    this.follow();
  }

  release() {
    this.held = null;
    this.heldBy = "queue";
  }

  /** Take back one decision, all of a rule, or the last step. */
  undone(what = {}) {
    this.release();
    this.send({ do: "undo", ...what }, ({ items }) => this.note(items.length ? (items.length > 1 ? `Took back ${items.length.toLocaleString("en")} decisions of one step.` : "Taken back.") : "Nothing to take back."));
  }

  divide() {
    const split = this.choice?.split;
    if (!split) return this.note(this.current?.kind === "type" ? "It is mentioned once; there is nothing to split." : "Only an entity can be split; give entities to review.");
    if (split.mentions === null) return split.load();
    return this.body.querySelector(".kr-split input")?.focus();
  }

  choose(i) {
    const side = this.current?.sides[i];
    if (!side || this.current.kind !== "merge") return;
    this.choice.members.add(side.entity_id);
    this.choice.named = this.choice.named === i ? null : i;
    this.drawCard(true);
  }

  open(quote) {
    this.send({ do: "open", doc_id: quote.doc_id, start: quote.start, end: quote.end }, ({ passage }) => { this.opened = passage; this.drawCard(true); this.root.focus({ preventScroll: true }); this.body.querySelector(".kr-opened").scrollIntoView({ block: "nearest" }); });
  }

  close() {
    this.opened = null;
    this.drawCard(true);
    this.root.focus({ preventScroll: true });
  }

  leave() {
    this.release();
    this.follow();
    this.root.focus({ preventScroll: true });
  }

  evidence() {
    if (this.opened) return this.close();
    const quotes = this.current ? [...this.current.sides.flatMap((s) => s.quotes || []), ...(this.current.quotes || [])] : [];
    const first = quotes.find((q) => q.start !== null);
    return first ? this.open(first) : this.note("No words of a document are known here.");
  }

  ask(order = this.orderField.value) {
    const filters = {}, put = (name, value) => { if (value !== "" && !Number.isNaN(value)) filters[name] = value; };
    put("type", this.typeField.value);
    put("kind", this.kindField.value);
    put("document", this.documentField.value.trim());
    put("low", this.lowField.value === "" ? "" : Number(this.lowField.value));
    put("high", this.highField.value === "" ? "" : Number(this.highField.value));
    this.release();
    this.send({ do: "ask", order, filters });
  }

  // Around it

  note(text) { this.message.textContent = text; }
  tell(text) { this.live.textContent = text; }

  /** Say aloud what is asked now, to who works in the panel. */
  announce(card) {
    if (!this.root.contains(document.activeElement)) return;
    this.tell([this.done, card.question, card.label, inWords(card.score)].filter(Boolean).join(" "));
    this.done = "";
  }

  key(event) {
    if (isForNotebook(event)) return;
    event.stopPropagation();
    const field = event.target.matches("input[type=text],input[type=number],select,textarea");
    if (event.key === "Escape") {
      if (this.opened && !field) this.close();
      else if (!field && this.heldBy === "show") this.leave();
      else this.root.focus({ preventScroll: true });
      return;
    }
    if (field) {
      if (event.key === "Enter" && event.target !== this.orderField) this.root.focus({ preventScroll: true });
      return;
    }
    const name = event.key.toLowerCase(), acts = { a: () => this.decide("accepted"), r: () => this.decide("rejected"), s: () => this.decide("skipped"), f: () => this.decide("flagged"), u: () => this.undone(), e: () => this.evidence(), n: () => this.noteField.focus(), x: () => this.divide() };
    const drawer = this.drawers.byKey(name);
    const act = /^[1-9]$/.test(name) ? () => this.choose(Number(name) - 1) : drawer ? () => this.drawers.toggle(drawer) : acts[name];
    if (!act) return;
    event.preventDefault();
    if (!event.repeat) act();
  }

  build(el) {
    const id = (part) => `kr-${this.number}-${part}`;
    // A double click is one click: its second press must not decide the next item.
    const verdict = (name, key, text) => h("button", { type: "button", class: `kr-do kr-do-${name}`, "aria-keyshortcuts": key, "data-verdict": name, "data-text": text, onclick: (e) => { if (e.detail < 2) this.decide(name); } }, text, h("kbd", { "aria-hidden": "true" }, key));
    this.verdicts = [verdict("accepted", "A", "Accept"), verdict("rejected", "R", "Reject"), verdict("skipped", "S", "Skip"), verdict("flagged", "F", "Flag")];
    const undo = h("button", { type: "button", class: "kr-do", "aria-keyshortcuts": "U", onclick: (e) => { if (e.detail < 2) this.undone(); } }, "Undo", h("kbd", { "aria-hidden": "true" }, "U"));
    this.count = h("span", { class: "kr-count" });
    this.bar = h("progress", { class: "kr-progress", value: 0 });
    this.later = h("span", { class: "kr-quiet" });
    this.who = h("span", { class: "kr-quiet" });
    this.body = h("div", { class: "kr-body" });
    this.live = h("div", { class: "kr-unseen", "aria-live": "polite" });
    this.message = h("p", { class: "kr-message", role: "status" });
    this.lost = h("p", { class: "kr-error", role: "alert", hidden: true });
    this.noteField = h("input", { type: "text", class: "kr-field kr-note", placeholder: "note (N)", "aria-label": "Note" });
    this.orderField = h("select", { class: "kr-field", id: id("order"), onchange: () => this.ask() });
    this.typeField = h("select", { class: "kr-field", "aria-label": "Type", onchange: () => this.ask() });
    this.kindField = h("select", { class: "kr-field", "aria-label": "Kind", hidden: true, onchange: () => this.ask() });
    this.documentField = h("input", { type: "text", class: "kr-field", placeholder: "document", "aria-label": "Document", onchange: () => this.ask() });
    const number = (label, value) => h("input", { type: "number", class: "kr-field kr-number", min: "0", max: "1", step: "0.01", "aria-label": label, placeholder: label, value });
    this.lowField = number("score from", "");
    this.highField = number("score to", "");
    for (const field of [this.lowField, this.highField]) field.addEventListener("change", () => this.ask());
    this.entityNote = h("span", { class: "kr-about" });
    this.newsBox = h("p", { class: "kr-news", role: "status", hidden: true });
    this.drawers = new Drawers(this, this.number);
    this.root = h("div", { class: "kgkit-review", tabindex: "0", role: "group", "aria-label": "Review panel. Press A to accept, R to reject, S to skip, U to undo, question mark for all keys." },
      h("header", {}, h("b", { class: "kr-title" }, "Review"), this.count, this.later, this.who), this.bar, this.lost,
      h("div", { class: "kr-tools" }, h("label", { for: id("order") }, "Ask first: "), this.orderField, this.kindField, this.typeField, this.documentField, this.lowField, this.highField, this.entityNote),
      this.newsBox, h("div", { class: "kr-actions" }, ...this.verdicts, undo, this.noteField), this.message, this.live, this.body, this.drawers.node);
    this.root.addEventListener("keydown", (e) => this.key(e));
    for (const name of ["keypress", "contextmenu", "copy", "cut", "paste"]) this.root.addEventListener(name, (e) => e.stopPropagation());
    this.themes = new MutationObserver(() => { this.root.dataset.theme = isDarkHere(this.state.theme) ? "dark" : "light"; });
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });
    el.append(this.root);
  }

  destroy() {
    this.undo.forEach((undo) => undo());
    for (const sent of this.waiting.values()) clearTimeout(sent.timer);
    this.themes.disconnect();
    this.root.remove();
  }
}

function render({ model, el }) {
  const panel = new Panel(model, el);
  return () => panel.destroy();
}

export default { render };
