// Names beside nodes, without overlap: important ones first, each at the first free of four places.

const LONGEST = 30;
const CHIEF = 18; // names of the most related, which may cover smaller nodes

export function shorten(text, most = LONGEST) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("").trimEnd()}…` : text;
}

class Room {
  constructor() {
    this.cells = new Map();
  }

  *keys(x, y, w, h) {
    for (let cx = Math.floor(x / 64); cx <= Math.floor((x + w) / 64); cx++) {
      for (let cy = Math.floor(y / 64); cy <= Math.floor((y + h) / 64); cy++) yield cx * 10007 + cy;
    }
  }

  free(x, y, w, h, self) {
    for (const key of this.keys(x, y, w, h)) {
      for (const box of this.cells.get(key) || []) {
        if (box[4] !== self && x < box[0] + box[2] && box[0] < x + w && y < box[1] + box[3] && box[1] < y + h) return false;
      }
    }
    return true;
  }

  take(x, y, w, h, owner) {
    for (const key of this.keys(x, y, w, h)) {
      const list = this.cells.get(key);
      if (list) list.push([x, y, w, h, owner]); else this.cells.set(key, [[x, y, w, h, owner]]);
    }
  }
}

export function drawLabels(scene) {
  const room = new Room();
  if (scene.overview) groupTitles(scene, room);
  nodeNames(scene, room);
  if (scene.focus && scene.selected >= 0) laneNames(scene, room);
}

function write(scene, text, x, y, font, color, alpha = 1) {
  const { ctx, theme } = scene;
  ctx.font = font;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.globalAlpha = alpha * 0.92;
  ctx.strokeStyle = theme.paper;
  ctx.lineWidth = 3.5;
  ctx.strokeText(text, x, y);
  ctx.globalAlpha = alpha;
  ctx.fillStyle = color;
  ctx.fillText(text, x, y);
  ctx.globalAlpha = 1;
}

function measure(scene, text, font) {
  const cache = (scene.widths ||= new Map()), key = font + text;
  let width = cache.get(key);
  if (width === undefined) {
    scene.ctx.font = font;
    width = scene.ctx.measureText(text).width;
    cache.set(key, width);
  }
  return width;
}

function groupTitles(scene, room) {
  for (const disc of scene.model.discs.slice(0, 120)) {
    if (disc.size < 3 || !scene.groupShown(disc.g)) continue;
    const r = disc.r * scene.camera.s, size = Math.max(11.5, Math.min(17, r / 4)), font = `600 ${size}px ${scene.theme.font}`;
    const [x, y] = scene.toScreen(disc.x, disc.y), text = shorten(scene.model.meta.groups[disc.g][1], r > 60 ? 34 : 24);
    const w = measure(scene, text, font);
    if (!scene.inView(x, y) || !room.free(x - w / 2, y - size, w, size * 1.3, -2)) continue;
    room.take(x - w / 2 - 4, y - size - 2, w + 8, size * 1.3 + 4, -1);
    write(scene, text, x - w / 2, y, font, scene.theme.ink);
  }
}

function nodeNames(scene, room) {
  const { model, theme, focus, hover } = scene;
  const first = [];
  if (scene.selected >= 0) first.push(scene.selected);
  if (hover?.node !== undefined) first.push(hover.node);
  const near = focus ? [...focus.keys()].sort((a, b) => focus.get(a) - focus.get(b) || model.sizes[b] - model.sizes[a] || a - b) : [];
  const queue = [...new Set([...first, ...[...scene.matches].slice(0, 40), ...near])];
  let left = focus ? 160 : 140, tries = 2500;
  const done = new Set(), manySingles = model.singles > 60 && scene.camera.s < 0.9;
  const offer = (i, must) => {
    if (done.has(i) || !scene.visible[i]) return;
    done.add(i);
    const [x, y] = scene.toScreen(model.xy[2 * i], model.xy[2 * i + 1]);
    if (!scene.inView(x, y, 0)) return;
    tries--;
    const important = i === scene.selected || i === hover?.node;
    const size = important ? 13.5 : 10.5 + 3 * Math.sqrt(model.sizes[i]);
    if (!must && (scene.radiusOf(i) < 2.4 || (manySingles && !model.degree[i]))) return;
    if (place(scene, room, i, x, y, `${important ? 600 : 500} ${size.toFixed(1)}px ${theme.font}`, size, important)) left--;
  };
  if (!focus && !scene.overview) for (const i of model.byImportance.slice(0, CHIEF)) offer(i, false);
  blockNodes(scene, room);
  for (const i of queue) { if (left <= 0) break; offer(i, true); }
  if (focus || scene.overview) return;
  for (const i of model.byImportance) {
    if (left <= 0 || tries <= 0) break;
    offer(i, false);
  }
}

/** Larger nodes keep names off themselves. */
function blockNodes(scene, room) {
  const { model } = scene;
  let left = 1500;
  for (const i of model.byImportance) {
    if (!left) break;
    if (!scene.visible[i] || (scene.focus && !scene.focus.has(i))) continue;
    const r = scene.radiusOf(i) * 0.85, [x, y] = scene.toScreen(model.xy[2 * i], model.xy[2 * i + 1]);
    if (r < 2.4) break;
    if (scene.inView(x, y)) { room.take(x - r, y - r, 2 * r, 2 * r, i); left--; }
  }
}

function place(scene, room, i, x, y, font, size, must) {
  const text = shorten(scene.model.meta.names[i].replace(/\s+/g, " ")), w = measure(scene, text, font), r = scene.radiusOf(i) + 3, h = size * 1.2;
  const beside = [x + r + 1, y + size * 0.35], below = [x - w / 2, y + r + size * 0.95];
  const places = [...(scene.model.degree[i] ? [below, beside] : [beside, below]), [x - w / 2, y - r - 2], [x - r - w - 1, y + size * 0.35]];
  const { left, right } = scene.inset, low = x > left ? left + 2 : 2, high = scene.width - (x < scene.width - right ? right : 0) - 2;
  for (const [lx, ly] of places) {
    if (lx > low && lx + w < high && room.free(lx - 2, ly - size, w + 4, h, i)) {
      room.take(lx - 2, ly - size, w + 4, h, -1);
      write(scene, text, lx, ly, font, scene.theme.ink);
      return true;
    }
  }
  if (!must) return false;
  const lx = Math.max(low, Math.min(places[0][0], high - w));
  room.take(lx, places[0][1] - size, w, h, -1);
  write(scene, text, lx, places[0][1], font, scene.theme.ink);
  return true;
}

/** What the relations of the selected entity say, at the middle of their lines. */
function laneNames(scene, room) {
  const { model, theme } = scene, { lanes, relations, columns } = model, size = 10.5, font = `italic ${size}px ${theme.font}`;
  for (const l of [...model.incident.of(scene.selected)].sort((a, b) => lanes.weight[b] - lanes.weight[a] || a - b).slice(0, 60)) {
    const shape = scene.laneOnScreen(l);
    if (Math.hypot(shape.bx - shape.ax, shape.by - shape.ay) < 70 && lanes.a[l] !== lanes.b[l]) continue;
    const said = [...new Set(lanes.members[l].map((r) => model.meta.predicates[relations[r * columns + 2]]))];
    const text = `${lanes.kind[l] === 1 ? "not: " : lanes.kind[l] === 2 ? "if/said: " : ""}${shorten(said[0].replaceAll("_", " "), 24)}${said.length > 1 ? ` +${said.length - 1}` : ""}`;
    const w = measure(scene, text, font), x = shape.mx - w / 2, y = shape.my + (lanes.kind[l] === 1 ? 16 : 3.5);
    if (!scene.inView(x, y) || !room.free(x - 2, y - size, w + 4, size * 1.3, -2)) continue;
    room.take(x - 2, y - size, w + 4, size * 1.3, -1);
    write(scene, text, x, y, font, lanes.kind[l] === 1 ? theme.negated : theme.muted);
  }
}
