// The data of a page in a file: docs/wire.md, "The data of a page in a file".

import { KIND_FRAME, KIND_MESH, KIND_TEXTURE, readFrame, readMesh, readTexture, type Frame, type Mesh, type Texture } from './frame';
import { parseText, type Text } from './messages';

const KIND_TEXT = 3;
const KIND_DIFFERENCES = 4;

export interface Embedded {
  meshes: Mesh[];
  textures: Texture[];
  texts: Text[];
  frames: Frame[];
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/\s+/g, ''));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// The words of a frame from the bytes of its differences and the words of the frame before.
function undoDifferences(bytes: Uint8Array, before: Uint32Array): Uint32Array<ArrayBuffer> {
  const n = bytes.length >> 2;
  const words = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const difference = bytes[i]! | (bytes[n + i]! << 8) | (bytes[2 * n + i]! << 16) | (bytes[3 * n + i]! << 24);
    words[i] = difference + (before[i] ?? 0); // modulo 2^32
  }
  return words;
}

// The base64 text of the element, or null for a page without data.
export function embeddedText(): string | null {
  return document.getElementById('cardan-data')?.textContent?.trim() || null;
}

export async function readEmbedded(base64: string): Promise<Embedded> {
  const packed = new Blob([bytesOfBase64(base64)]).stream();
  const buffer = await new Response(packed.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const view = new DataView(buffer);
  let words: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  const data: Embedded = { meshes: [], textures: [], texts: [], frames: [] };
  for (let at = 0; at + 8 <= buffer.byteLength;) {
    const length = view.getUint32(at, true);
    const kind = view.getUint32(at + 4, true);
    at += 8;
    if (at + length > buffer.byteLength) throw new Error('the data of this page ends too early');
    if (kind === KIND_FRAME) {
      const frame = readFrame(buffer, at, length);
      if (frame) data.frames.push(frame);
    } else if (kind === KIND_DIFFERENCES) {
      words = undoDifferences(new Uint8Array(buffer, at, length), words);
      const frame = readFrame(words.buffer, 0, words.byteLength);
      if (frame) data.frames.push(frame);
    } else if (kind === KIND_MESH) {
      const mesh = readMesh(buffer, at, length);
      if (mesh) data.meshes.push(mesh);
    } else if (kind === KIND_TEXTURE) {
      const texture = readTexture(buffer, at, length);
      if (texture) data.textures.push(texture);
    } else if (kind === KIND_TEXT) {
      const text = parseText(new TextDecoder().decode(new Uint8Array(buffer, at, length)));
      if (text) data.texts.push(text);
    }
    at += (length + 7) & ~7;
  }
  return data;
}
