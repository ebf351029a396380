import { makeGrid } from "./graph_model.js";
import { drawLabels } from "./graph_labels.js";

// The canvas: camera, painting, and what lies under the pointer.

const LOOK_CLOSER = 0.2; // below this scale communities are drawn as discs and relations between them as one line
const SLOW = 20; // ms; a slower picture is moved as a whole while it is dragged, and drawn anew when it rests
const clamp = (v, low, high) => Math.max(low, Math.min(high, v));
const SHAPES = ["circle", "square", "diamond", "triangle", "hexagon", "down", "pentagon", "plus"];

export const shapeOf = (type) => SHAPES[type % SHAPES.length];

/** Add one node's outline to the path under construction; all shapes have about the same area. */
export function traceShape(ctx, shape, x, y, r) {
  const corners = { triangle: [3, -90, 1.28], down: [3, 90, 1.28], diamond: [4, -90, 1.22], pentagon: [5, -90, 1.12], hexagon: [6, 0, 1.08] }[shape];
  if (corners) {
    const [count, turn, grow] = corners;
    for (let k = 0; k < count; k++) {
      const angle = (turn + (360 * k) / count) * (Math.PI / 180);
      const px = x + r * grow * Math.cos(angle), py = y + r * grow * Math.sin(angle);
      if (k) ctx.lineTo(px, py); else ctx.moveTo(px, py);
    }
    ctx.closePath();
  } else if (shape === "square") {
    ctx.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76);
  } else if (shape === "plus") {
    const w = r * 0.45, l = r * 1.12;
    ctx.moveTo(x - w, y - l);
    for (const [px, py] of [[w, -l], [w, -w], [l, -w], [l, w], [w, w], [w, l], [-w, l], [-w, w], [-l, w], [-l, -w], [-w, -w]]) ctx.lineTo(x + px, y + py);
    ctx.closePath();
  } else {
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 6.2832);
  }
}

export class Scene {
  constructor(canvas, model, theme) {
    Object.assign(this, { canvas, theme, width: 1, height: 1, ratio: 1 });
    this.ctx = canvas.getContext("2d", { alpha: false });
    this.camera = { x: 0, y: 0, s: 1 };
    this.inset = { left: 0, right: 0, top: 0, bottom: 0 };
    this.snapshot = document.createElement("canvas");
    this.cost = 0;
    this.onPaint = () => {};
    this.take(model);
  }

  /** Take another model; the camera stays. */
  take(model) {
    this.model = model;
    this.grid = makeGrid(model);
    this.visible = new Uint8Array(model.n).fill(1);
    this.focus = null; // Map from node to distance
    this.selected = -1;
    this.hover = null;
    this.matches = new Set();
    this.dirty();
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.resting);
    this.land();
    this.dead = true;
    this.snapshot.width = this.snapshot.height = this.canvas.width = this.canvas.height = 0;
  }

  /** Forget what depends on which nodes are visible. */
  dirty() {
    this.paths = null;
    this.links = null;
  }

  resize(width, height) {
    this.ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.snapshot.width = this.canvas.width;
    this.snapshot.height = this.canvas.height;
    this.taken = null;
  }

  toScreen(x, y) {
    return [(x - this.camera.x) * this.camera.s + this.width / 2, (y - this.camera.y) * this.camera.s + this.height / 2];
  }

  toWorld(px, py) {
    return [(px - this.width / 2) / this.camera.s + this.camera.x, (py - this.height / 2) / this.camera.s + this.camera.y];
  }

  radiusOf(i) {
    return this.model.radius[i] * clamp(Math.sqrt(this.camera.s), 0.2, 1.7);
  }

  get overview() {
    return this.model.compact && this.camera.s < LOOK_CLOSER && !this.focus && this.model.n > 300;
  }

  /** Camera that shows these nodes within the part of the canvas that no panel covers. */
  cameraFor(nodes, most = 1.6) {
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    for (const i of nodes) {
      const x = this.model.xy[2 * i], y = this.model.xy[2 * i + 1];
      x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y);
    }
    if (x0 > x1) return { ...this.camera };
    const { left, right, top, bottom } = this.inset;
    const w = Math.max(80, this.width - left - right - Math.min(150, this.width * 0.2)), h = Math.max(80, this.height - top - bottom - 80);
    const s = Math.min(most, w / Math.max(1, x1 - x0), h / Math.max(1, y1 - y0));
    return { x: (x0 + x1) / 2 - (left - right) / 2 / s, y: (y0 + y1) / 2 - (top - bottom) / 2 / s, s };
  }

  everything() {
    const all = [];
    for (let i = 0; i < this.model.n; i++) if (this.visible[i]) all.push(i);
    return all;
  }

  fly(to, calm) {
    cancelAnimationFrame(this.flight);
    const from = { ...this.camera }, began = performance.now(), last = calm ? 0 : 280;
    const step = (now) => {
      const t = last ? clamp((now - began) / last, 0, 1) : 1, e = 1 - (1 - t) ** 3;
      if (t < 1) {
        this.camera = { x: from.x + (to.x - from.x) * e, y: from.y + (to.y - from.y) * e, s: from.s * (to.s / from.s) ** e };
        this.move();
        this.flight = requestAnimationFrame(step);
      } else {
        this.camera = { ...to };
        this.flight = 0;
        this.draw();
      }
    };
    this.flight = requestAnimationFrame(step);
  }

  land() {
    cancelAnimationFrame(this.flight);
    this.flight = 0;
  }

  /** Whether nothing moves and all is painted. */
  get still() {
    return !this.flight && !this.frame && !this.resting;
  }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    this.land();
    const [wx, wy] = this.toWorld(px, py), s = clamp(this.camera.s * factor, 0.004, 8);
    this.camera = { s, x: wx - (px - this.width / 2) / s, y: wy - (py - this.height / 2) / s };
    this.move();
  }

  pan(dx, dy) {
    this.land();
    this.camera = { ...this.camera, x: this.camera.x - dx / this.camera.s, y: this.camera.y - dy / this.camera.s };
    this.move();
  }

  draw() {
    if (this.dead || this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.paint(); });
  }

  /** Redraw after the camera moved: at once when that is quick, else move the last picture and redraw at rest. */
  move() {
    if (this.cost < SLOW || !this.taken) return this.draw();
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.shift(); });
    clearTimeout(this.resting);
    this.resting = setTimeout(() => { this.resting = 0; this.draw(); }, 110);
  }

  shift() {
    const { ctx, taken, camera } = this, k = camera.s / taken.s;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.fillStyle = this.theme.paper;
    ctx.fillRect(0, 0, this.width, this.height);
    const x = (taken.x - camera.x) * camera.s + (this.width / 2) * (1 - k);
    const y = (taken.y - camera.y) * camera.s + (this.height / 2) * (1 - k);
    ctx.drawImage(this.snapshot, x, y, this.width * k, this.height * k);
  }

  paint() {
    if (this.dead) return;
    const began = performance.now(), { ctx } = this;
    ctx.lineJoin = ctx.lineCap = "round";
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.globalAlpha = 1;
    ctx.fillStyle = this.theme.paper;
    ctx.fillRect(0, 0, this.width, this.height);
    if (this.overview) this.paintDiscs(); else this.paintLanes();
    this.paintNodes();
    this.paintHighlights();
    drawLabels(this);
    this.cost = 0.5 * this.cost + 0.5 * (performance.now() - began);
    if (this.cost >= SLOW) {
      this.snapshot.getContext("2d").drawImage(this.canvas, 0, 0);
      this.taken = { ...this.camera };
    } else this.taken = null;
    this.onPaint();
  }

  /** Paths of all visible lanes, by kind, three widths, and within or across communities, in world units; made once. */
  lanePaths() {
    if (this.paths) return this.paths;
    const { lanes, xy, group } = this.model, paths = Array.from({ length: 18 }, () => null);
    for (let l = 0; l < lanes.count; l++) {
      const a = lanes.a[l], b = lanes.b[l];
      if (!this.visible[a] || !this.visible[b]) continue;
      const width = lanes.weight[l] >= 5 ? 2 : lanes.weight[l] >= 2 ? 1 : 0, at = lanes.kind[l] * 3 + width + (group[a] === group[b] ? 0 : 9);
      const path = (paths[at] ||= new Path2D());
      this.traceLane(path, l, xy[2 * a], xy[2 * a + 1], xy[2 * b], xy[2 * b + 1]);
    }
    return (this.paths = paths);
  }

  traceLane(path, l, ax, ay, bx, by) {
    const { lanes } = this.model;
    path.moveTo(ax, ay);
    if (lanes.a[l] === lanes.b[l]) {
      path.arc(ax, ay - 14, 14, Math.PI / 2, Math.PI * 2.5);
    } else if (lanes.bend[l]) {
      path.quadraticCurveTo((ax + bx) / 2 - (by - ay) * lanes.bend[l], (ay + by) / 2 + (bx - ax) * lanes.bend[l], bx, by);
    } else path.lineTo(bx, by);
  }

  worldTransform() {
    const k = this.ratio * this.camera.s;
    this.ctx.setTransform(k, 0, 0, k, this.ratio * (this.width / 2 - this.camera.x * this.camera.s), this.ratio * (this.height / 2 - this.camera.y * this.camera.s));
  }

  screenTransform() {
    this.ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }

  paintLanes() {
    const { ctx, theme, camera } = this, dense = clamp(900 / Math.max(this.model.lanes.count, 1), 0.35, 1);
    this.worldTransform();
    this.lanePaths().forEach((path, at) => {
      if (!path) return;
      const kind = Math.floor((at % 9) / 3), across = at < 9 ? 1 : clamp(1500 / this.model.lanes.count, 0.3, 1);
      ctx.strokeStyle = [theme.edge, theme.negated, theme.qualified][kind];
      ctx.globalAlpha = (kind ? 0.75 : 0.5 * Math.sqrt(dense) + 0.08) * across * (this.focus ? 0.16 : 1);
      ctx.lineWidth = ([0.9, 1.5, 2.3][at % 3] * clamp(Math.sqrt(camera.s), 0.6, 1.5)) / camera.s;
      ctx.setLineDash(kind === 1 ? [5 / camera.s, 4 / camera.s] : kind === 2 ? [1.5 / camera.s, 4 / camera.s] : []);
      ctx.stroke(path);
    });
    ctx.setLineDash([]);
    this.screenTransform();
    ctx.globalAlpha = 1;
    this.paintSigns();
  }

  /** Mark denied relations with a crossed circle, and show directions when one looks closely. */
  paintSigns() {
    const { lanes } = this.model;
    if (this.camera.s < 0.45 || this.focus) return;
    let left = 300;
    for (let l = 0; l < lanes.count && left; l++) {
      const close = this.camera.s > 1.25;
      if (lanes.kind[l] !== 1 && !close) continue;
      if (!this.visible[lanes.a[l]] || !this.visible[lanes.b[l]]) continue;
      const shape = this.laneOnScreen(l);
      if (!this.inView(shape.mx, shape.my)) continue;
      left--;
      if (lanes.kind[l] === 1) this.sign(shape.mx, shape.my, 4.5);
      if (close) this.arrows(l, shape, this.theme.edge, 0.8);
    }
  }

  inView(x, y, by = 20) {
    return x > -by && y > -by && x < this.width + by && y < this.height + by;
  }

  /** A lane's ends, control point and middle on the screen. */
  laneOnScreen(l) {
    const { lanes, xy } = this.model, a = lanes.a[l], b = lanes.b[l];
    const [ax, ay] = this.toScreen(xy[2 * a], xy[2 * a + 1]), [bx, by] = this.toScreen(xy[2 * b], xy[2 * b + 1]);
    if (a === b) return { ax, ay, bx, by, cx: ax, cy: ay - 28 * this.camera.s, mx: ax, my: ay - 28 * this.camera.s };
    const cx = (ax + bx) / 2 - (by - ay) * lanes.bend[l], cy = (ay + by) / 2 + (bx - ax) * lanes.bend[l];
    return { ax, ay, bx, by, cx, cy, mx: (ax + bx) / 4 + cx / 2, my: (ay + by) / 4 + cy / 2 };
  }

  sign(x, y, r) {
    const { ctx } = this;
    ctx.globalAlpha = 1;
    ctx.fillStyle = this.theme.paper;
    ctx.strokeStyle = this.theme.negated;
    ctx.lineWidth = 1.4;
    ctx.beginPath();
    ctx.arc(x, y, r, 0, 6.2832);
    ctx.fill();
    ctx.moveTo(x - r * 0.7, y + r * 0.7);
    ctx.lineTo(x + r * 0.7, y - r * 0.7);
    ctx.stroke();
  }

  arrows(l, shape, color, alpha) {
    const { lanes } = this.model;
    if (lanes.a[l] === lanes.b[l]) return;
    if (lanes.ways[l] & 1) this.arrow(shape.cx, shape.cy, shape.bx, shape.by, this.radiusOf(lanes.b[l]), color, alpha);
    if (lanes.ways[l] & 2) this.arrow(shape.cx, shape.cy, shape.ax, shape.ay, this.radiusOf(lanes.a[l]), color, alpha);
  }

  arrow(fromX, fromY, x, y, back, color, alpha) {
    const length = Math.hypot(x - fromX, y - fromY);
    if (length < back + 8) return;
    const ux = (x - fromX) / length, uy = (y - fromY) / length, tx = x - ux * (back + 2), ty = y - uy * (back + 2);
    const { ctx } = this;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = color;
    ctx.beginPath();
    ctx.moveTo(tx, ty);
    ctx.lineTo(tx - ux * 8 - uy * 3.6, ty - uy * 8 + ux * 3.6);
    ctx.lineTo(tx - ux * 8 + uy * 3.6, ty - uy * 8 - ux * 3.6);
    ctx.fill();
    ctx.globalAlpha = 1;
  }

  paintDiscs() {
    const { ctx, theme } = this;
    for (const link of this.groupLinks()) {
      const a = this.model.discs[link.a], b = this.model.discs[link.b];
      ctx.globalAlpha = clamp(0.05 + link.count / 60, 0.08, 0.4);
      ctx.strokeStyle = theme.edge;
      ctx.lineWidth = clamp(Math.sqrt(link.count) * 0.55, 0.6, 6);
      ctx.beginPath();
      ctx.moveTo(...this.toScreen(a.x, a.y));
      ctx.lineTo(...this.toScreen(b.x, b.y));
      ctx.stroke();
    }
    for (const disc of this.model.discs) {
      if (disc.size < 3 || !this.groupShown(disc.g)) continue;
      const [x, y] = this.toScreen(disc.x, disc.y), r = disc.r * this.camera.s;
      ctx.beginPath();
      ctx.arc(x, y, r, 0, 6.2832);
      ctx.globalAlpha = 1;
      ctx.fillStyle = theme.paper;
      ctx.fill();
      ctx.globalAlpha = theme.dark ? 0.2 : 0.13;
      ctx.fillStyle = this.groupColor(disc.g);
      ctx.fill();
      ctx.globalAlpha = 0.5;
      ctx.strokeStyle = this.groupColor(disc.g);
      ctx.lineWidth = 1;
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }

  groupLinks() {
    if (this.links) return this.links;
    const { lanes, group, discs } = this.model, count = new Map();
    for (let l = 0; l < lanes.count; l++) {
      const a = lanes.a[l], b = lanes.b[l], low = Math.min(group[a], group[b]), high = Math.max(group[a], group[b]);
      if (low < 0 || low === high || !this.visible[a] || !this.visible[b]) continue;
      const key = low * discs.length + high;
      count.set(key, (count.get(key) || 0) + 1);
    }
    const all = [...count].map(([key, c]) => ({ a: Math.floor(key / discs.length), b: key % discs.length, count: c }));
    return (this.links = all.sort((p, q) => q.count - p.count).slice(0, 600));
  }

  groupShown(g) {
    return !this.groupFilter || this.groupFilter.has(g);
  }

  /** What a node counts under in the legend: its community, or all that are small, isolated, or in none. */
  groupKey(i) {
    const g = this.model.group[i], status = g < 0 ? "none" : this.model.meta.groups[g][3];
    return status === "grouped" ? g : status;
  }

  groupColor(g) {
    const group = this.model.meta.groups[g];
    return g < 0 || (group && group[3] !== "grouped") ? this.theme.rest : this.theme.palette[g % this.theme.palette.length];
  }

  colorNumber(i) {
    if (this.model.meta.colorBy === "type") return this.model.type[i] % this.theme.palette.length;
    const g = this.model.group[i], group = g < 0 ? null : this.model.meta.groups[g];
    return !group || group[3] !== "grouped" ? this.theme.palette.length : g % this.theme.palette.length;
  }

  colorOf(i) {
    const k = this.colorNumber(i);
    return k === this.theme.palette.length ? this.theme.rest : this.theme.palette[k];
  }

  paintNodes() {
    const { ctx, model, theme, focus } = this, buckets = Array.from({ length: 2 * (theme.palette.length + 1) }, () => []);
    for (let i = 0; i < model.n; i++) {
      if (!this.visible[i]) continue;
      const [x, y] = this.toScreen(model.xy[2 * i], model.xy[2 * i + 1]);
      if (this.inView(x, y, 24)) buckets[2 * this.colorNumber(i) + (focus && !focus.has(i) ? 0 : 1)].push(i, x, y);
    }
    for (let lit = 0; lit < 2; lit++) {
      for (let k = 0; k <= theme.palette.length; k++) this.paintBucket(buckets[2 * k + lit], theme.palette[k] || theme.rest, lit);
    }
    ctx.globalAlpha = 1;
  }

  paintBucket(bucket, color, lit) {
    if (!bucket.length) return;
    const { ctx, model, theme } = this;
    ctx.beginPath();
    for (let k = 0; k < bucket.length; k += 3) {
      const i = bucket[k], r = this.radiusOf(i);
      if (r < 2) ctx.rect(bucket[k + 1] - r * 0.85, bucket[k + 2] - r * 0.85, r * 1.7, r * 1.7);
      else traceShape(ctx, shapeOf(model.type[i]), bucket[k + 1], bucket[k + 2], r);
    }
    ctx.globalAlpha = !lit ? 0.14 : this.overview ? 0.6 : 1;
    ctx.fillStyle = color;
    ctx.fill();
    if (lit && this.camera.s > 0.24) {
      ctx.strokeStyle = theme.paper;
      ctx.lineWidth = 1.2;
      ctx.stroke();
    }
  }

  paintHighlights() {
    const { ctx, model, theme } = this;
    if (this.focus) for (const l of this.focusLanes()) this.paintLane(l, this.hover?.lane === l);
    if (this.hover?.lane !== undefined) this.paintLane(this.hover.lane, true);
    if (this.hover?.node !== undefined && !this.focus) for (const l of model.incident.of(this.hover.node).slice(0, 400)) this.paintLane(l, false);
    if (this.focus || this.hover?.node !== undefined) this.repaintLit();
    const ring = (i, color, width, out) => {
      const [x, y] = this.toScreen(model.xy[2 * i], model.xy[2 * i + 1]);
      ctx.beginPath();
      ctx.arc(x, y, this.radiusOf(i) * 1.15 + out, 0, 6.2832);
      ctx.strokeStyle = color;
      ctx.lineWidth = width;
      ctx.stroke();
    };
    let left = 300;
    for (const i of this.matches) if (this.visible[i] && left-- > 0) ring(i, theme.accent, 2, 3);
    if (this.hover?.node !== undefined) ring(this.hover.node, theme.ink, 1.5, 3);
    if (this.selected >= 0) ring(this.selected, theme.accent, 2.5, 4);
  }

  focusLanes() {
    const found = new Set();
    for (const [i] of this.focus) {
      for (const l of this.model.incident.of(i)) {
        if (this.focus.has(this.model.lanes.a[l]) && this.focus.has(this.model.lanes.b[l])) found.add(l);
      }
      if (found.size > 3000) break;
    }
    return found;
  }

  /** Draw the nodes in focus over the lines in focus. */
  repaintLit() {
    const lit = this.focus ? [...this.focus.keys()] : [this.hover.node, ...[...this.model.incident.of(this.hover.node)].flatMap((l) => [this.model.lanes.a[l], this.model.lanes.b[l]])];
    for (const i of lit.slice(0, 3000)) {
      if (!this.visible[i]) continue;
      const [x, y] = this.toScreen(this.model.xy[2 * i], this.model.xy[2 * i + 1]);
      this.paintBucket([i, x, y], this.colorOf(i), 1);
    }
  }

  paintLane(l, strong) {
    const { lanes } = this.model, { ctx, theme } = this, kind = lanes.kind[l];
    if (!this.visible[lanes.a[l]] || !this.visible[lanes.b[l]]) return;
    const shape = this.laneOnScreen(l), color = [theme.strong, theme.negated, theme.qualified][kind];
    ctx.beginPath();
    ctx.moveTo(shape.ax, shape.ay);
    if (lanes.a[l] === lanes.b[l]) ctx.arc(shape.ax, shape.ay - 14 * this.camera.s, 14 * this.camera.s, Math.PI / 2, Math.PI * 2.5);
    else ctx.quadraticCurveTo(shape.cx, shape.cy, shape.bx, shape.by);
    ctx.strokeStyle = color;
    ctx.globalAlpha = strong ? 1 : 0.62;
    ctx.lineWidth = Math.min(4, 1 + Math.log2(lanes.weight[l] + 1) * 0.5) + (strong ? 1.2 : 0);
    ctx.setLineDash(kind === 1 ? [5, 4] : kind === 2 ? [1.5, 4] : []);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    if (kind === 1) this.sign(shape.mx, shape.my, 5);
    this.arrows(l, shape, color, strong ? 1 : 0.8);
  }

  /** What lies under a point of the screen: `{node}`, `{lane}`, `{disc}` or null. */
  pick(px, py) {
    const { model } = this, [wx, wy] = this.toWorld(px, py);
    let best = null, nearest = Infinity;
    this.grid.near(wx, wy, 24 / this.camera.s, (i) => {
      if (!this.visible[i] || (this.focus && !this.focus.has(i))) return;
      const [x, y] = this.toScreen(model.xy[2 * i], model.xy[2 * i + 1]);
      const away = Math.hypot(x - px, y - py) - this.radiusOf(i);
      if (away < 5 && away < nearest) { nearest = away; best = i; }
    });
    if (best !== null) return { node: best };
    if (this.overview) {
      const disc = model.discs.find((d) => d.size >= 3 && this.groupShown(d.g) && Math.hypot(d.x - wx, d.y - wy) < d.r);
      return disc ? { disc: disc.g } : null;
    }
    const lane = this.pickLane(px, py);
    return lane === null ? null : { lane };
  }

  pickLane(px, py) {
    const candidates = this.focus ? this.focusLanes() : upTo(this.model.lanes.count > 30000 ? 0 : this.model.lanes.count);
    let best = null, nearest = 5;
    for (const l of candidates) {
      if (!this.visible[this.model.lanes.a[l]] || !this.visible[this.model.lanes.b[l]]) continue;
      const away = distanceToLane(this.laneOnScreen(l), px, py, nearest);
      if (away < nearest) { nearest = away; best = l; }
    }
    return best;
  }
}

function* upTo(n) {
  for (let i = 0; i < n; i++) yield i;
}

function distanceToLane(shape, px, py, limit) {
  const { ax, ay, bx, by, cx, cy } = shape;
  if (Math.min(ax, bx, cx) - limit > px || Math.max(ax, bx, cx) + limit < px || Math.min(ay, by, cy) - limit > py || Math.max(ay, by, cy) + limit < py) return Infinity;
  let best = Infinity, x0 = ax, y0 = ay;
  for (let k = 1; k <= 8; k++) {
    const t = k / 8, u = 1 - t, x1 = u * u * ax + 2 * u * t * cx + t * t * bx, y1 = u * u * ay + 2 * u * t * cy + t * t * by;
    const dx = x1 - x0, dy = y1 - y0, along = clamp(((px - x0) * dx + (py - y0) * dy) / (dx * dx + dy * dy || 1), 0, 1);
    best = Math.min(best, Math.hypot(px - x0 - along * dx, py - y0 - along * dy));
    x0 = x1; y0 = y1;
  }
  return best;
}
