import { KEYS, SIGNS, count, h, said } from "./review_parts.js";

// What stands below the item: earlier decisions, many at once, what reviewers differ in, contradictions, learning, keys.

const link = (text, act, label = null) => h("button", { type: "button", class: "kr-link", "aria-label": label, onclick: act }, text);
const DRAWERS = [["recent", "Recent decisions", "H"], ["many", "Many at once", "M"], ["disagreements", "Disagreements", "D"], ["conflicts", "Contradictions", "C"], ["learning", "Learning and errors", "L"], ["keys", "Keys", "?"]];
const PAST = { accepted: "accepted", rejected: "rejected" };
const ORDINARY = { person: "by people", rule: "by rules", left: "left, by their scores" };

/** Say what a reviewer said: sign, verdict, what else was answered, and the note. */
export function voice(v) {
  return [h("span", { class: `kr-is-${v.verdict}` }, `${SIGNS[v.verdict]} ${v.verdict}`), v.says ? [" · ", said(v.says)] : "", v.note ? [" · “", said(v.note), "”"] : ""];
}

export class Drawers {
  /** `panel` sends messages, shows items and tells what happened. */
  constructor(panel, number) {
    this.panel = panel;
    this.open = "recent";
    this.lists = {};
    this.tabs = DRAWERS.map(([name, text, key]) => {
      const id = `kr-${number}-${name}`;
      const button = h("button", { type: "button", class: "kr-tab", "aria-expanded": "false", "aria-controls": id, "aria-keyshortcuts": key, onclick: () => this.toggle(name) }, text, h("kbd", { "aria-hidden": "true" }, key));
      return { name, text, key, button, body: h("div", { id, class: "kr-drawer", role: "region", "aria-label": text, hidden: true }) };
    });
    this.fill = { recent: () => this.recent(), many: () => this.many(), disagreements: () => this.disagreements(), conflicts: () => this.conflicts(), learning: () => this.learning(), keys: () => this.keys() };
    this.node = h("div", { class: "kr-below" }, h("div", { class: "kr-tabs" }, ...this.tabs.map((t) => t.button)), ...this.tabs.map((t) => t.body));
  }

  /** The drawer that a key opens. */
  byKey(key) {
    return this.tabs.find((t) => t.key.toLowerCase() === key && !t.button.hidden)?.name;
  }

  tab(name) {
    return this.tabs.find((t) => t.name === name);
  }

  toggle(name) {
    this.open = this.open === name ? null : name;
    this.draw(true);
    if (this.open) {
      const { body } = this.tab(name);
      body.scrollIntoView({ block: "nearest" });
      (body.querySelector("input,select,button") ?? this.panel.root).focus({ preventScroll: true });
    }
  }

  /** Follow the state. A drawer in which somebody writes is left as it is. */
  update(state) {
    const before = this.state;
    this.state = state;
    const p = state.progress || {};
    this.label("disagreements", state.n_disagreements, state.agreement.length || state.n_disagreements);
    this.label("conflicts", p.conflicts, p.conflicts);
    this.tab("many").button.hidden = state.blind && !state.policies.length;
    this.tab("learning").button.hidden = !state.learns && !state.expected_errors.length;
    if (this.open && this.tab(this.open).button.hidden) this.open = null;
    const stale = !before || before.n_disagreements !== state.n_disagreements || before.progress.conflicts !== p.conflicts || before.progress.left !== p.left;
    if (stale) this.lists = {};
    this.draw(!before);
  }

  label(name, n, shown) {
    const tab = this.tab(name);
    tab.button.hidden = !shown;
    tab.button.firstChild.textContent = n ? `${tab.text}: ${n.toLocaleString("en")}` : tab.text;
    tab.button.classList.toggle("kr-warn", n > 0);
  }

  draw(anew = false) {
    for (const { name, button, body } of this.tabs) {
      const open = name === this.open;
      button.setAttribute("aria-expanded", String(open));
      body.hidden = !open;
      const busy = body.contains(document.activeElement) && document.activeElement.matches("input,select");
      if (open && (anew || !busy) && !(name === "many" && body.firstChild && !anew)) this.put(body, this.fill[name]());
    }
    if (this.open === "many" && !anew) this.policies();
  }

  /** Replace what a drawer holds, and keep the focus where it was. */
  put(body, nodes) {
    const label = body.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") || document.activeElement.textContent : null;
    body.replaceChildren(...[nodes].flat(9).filter((node) => node !== null && node !== undefined && node !== ""));
    if (label !== null) ([...body.querySelectorAll("button,input,select")].find((n) => (n.getAttribute("aria-label") || n.textContent) === label) ?? this.panel.root).focus({ preventScroll: true });
  }

  /** Ask for a list once, and fill the drawer again when it is there. */
  list(name, message) {
    if (this.lists[name]) return this.lists[name];
    const lists = this.lists;
    lists[name] = [];
    this.panel.send({ do: message }, (answer) => { lists[name] = answer[name]; if (this.open === name) this.put(this.tab(name).body, this.fill[name]()); });
    return lists[name];
  }

  recent() {
    const { recent } = this.state;
    if (!recent.length) return h("p", { class: "kr-quiet" }, "None yet.");
    const row = (d) => h("li", {}, h("span", { class: `kr-verdict kr-is-${d.verdict}` }, `${SIGNS[d.verdict]} ${d.verdict}`), said(d.label, "kr-label"), d.reviewer === this.state.reviewer ? null : h("small", {}, said(d.reviewer)), d.note ? h("small", {}, "“", said(d.note), "”") : null,
      h("span", { class: "kr-acts" }, link("Change", () => this.panel.show(d.item_id), `Change: ${d.label}`), link("Undo", () => this.panel.undone({ decision_id: d.decision_id }), `Undo: ${d.label}`)));
    return h("ul", { class: "kr-rows" }, ...recent.map(row));
  }

  // Many at once, by hand or by a named rule

  many() {
    const { blind } = this.state;
    if (blind) return [this.policyBox()];
    const id = (name) => `${this.tab("many").body.id}-${name}`;
    this.verdict = h("select", { class: "kr-field", "aria-label": "What to do", onchange: () => this.unpreviewed() }, h("option", { value: "accepted" }, "Accept"), h("option", { value: "rejected" }, "Reject"));
    this.at = h("input", { type: "number", class: "kr-field kr-number", min: "0", max: "1", step: "0.01", "aria-label": "threshold", value: "0.95", oninput: () => this.unpreviewed() });
    this.rule = h("input", { type: "text", class: "kr-field", id: id("rule"), placeholder: "none: signed by you", oninput: () => this.unpreviewed() });
    this.side = h("span", {}, "and above.");
    this.previewBox = h("div", { class: "kr-preview", "aria-live": "polite" });
    return [h("p", { class: "kr-form" }, this.verdict, " all that are undecided and score ", this.at, " ", this.side, h("label", { for: id("rule") }, "Name of a rule that signs "), this.rule, " ", h("button", { type: "button", class: "kr-do", onclick: () => this.preview() }, "Preview")), this.previewBox, this.policyBox()];
  }

  unpreviewed() {
    this.side.textContent = this.verdict.value === "accepted" ? "and above." : "and below.";
    this.previewBox.replaceChildren();
  }

  preview() {
    const verdict = this.verdict.value, at = Number(this.at.value), name = this.rule.value.trim();
    const ask = name ? { do: "policy", name, verdict, at } : { do: "preview", verdict, at };
    this.panel.send(ask, ({ preview: p }) => {
      const doing = verdict === "accepted" ? "Accept" : "Reject";
      const go = h("button", { type: "button", class: `kr-do kr-do-${verdict}`, disabled: !p.n, onclick: () => this.apply(p, name) }, name ? `Let “${name}” ${doing.toLowerCase()} ${p.n.toLocaleString("en")}` : `${doing} ${p.n.toLocaleString("en")} now`);
      const cancel = h("button", { type: "button", class: "kr-do", onclick: () => { this.previewBox.replaceChildren(); this.at.focus(); } }, "Cancel");
      const weak = p.weakest.map((w) => h("li", {}, h("span", { class: "kr-verdict" }, w.score.toFixed(2)), said(w.name)));
      const joins = p.joins.slice(0, 8).map((names) => h("li", {}, said(names.join(" = "))));
      this.previewBox.replaceChildren(
        h("p", {}, h("b", {}, p.n ? `${count(p.n, "item")} would be ${PAST[verdict]}.` : "Nothing would be decided."), p.barred ? ` ${count(p.barred, "more is", "more are")} left out: earlier answers keep them apart.` : "", " Nothing is decided yet."),
        h("div", { class: "kr-columns" }, weak.length ? h("div", {}, h("h5", {}, verdict === "accepted" ? "The least certain of them" : "The most likely of them"), h("ul", { class: "kr-rows" }, ...weak)) : "",
          joins.length ? h("div", {}, h("h5", {}, `${count(p.n_joins, "group")} would become one${p.n_joins > joins.length ? `; ${joins.length} of them` : ""}`), h("ul", { class: "kr-rows" }, ...joins)) : ""),
        h("p", { class: "kr-form" }, go, cancel));
      if (p.n) go.focus({ preventScroll: true });
      this.previewBox.scrollIntoView({ block: "nearest" });
    });
  }

  apply({ verdict, at, n }, name) {
    this.previewBox.replaceChildren();
    this.panel.release();
    const message = name ? { do: "policy", apply: true, name, verdict, at, n } : { do: "bulk", verdict, at };
    this.panel.send(message, (done) => {
      this.panel.note(`${name ? `“${name}” ` : ""}${PAST[verdict]} ${count(done.n, "item")}; Undo takes all of them back.`);
      this.panel.root.focus({ preventScroll: true });
    });
  }

  policyBox() {
    this.policyList = h("div", {});
    this.policies();
    return this.policyList;
  }

  policies() {
    const row = (p) => h("li", {}, h("span", { class: `kr-verdict kr-is-${p.verdict}` }, `${SIGNS[p.verdict]} ${p.verdict}`), said(p.policy, "kr-label"), h("small", {}, `${count(p.n, "item")} at ${p.threshold} ${p.verdict === "accepted" ? "and above" : "and below"}`, p.n_replaced ? `, ${p.n_replaced.toLocaleString("en")} decided anew since` : "", p.by ? [", let by ", said(p.by)] : ""),
      h("span", { class: "kr-acts" }, link(`Take back all ${p.n.toLocaleString("en")}`, () => this.panel.undone({ batch: p.batch }), `Take back what the rule ${p.policy} decided`)));
    this.policyList?.replaceChildren(...(this.state.policies.length ? [h("h5", {}, "Rules that decided"), h("ul", { class: "kr-rows" }, ...this.state.policies.map(row))] : []));
  }

  // Where answers differ

  disagreements() {
    const rows = this.list("disagreements", "disagreements"), items = new Map();
    for (const row of rows) items.set(row.item_id, [...(items.get(row.item_id) || []), row]);
    const item = ([id, said_]) => h("li", { class: "kr-block" }, h("div", { class: "kr-line" }, h("b", {}, said(said_[0].name)), h("span", { class: "kr-acts" }, link("Show and settle", () => this.panel.show(id), `Show and settle: ${said_[0].name}`))),
      h("ul", {}, ...said_.map((v) => h("li", {}, said(v.reviewer), ": ", ...voice(v)))));
    const all = this.state.order === "disagreements" || !items.size ? null : h("button", { type: "button", class: "kr-do", onclick: () => this.panel.ask("disagreements") }, "Ask about these one by one");
    const agreed = this.state.agreement.filter((a) => a.n).map((a) => h("li", {}, said(a.reviewer), " and ", said(a.other), `: the same answer on ${a.n_agreed.toLocaleString("en")} of ${a.n.toLocaleString("en")}`, a.kappa === null ? "" : ` (Cohen’s kappa ${a.kappa.toFixed(2)}: ${a.kappa >= 0.8 ? "strong" : a.kappa >= 0.6 ? "good" : a.kappa >= 0.4 ? "moderate" : "weak"} agreement beyond chance)`));
    return [items.size ? h("ul", { class: "kr-rows" }, ...[...items].map(item)) : h("p", { class: "kr-quiet" }, this.state.n_disagreements ? this.state.blind ? "Those that you have not decided yourself are hidden." : "One moment …" : "Reviewers agree, or every disagreement is settled."), all, agreed.length ? [h("h5", {}, "How far reviewers agree"), h("ul", {}, ...agreed)] : ""];
  }

  conflicts() {
    const rows = this.list("conflicts", "conflicts");
    const row = (c) => h("li", { class: "kr-block" }, h("p", {}, h("b", {}, said(c.left)), " and ", h("b", {}, said(c.right)), ": one answer keeps them apart, others make them one. Which is wrong?"),
      h("p", { class: "kr-form" }, h("button", { type: "button", class: "kr-do", onclick: () => this.panel.undone({ decision_id: c.apart_by }) }, "They are one: take back the “no”"),
        ...c.joined_by.map((d, k) => h("button", { type: "button", class: "kr-do", onclick: () => this.panel.undone({ decision_id: d }) }, c.joined_labels?.[k] ? ["They are two: take back ", said(c.joined_labels[k])] : `They are two: take back “yes” ${k + 1}`))));
    return rows.length ? h("ul", { class: "kr-rows" }, ...rows.map(row)) : h("p", { class: "kr-quiet" }, this.state.progress.conflicts ? "One moment …" : "Nothing contradicts.");
  }

  learning() {
    const s = this.state, rows = s.expected_errors;
    const move = (m) => h("li", {}, h("span", { class: "kr-verdict" }, `${m.before.toFixed(2)} → ${m.after.toFixed(2)}`), said(m.name));
    const table = rows.length ? h("table", {}, h("caption", {}, "Errors to expect, from the scores"), h("thead", {}, h("tr", {}, ...["Decided", "Items", "Likely wrong"].map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, ...rows.map((r) => h("tr", {}, h("th", { scope: "row" }, r.by === "left" ? `left, would be ${r.verdict}` : `${r.verdict} ${ORDINARY[r.by]}`), h("td", {}, r.n.toLocaleString("en")), h("td", {}, r.expected_errors.toFixed(1)))))) : "";
    const learn = s.learns ? h("button", { type: "button", class: "kr-do", onclick: () => { this.panel.note("Scoring anew …"); this.panel.send({ do: "rescore" }); } }, "Learn from the answers now") : "";
    return [s.failed ? h("p", { class: "kr-error" }, `Learning failed: ${s.failed}`) : "", h("p", {}, s.change ?? (s.learns ? "After every ten answers the matcher learns from them, in the background." : "")), s.learns && !s.helps ? h("p", {}, h("b", {}, "More answers hardly change the proposals now.")) : "",
      h("div", { class: "kr-columns" }, table, s.movers.length ? h("div", {}, h("h5", {}, "Scores that moved most"), h("ul", { class: "kr-rows" }, ...s.movers.map(move))) : ""), learn];
  }

  keys() {
    return [h("dl", { class: "kr-keys" }, ...KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])), h("p", { class: "kr-quiet" }, "They work while the panel has the focus: click it, or tab to it. Ctrl+S and the like stay the notebook’s.")];
  }
}
