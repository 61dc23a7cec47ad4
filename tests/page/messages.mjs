// Writes the messages of docs/wire.md as a server does. Nothing here is shared with the page: it is read from the document.
import { gzipSync } from 'node:zlib';

const identity = [1, 0, 0, 0];

// frame: { run, time, number, jumped, values: [], poses: [[x y z w i j k]], marks: [{ kind, layer, body, text, pose, size, rgba }] }
export function frameBytes({ run = 0, time, number = 0, jumped = false, values = [], poses, marks = [] }) {
  const texts = [];
  let length = 0;
  const offsets = marks.map(mark => {
    if (mark.text === undefined) return -1;
    const bytes = Buffer.from(`${mark.text}\0`);
    texts.push(bytes);
    length += bytes.length;
    return length - bytes.length;
  });
  const bytes = Buffer.alloc(40 + 8 * values.length + 28 * poses.length + 72 * marks.length + length);
  let at = 0;
  const u32 = x => { at = bytes.writeUInt32LE(x >>> 0, at); };
  const i32 = x => { at = bytes.writeInt32LE(x, at); };
  const f32 = x => { at = bytes.writeFloatLE(x, at); };
  const f64 = x => { at = bytes.writeDoubleLE(x, at); };
  u32(1);
  u32(run);
  f64(time);
  for (const x of [number, poses.length, values.length, marks.length, length, jumped ? 1 : 0]) u32(x);
  values.forEach(f64);
  for (const pose of poses) pose.forEach(f32);
  marks.forEach((mark, i) => {
    i32(mark.kind);
    u32(mark.layer);
    i32(mark.body ?? -1);
    i32(offsets[i]);
    (mark.pose ?? [0, 0, 0, ...identity]).forEach(f32);
    (mark.size ?? [0.1, 0.1, 0.1]).forEach(f32);
    (mark.rgba ?? [1, 0.5, 0, 1]).forEach(f32);
  });
  for (const text of texts) at += text.copy(bytes, at);
  return bytes;
}

// A tetrahedron about the origin, with one normal a vertex, as mesh `number`.
export function meshBytes(number, size) {
  const corners = [[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]];
  const faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
  const bytes = Buffer.alloc(16 + 24 * 12 + 12 * 4);
  let at = 0;
  for (const x of [2, number, 12, 4]) at = bytes.writeUInt32LE(x, at);
  for (const face of faces) for (const v of face) for (const x of corners[v]) at = bytes.writeFloatLE(size * x, at);
  for (const face of faces) {
    const normal = [0, 1, 2].map(k => face.reduce((sum, v) => sum + corners[v][k], 0) / Math.sqrt(3));
    for (let v = 0; v < 3; v++) for (const x of normal) at = bytes.writeFloatLE(x, at);
  }
  for (let i = 0; i < 12; i++) at = bytes.writeUInt32LE(i, at);
  return bytes;
}

// A square of 2 `half` a side at the height z, with the corners of a texture, as mesh `number`.
export function squareBytes(number, half, z) {
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  const bytes = Buffer.alloc(16 + 24 * 4 + 12 * 2 + 8 * 4);
  let at = 0;
  for (const x of [2, number, 4, 2]) at = bytes.writeUInt32LE(x, at);
  for (const [x, y] of corners) for (const p of [half * x, half * y, z]) at = bytes.writeFloatLE(p, at);
  for (let i = 0; i < 4; i++) for (const n of [0, 0, 1]) at = bytes.writeFloatLE(n, at);
  for (const i of [0, 1, 2, 0, 2, 3]) at = bytes.writeUInt32LE(i, at);
  for (const [x, y] of corners) for (const place of [(1 + x) / 2, (1 - y) / 2]) at = bytes.writeFloatLE(place, at);
  return bytes;
}

// Pixels as lists of three, rows from top to bottom, as texture `number`.
export function textureBytes(number, width, pixels, cube = false) {
  const bytes = Buffer.alloc(20 + 4 * pixels.length);
  let at = 0;
  for (const x of [5, number, width, pixels.length / width, cube ? 1 : 0]) at = bytes.writeUInt32LE(x, at);
  for (const pixel of pixels) for (const x of [...pixel, 255]) at = bytes.writeUInt8(x, at);
  return bytes;
}

function record(kind, bytes) {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt32LE(kind, 4);
  return Buffer.concat([head, bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
}

// Frames as differences of their words, all lowest bytes first.
function differences(frames) {
  let before = [];
  return frames.map(bytes => {
    const n = Math.ceil(bytes.length / 4), padded = Buffer.concat([bytes, Buffer.alloc(4 * n - bytes.length)]);
    const words = Array.from({ length: n }, (_, i) => padded.readUInt32LE(4 * i));
    const out = Buffer.alloc(4 * n);
    words.forEach((word, i) => {
      const difference = (word - (before[i] ?? 0)) >>> 0;
      for (let k = 0; k < 4; k++) out[k * n + i] = (difference >>> (8 * k)) & 255;
    });
    before = words;
    return out;
  });
}

// The data of a page in a file; `packed`: frames as `cardan view` writes them, else whole.
export function dataText({ hello, meshes = [], model, frames, status, events = [], packed = false }) {
  const bytes = frames.map(frameBytes);
  const text = object => record(3, Buffer.from(JSON.stringify(object)));
  const records = [text(hello), ...meshes.map(bytes => record(bytes.readUInt32LE(0), bytes)), text(model), ...events.map(text),
    ...(packed ? differences(bytes).map(b => record(4, b)) : bytes.map(b => record(1, b))), text(status)];
  return gzipSync(Buffer.concat(records)).toString('base64');
}

export function pageWithData(page, data) {
  return page.replace('<!--cardan-data-->', () => `<script id="cardan-data" type="text/plain">${data}</script>`);
}
