import { voice } from "./review_drawers.js";
import { count, differing, h, inWords, marked, said } from "./review_parts.js";
import { Splitter } from "./review_split.js";

// One item: both sides, the words behind them, what speaks for and against, and what can be chosen.

const SENTENCES = 12; // of a relation, before the rest is folded away
const WHY = 3; // reasons shown on either side before the rest is folded away

/** What is chosen on a card before a verdict: members, a name, corrections. */
export class Choice {
  constructor(card, act) {
    this.card = card;
    this.members = new Set(card.sides.map((side) => side.entity_id));
    this.named = null;
    this.typed = "";
    this.type = "";
    this.predicate = card.predicate ?? "";
    this.reverse = false;
    this.polarity = card.polarity ?? "";
    this.refused = new Set();
    this.split = card.kind === "type" && card.sides[0].n_mentions > 1 ? new Splitter(card, act) : null;
  }

  /** What a verdict does, where that is not plain from its name. */
  does(verdict) {
    const { card } = this, all = card.sides.length;
    if (verdict === "accepted" && this.split?.some) return "Split";
    if (verdict === "accepted" && card.kind === "merge" && this.members.size < all) return `Accept ${this.members.size} of ${all}`;
    if (verdict === "accepted" && card.kind === "relation" && Object.keys(this.extras(verdict)).length) return "Accept as corrected";
    if (verdict === "rejected" && card.kind === "merge" && all > 2) return "Reject all";
    if (verdict === "rejected" && this.extras(verdict).statement_ids) return `Reject ${count(this.refused.size, "sentence")}`;
    return null;
  }

  /** What goes along with a verdict. */
  extras(verdict) {
    const { card } = this, extras = {};
    if (card.kind === "relation") {
      const all = (card.quotes || []).length;
      if (verdict === "rejected" && this.refused.size && this.refused.size < all) extras.statement_ids = [...this.refused];
      if (verdict !== "accepted") return extras;
      if (this.predicate.trim() && this.predicate !== card.predicate) extras.predicate = this.predicate.trim();
      if (this.reverse) extras.reverse = true;
      if (this.polarity !== card.polarity) extras.polarity = this.polarity;
      return extras;
    }
    if (verdict !== "accepted") return extras;
    const name = this.typed.trim() || (this.named !== null ? card.sides[this.named].name : "");
    if (name && !(card.kind === "type" && name === card.sides[0].name)) extras.name = name;
    if (this.type.trim() && this.type.trim() !== card.sides[0].type) extras.type = this.type.trim();
    if (card.kind === "merge" && this.members.size < card.sides.length) extras.members = [...this.members];
    return this.split?.some ? { parts: this.split.answer() } : extras;
  }
}

/** Draw a card. `act` holds what its parts may do: open a place, show the effect of a split, draw again. */
export function drawCard(card, choice, act) {
  const group = card.kind === "merge" && card.sides.length > 2;
  const badge = card.score === null || card.score === undefined ? null : h("span", { class: "kr-badge", title: "how likely the proposal is right" }, `${inWords(card.score)} · ${card.score.toFixed(2)}`);
  const head = h("div", { class: "kr-question" }, h("h3", {}, card.question), badge, standing(card));
  const body = card.kind === "relation" ? relation(card, choice, act) : sides(card, choice, act, group);
  return h("div", { class: "kr-card", "data-item": card.item_id, "data-kind": card.kind }, error(card), head, voices(card), body, against(card), card.kind === "merge" ? shared(card, act) : null, choices(card, choice), choice.split?.draw(), why(card));
}

/** What reviewers said, where they differ. */
function voices(card) {
  if (!card.disputed || !card.voices?.length) return null;
  return h("div", { class: "kr-voices" }, h("b", {}, "Reviewers differ. Your answer settles it."), h("ul", {}, ...card.voices.map((v) => h("li", {}, said(v.reviewer), ": ", ...voice(v)))));
}

function error(card) {
  return card.error ? h("p", { class: "kr-error", role: "alert" }, h("b", {}, "Not kept: "), card.error, " The item is undecided; try again when that is mended.") : null;
}

function standing(card) {
  if (card.status === "undecided") return null;
  const { decision } = card, by = decision ? ` by ${decision.reviewer}` : card.implied ? ", as other answers imply" : "";
  return h("span", { class: `kr-badge kr-is-${card.status}` }, `${card.status}${by}`, decision?.note ? [": ", said(decision.note)] : null);
}

function sides(card, choice, act, group) {
  const list = card.sides.map((side, i) => oneSide(card, side, i, choice, act, group));
  const weakest = card.weakest ? h("p", { class: "kr-quiet" }, "Weakest link: ", said(card.weakest[0]), " and ", said(card.weakest[1]), typeof card.weakest_score === "number" ? ` (${card.weakest_score.toFixed(2)})` : "", ".") : null;
  return h("div", {}, weakest, h("div", { class: group ? "kr-sides kr-group" : card.sides.length > 1 ? "kr-sides" : "kr-sides kr-one" }, ...list));
}

function oneSide(card, side, i, choice, act, group) {
  const tick = group ? h("input", { type: "checkbox", class: "kr-tick", checked: choice.members.has(side.entity_id), "aria-label": `${side.name} is one of them`, onchange: (e) => { choice.members[e.target.checked ? "add" : "delete"](side.entity_id); act.redraw(); } }) : null;
  const number = card.kind === "merge" ? h("button", { type: "button", class: "kr-pick", "data-choose": i, "aria-pressed": String(choice.named === i), title: `This name stays (${i + 1})`, onclick: () => act.choose(i) }, choice.named === i ? `${i + 1} ✓ name stays` : `${i + 1}`) : null;
  const facts = [side.type || "no type", count(side.n_mentions, "mention"), count(side.n_documents, "document")];
  const aliases = side.aliases.length ? h("p", { class: "kr-quiet" }, "also ", ...side.aliases.slice(0, 8).flatMap((a, k) => [k ? ", " : "", said(a)]), side.aliases.length > 8 ? ` and ${side.aliases.length - 8} more` : "") : null;
  const attributes = side.attributes.length ? h("dl", {}, ...side.attributes.slice(0, 10).flatMap(([k, v, differs]) => [h("dt", {}, said(k)), h("dd", { class: differs ? "kr-differs" : null }, said(v), differs ? " ≠" : "")]), side.attributes.length > 10 ? h("dt", {}, moreThan(10, side.attributes.length)) : null) : null;
  const near = side.neighbours?.length ? h("p", { class: "kr-quiet" }, card.kind === "merge" ? "only this one: " : "with: ", ...side.neighbours.slice(0, 6).flatMap((n, k) => [k ? ", " : "", h("span", { title: n.said.join(", ") }, said(n.name))]), moreThan(Math.min(6, side.neighbours.length), side.n_neighbours ?? side.neighbours.length)) : null;
  const quotes = side.quotes.length ? h("ul", { class: "kr-quotes" }, ...side.quotes.slice(0, group ? 1 : 3).map((q) => quoteItem(q, act))) : h("p", { class: "kr-quiet" }, "No words of a document are known for it.");
  const places = side.quotes.reduce((n, q) => n + Math.max(q.marks.length, 1), 0);
  const more = side.n_quotes > places ? h("p", { class: "kr-quiet" }, `${places} of ${side.n_quotes} places shown`) : null;
  return h("section", { class: choice.members.has(side.entity_id) ? "kr-side" : "kr-side kr-out", "aria-label": side.name }, h("h4", {}, tick, differing(side.parts), number), h("p", { class: "kr-facts" }, said(facts[0], "kr-type"), ` · ${facts[1]} · ${facts[2]}`), aliases, side.description ? h("p", {}, said(side.description)) : null, attributes, near, quotes, group ? null : more);
}

const moreThan = (shown, all) => (all > shown ? ` and ${(all - shown).toLocaleString("en")} more` : "");

function quoteItem(quote, act, extra = null) {
  const place = quote.start === null ? "place unknown" : `${quote.start.toLocaleString("en")}–${quote.end.toLocaleString("en")}`;
  const open = quote.start === null ? said(quote.source) : h("button", { type: "button", class: "kr-link", title: "Open the document here", onclick: () => act.open(quote) }, said(quote.source), ` ${place}`);
  const polarity = quote.polarity && quote.polarity !== "positive" ? h("b", {}, ` ${quote.polarity} `) : null;
  return h("li", {}, extra, h("q", {}, marked(quote)), polarity, h("div", { class: "kr-source" }, open));
}

function against(card) {
  if (!card.against.length) return null;
  return h("div", { class: "kr-against" }, h("b", {}, "⚠ Against: "), ...card.against.flatMap((text, k) => [k ? "; " : "", said(text)]));
}

function shared(card, act) {
  const common = card.common?.length ? h("p", {}, h("b", {}, `${count(card.n_common, "neighbour")} in common: `), ...card.common.flatMap((n, k) => [k ? ", " : "", said(n)])) : h("p", { class: "kr-quiet" }, "No neighbours in common.");
  const between = card.between?.length ? h("div", {}, h("p", {}, h("b", {}, card.n_between > card.between.length ? `Named together, ${card.between.length} of ${count(card.n_between, "sentence")}:` : "Named together:")), h("ul", { class: "kr-quotes" }, ...card.between.map((q) => quoteItem(q, act)))) : null;
  return h("div", { class: "kr-shared" }, common, between);
}

function relation(card, choice, act) {
  const [source, target] = card.sides, ends = choice.reverse ? [target, source] : [source, target];
  const end = (side) => h("span", { class: "kr-end" }, said(side.name, "kr-name"), " ", h("small", {}, side.type || "no type"));
  const words = h("input", { type: "text", class: "kr-field", "aria-label": "What it says", value: choice.predicate, oninput: (e) => { choice.predicate = e.target.value; } });
  const turn = h("button", { type: "button", class: "kr-link", "aria-pressed": String(choice.reverse), onclick: () => { choice.reverse = !choice.reverse; act.redraw(); } }, "Turn round ⇄");
  const polarity = h("select", { class: "kr-field", "aria-label": "Polarity", onchange: (e) => { choice.polarity = e.target.value; } }, ...["positive", "negated", "conditional", "reported"].map((p) => h("option", { value: p, selected: p === choice.polarity }, p)));
  const tick = (q) => h("input", { type: "checkbox", class: "kr-tick", checked: !choice.refused.has(q.evidence_id), "aria-label": "This sentence says so", onchange: (e) => { choice.refused[e.target.checked ? "delete" : "add"](q.evidence_id); act.redraw(); } });
  const sentence = (q) => quoteItem(q, act, card.quotes.length > 1 ? tick(q) : null), rest = card.quotes.slice(SENTENCES);
  const some = choice.refused.size && choice.refused.size < card.quotes.length;
  return h("div", {}, h("p", { class: "kr-triple" }, end(ends[0]), words, end(ends[1])), h("p", {}, turn, " ", polarity), h("ul", { class: "kr-quotes" }, ...card.quotes.slice(0, SENTENCES).map(sentence)), rest.length ? h("details", {}, h("summary", {}, `and ${count(rest.length, "sentence")} more`), h("ul", { class: "kr-quotes" }, ...rest.map(sentence))) : null, some ? h("p", { class: "kr-quiet" }, "Reject now takes away only the unticked sentences; the relation stays with the others.") : null);
}

function choices(card, choice) {
  if (card.kind !== "merge" && card.kind !== "type") return null;
  const merge = card.kind === "merge";
  const name = h("input", { type: "text", class: "kr-field", placeholder: merge ? "another name" : card.sides[0].name, "aria-label": "Name to have", value: choice.typed, oninput: (e) => { choice.typed = e.target.value; } });
  const type = h("input", { type: "text", class: "kr-field", placeholder: card.sides[0].type || "type", "aria-label": "Type to have", value: choice.type, oninput: (e) => { choice.type = e.target.value; } });
  return h("p", { class: "kr-choices" }, merge ? "If they are one, call it " : "Correct the name ", name, merge ? " of type " : " or the type ", type, merge ? " – or press the number beside a name." : null);
}

/** The score taken apart: what speaks for it and what against, as far as it counts. */
function why(card) {
  if (!card.reasons.length) return null;
  const top = Math.max(...card.reasons.map((r) => Math.abs(r.weight)), 1);
  const row = (r) => h("li", { title: `weight ${r.weight > 0 ? "+" : "−"}${Math.abs(r.weight).toFixed(1)}` }, h("span", { class: "kr-room", "aria-hidden": "true" }, h("span", { class: "kr-bar", style: `inline-size:${Math.max(3, Math.round((44 * Math.abs(r.weight)) / top))}px` })), said(r.reason));
  const column = (title, kind, reasons) => {
    if (!reasons.length) return null;
    const sorted = reasons.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
    const rest = sorted.length > WHY ? h("details", {}, h("summary", {}, `and ${sorted.length - WHY} more`), h("ul", {}, ...sorted.slice(WHY).map(row))) : null;
    return h("div", { class: kind }, h("h5", {}, title), h("ul", {}, ...sorted.slice(0, WHY).map(row)), rest);
  };
  return h("div", { class: "kr-why kr-columns" }, column(card.weakest ? "+ Speaks for the weakest link" : "+ Speaks for it", "kr-plus", card.reasons.filter((r) => r.weight > 0)), column("− Speaks against it", "kr-minus", card.reasons.filter((r) => r.weight < 0)));
}
