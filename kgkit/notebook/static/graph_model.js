// The graph as the view holds it: typed arrays for what is drawn, plain arrays for what is read.

export const POLARITY = ["positive", "negated", "conditional", "reported"];
const NONE = 0xffffffff;

/** A lane is what is drawn between two nodes: all relations of one kind (stated, negated, qualified) between them. */
const laneKind = (polarity) => (polarity === 0 ? 0 : polarity === 1 ? 1 : 2);

export function makeModel(buffers, meta) {
  const n = meta.ids.length;
  const columns = 5;
  const nodes = new Uint32Array(buffers.nodes);
  const relations = new Uint32Array(buffers.relations);
  const m = relations.length / columns;
  const type = new Uint32Array(n), group = new Int32Array(n), degree = new Uint32Array(n);
  const mentions = new Uint32Array(n), documents = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    type[i] = nodes[i * columns];
    group[i] = nodes[i * columns + 1] === NONE ? -1 : nodes[i * columns + 1];
    degree[i] = nodes[i * columns + 2];
    mentions[i] = nodes[i * columns + 3];
    documents[i] = nodes[i * columns + 4];
  }
  const xy = new Float32Array(buffers.positions);
  const sizes = new Float32Array(buffers.sizes);
  const radius = new Float32Array(n);
  for (let i = 0; i < n; i++) radius[i] = 4.5 + 13 * Math.sqrt(sizes[i]);
  const byImportance = Array.from({ length: n }, (_, i) => i).sort((a, b) => sizes[b] - sizes[a] || a - b);
  const model = {
    n, m, meta, xy, sizes, radius, type, group, degree, mentions, documents, relations, columns,
    weights: new Float32Array(buffers.weights),
    byImportance,
    lanes: makeLanes(n, m, relations, columns, new Float32Array(buffers.weights)),
    row: new Map(meta.ids.map((id, i) => [id, i])),
    polarityCounts: [0, 0, 0, 0],
    grouped: meta.groups.length > 0,
    singles: degree.reduce((count, d) => count + (d ? 0 : 1), 0),
  };
  for (let r = 0; r < m; r++) model.polarityCounts[relations[r * columns + 3]]++;
  model.incident = makeIncidence(n, model.lanes);
  model.discs = model.grouped ? makeDiscs(model) : [];
  model.compact = areCompact(model.discs);
  return model;
}

function makeLanes(n, m, relations, columns, weights) {
  const found = new Map();
  const a = [], b = [], kind = [], ways = [], weight = [], members = [], pairs = new Map();
  for (let r = 0; r < m; r++) {
    const s = relations[r * columns], t = relations[r * columns + 1];
    const low = Math.min(s, t), high = Math.max(s, t), k = laneKind(relations[r * columns + 3]);
    const pair = low * n + high, key = pair * 3 + k;
    let lane = found.get(key);
    if (lane === undefined) {
      lane = a.length;
      found.set(key, lane);
      a.push(low); b.push(high); kind.push(k); ways.push(0); weight.push(0); members.push([]);
      const beside = pairs.get(pair);
      if (beside) beside.push(lane); else pairs.set(pair, [lane]);
    }
    ways[lane] |= s === low ? 1 : 2;
    weight[lane] += weights[r];
    members[lane].push(r);
  }
  const bend = new Float32Array(a.length);
  for (const beside of pairs.values()) {
    if (beside.length > 1) beside.forEach((lane, i) => { bend[lane] = (i - (beside.length - 1) / 2) * 0.22; });
  }
  return {
    count: a.length, a: Uint32Array.from(a), b: Uint32Array.from(b), kind: Uint8Array.from(kind),
    ways: Uint8Array.from(ways), weight: Float32Array.from(weight), members, bend,
  };
}

/** Lanes at each node, as one array with offsets. */
function makeIncidence(n, lanes) {
  const start = new Uint32Array(n + 1);
  for (let l = 0; l < lanes.count; l++) {
    start[lanes.a[l] + 1]++;
    if (lanes.a[l] !== lanes.b[l]) start[lanes.b[l] + 1]++;
  }
  for (let i = 0; i < n; i++) start[i + 1] += start[i];
  const fill = start.slice(), list = new Uint32Array(start[n]);
  for (let l = 0; l < lanes.count; l++) {
    list[fill[lanes.a[l]]++] = l;
    if (lanes.a[l] !== lanes.b[l]) list[fill[lanes.b[l]]++] = l;
  }
  return { of: (i) => list.subarray(start[i], start[i + 1]) };
}

/** Where each community lies: the middle of its members and a radius that holds most of them. */
function makeDiscs(model) {
  const members = model.meta.groups.map(() => []);
  for (let i = 0; i < model.n; i++) if (model.group[i] >= 0) members[model.group[i]].push(i);
  return members.map((list, g) => {
    const middle = (axis) => list.map((i) => model.xy[2 * i + axis]).sort((p, q) => p - q)[list.length >> 1] || 0;
    const x = middle(0), y = middle(1); // medians: members that stand apart do not move it
    const away = list.map((i) => Math.hypot(model.xy[2 * i] - x, model.xy[2 * i + 1] - y)).sort((p, q) => p - q);
    return { g, x, y, r: (away[Math.floor(away.length * 0.87)] || 0) + 22, size: list.length };
  });
}

/** Whether communities lie apart, so that discs can stand for them: most are not much wider than their members need. */
function areCompact(discs) {
  const large = discs.filter((disc) => disc.size >= 12);
  return large.length > 2 && large.filter((disc) => disc.r < 40 * Math.sqrt(disc.size) + 40).length > 0.7 * large.length;
}

/** Nodes within `hops` steps of a node, as a Map from node to distance. */
export function neighbourhood(model, start, hops, visible) {
  const seen = new Map([[start, 0]]);
  let edge = [start];
  for (let step = 1; step <= hops; step++) {
    const next = [];
    for (const i of edge) {
      for (const l of model.incident.of(i)) {
        const j = model.lanes.a[l] === i ? model.lanes.b[l] : model.lanes.a[l];
        if (!seen.has(j) && visible(j)) { seen.set(j, step); next.push(j); }
      }
    }
    edge = next;
  }
  return seen;
}

/** Text under which names are compared: compatibility forms, case and accents do not count; scripts do. */
export function fold(text) {
  return text.normalize("NFKD").replace(/[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]/g, "").toLowerCase()
    .normalize("NFC").replace(/\s+/g, " ").trim();
}

/** Rank entities by how a name or alias fits: the whole name, its beginning, the beginning of a word, any part. */
export function searchNames(model, query) {
  const wanted = fold(query);
  if (!wanted) return [];
  if (!model.folded) {
    model.folded = model.meta.names.map((name, i) => [name, ...(model.meta.aliases[i] || [])].map(fold));
  }
  const hits = [];
  for (let i = 0; i < model.n; i++) {
    let best = 9;
    model.folded[i].forEach((name, k) => {
      const at = name.indexOf(wanted);
      if (at < 0) return;
      const fit = name === wanted ? 0 : at === 0 ? 1 : " -.'’(\"".includes(name[at - 1]) ? 2 : 3;
      best = Math.min(best, fit + (k ? 0.5 : 0));
    });
    if (best < 9) hits.push([best, i]);
  }
  hits.sort((p, q) => p[0] - q[0] || model.sizes[q[1]] - model.sizes[p[1]] || p[1] - q[1]);
  return hits.map((hit) => hit[1]);
}

/** Cells of equal size over the plane, to find the nodes near a point. */
export function makeGrid(model) {
  const cell = 60, cells = new Map();
  const key = (cx, cy) => cx * 1000003 + cy;
  for (let i = 0; i < model.n; i++) {
    const k = key(Math.floor(model.xy[2 * i] / cell), Math.floor(model.xy[2 * i + 1] / cell));
    const list = cells.get(k);
    if (list) list.push(i); else cells.set(k, [i]);
  }
  return {
    near(x, y, reach, visit) {
      const x0 = Math.floor((x - reach) / cell), x1 = Math.floor((x + reach) / cell);
      const y0 = Math.floor((y - reach) / cell), y1 = Math.floor((y + reach) / cell);
      if ((x1 - x0) * (y1 - y0) > 4 * cells.size) { for (let i = 0; i < model.n; i++) visit(i); return; }
      for (let cx = x0; cx <= x1; cx++) {
        for (let cy = y0; cy <= y1; cy++) for (const i of cells.get(key(cx, cy)) || []) visit(i);
      }
    },
  };
}
