// Binary messages: frames, meshes and textures. A frame is read in place: its arrays are views on the bytes that came.

export const KIND_FRAME = 1;
export const KIND_MESH = 2;
export const KIND_TEXTURE = 5;
export const WORDS_OF_MARK = 18;

export interface Frame {
  run: number;
  time: number;
  number: number;
  jumped: boolean;
  bodies: number;
  values: Float64Array;
  poses: Float32Array; // x y z, quaternion w x y z of each body
  marks: number;
  markInts: Int32Array; // the same words as markFloats, WORDS_OF_MARK each
  markFloats: Float32Array;
  text: Uint8Array;
}

export interface Mesh {
  number: number;
  positions: Float32Array;
  normals: Float32Array;
  indices: Uint32Array;
  places: Float32Array | null; // of the vertices in a texture, from its left and top
}

export interface Texture {
  number: number;
  width: number;
  height: number;
  cube: boolean; // the six sides of a cube, one below the other
  rgba: Uint8Array; // rows from top to bottom
}

const HEAD = 40;

// A frame from `length` bytes at `offset`, a multiple of eight; null if the bytes are no frame.
export function readFrame(buffer: ArrayBuffer, offset: number, length: number): Frame | null {
  if (length < HEAD) return null;
  const head = new DataView(buffer, offset, HEAD);
  const bodies = head.getUint32(20, true);
  const values = head.getUint32(24, true);
  const marks = head.getUint32(28, true);
  const text = head.getUint32(32, true);
  const posesAt = HEAD + 8 * values;
  const marksAt = posesAt + 28 * bodies;
  const textAt = marksAt + 4 * WORDS_OF_MARK * marks;
  if (head.getUint32(0, true) !== KIND_FRAME || textAt + text > length) return null;
  return {
    run: head.getUint32(4, true),
    time: head.getFloat64(8, true),
    number: head.getUint32(16, true),
    jumped: (head.getUint32(36, true) & 1) !== 0,
    bodies,
    values: new Float64Array(buffer, offset + HEAD, values),
    poses: new Float32Array(buffer, offset + posesAt, 7 * bodies),
    marks,
    markInts: new Int32Array(buffer, offset + marksAt, WORDS_OF_MARK * marks),
    markFloats: new Float32Array(buffer, offset + marksAt, WORDS_OF_MARK * marks),
    text: new Uint8Array(buffer, offset + textAt, text),
  };
}

export function readMesh(buffer: ArrayBuffer, offset: number, length: number): Mesh | null {
  if (length < 16) return null;
  const head = new DataView(buffer, offset, 16);
  const vertices = head.getUint32(8, true);
  const triangles = head.getUint32(12, true);
  const placesAt = 16 + 24 * vertices + 12 * triangles;
  if (head.getUint32(0, true) !== KIND_MESH || placesAt > length) return null;
  const indices = new Uint32Array(buffer, offset + 16 + 24 * vertices, 3 * triangles);
  for (const index of indices) if (index >= vertices) return null;
  return {
    number: head.getUint32(4, true),
    positions: new Float32Array(buffer, offset + 16, 3 * vertices),
    normals: new Float32Array(buffer, offset + 16 + 12 * vertices, 3 * vertices),
    indices,
    places: placesAt + 8 * vertices <= length ? new Float32Array(buffer, offset + placesAt, 2 * vertices) : null,
  };
}

export function readTexture(buffer: ArrayBuffer, offset: number, length: number): Texture | null {
  if (length < 20) return null;
  const head = new DataView(buffer, offset, 20);
  const width = head.getUint32(8, true), height = head.getUint32(12, true);
  if (head.getUint32(0, true) !== KIND_TEXTURE || !(width > 0 && height > 0) || 20 + 4 * width * height > length) return null;
  return {
    number: head.getUint32(4, true),
    width,
    height,
    cube: (head.getUint32(16, true) & 1) !== 0,
    rgba: new Uint8Array(buffer, offset + 20, 4 * width * height),
  };
}

export function kindOf(buffer: ArrayBuffer, offset = 0): number {
  return buffer.byteLength >= offset + 4 ? new DataView(buffer, offset, 4).getUint32(0, true) : 0;
}
