// Small parts of the review panel. Text from documents only ever becomes text nodes.

/** Make an element; strings among the children become text nodes, and nothing is made of null. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") node[name] = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Text of a document, in its own direction. */
export const said = (text, className) => h("bdi", { class: className, dir: "auto" }, String(text));

export const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** A quote with its marks; the places are in characters, and one character may be two of JavaScript's. */
export function marked(quote) {
  const letters = Array.from(quote.text), node = h("bdi", { dir: "auto" });
  let at = 0;
  for (const [start, end] of quote.marks || []) {
    if (start < at || end > letters.length) continue;
    node.append(letters.slice(at, start).join(""), h("mark", {}, letters.slice(start, end).join("")));
    at = end;
  }
  node.append(letters.slice(at).join(""));
  return node;
}

/** A name with what differs from the other name underlined. */
export function differing(parts) {
  const marks = parts.map(([text, differs]) => (differs ? h("span", { class: "kr-differs" }, text) : text));
  return h("bdi", { dir: "auto", class: "kr-name" }, ...marks);
}

/** How likely a score says a proposal is, in words. */
export function inWords(score) {
  if (score === null || score === undefined) return "";
  if (score >= 0.95) return "very likely";
  if (score >= 0.8) return "likely";
  if (score >= 0.6) return "rather likely";
  if (score > 0.4) return "uncertain";
  return score > 0.2 ? "rather unlikely" : "unlikely";
}

export const SIGNS = { accepted: "✓", rejected: "✗", skipped: "→", flagged: "⚑", undecided: "·" };

/** Light or dark: as told, else as the notebook, else as the system. */
export function isDarkHere(wish) {
  if (wish === "light" || wish === "dark") return wish === "dark";
  const { body } = document, lab = body.dataset.jpThemeLight;
  if (lab !== undefined) return lab === "false";
  if (/\bvscode-(dark|high-contrast)\b/.test(body.className)) return true;
  if (body.classList.contains("vscode-light")) return false;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Whether a key belongs to the notebook, as Ctrl+S does. AltGr writes letters, and says Ctrl and Alt on some systems;
 * in a field, Ctrl+Z and its like are the field's. */
export const isForNotebook = (event) => (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph")
  && !(event.target.matches("input,select,textarea") && /^([acvxyz]|Arrow.*|Backspace|Delete|Home|End|Enter)$/i.test(event.key));

export const KEYS = [
  ["A", "accept"],
  ["R", "reject"],
  ["S", "skip: it comes back at the end"],
  ["F", "flag: it comes back at the end, with your note"],
  ["U", "undo, as often as you like"],
  ["1 … 9", "choose the name that stays; in a group also tick again what was unticked"],
  ["E", "open the document at the first quote, and close it"],
  ["X", "split an entity that is several"],
  ["N", "write a note"],
  ["H", "recent decisions"],
  ["M", "many at once, rules"],
  ["D", "disagreements"],
  ["C", "contradictions"],
  ["L", "learning, errors to expect"],
  ["?", "these keys"],
  ["Esc", "back to the panel, from a field or an opened document"],
];
