// The data of a page in a file: docs/wire.md, "The data of a page in a file".

import { KIND_FRAME, KIND_MESH, readFrame, readMesh, type Frame, type Mesh } from './frame';
import { parseText, type Text } from './messages';

const KIND_TEXT = 3;

export interface Embedded {
  meshes: Mesh[];
  texts: Text[];
  frames: Frame[];
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/\s+/g, ''));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// The base64 text of the element, or null for a page without data.
export function embeddedText(): string | null {
  return document.getElementById('cardan-data')?.textContent?.trim() || null;
}

export async function readEmbedded(base64: string): Promise<Embedded> {
  const packed = new Blob([bytesOfBase64(base64)]).stream();
  const buffer = await new Response(packed.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const view = new DataView(buffer);
  const data: Embedded = { meshes: [], texts: [], frames: [] };
  for (let at = 0; at + 8 <= buffer.byteLength;) {
    const length = view.getUint32(at, true);
    const kind = view.getUint32(at + 4, true);
    at += 8;
    if (at + length > buffer.byteLength) throw new Error('the data of this page ends too early');
    if (kind === KIND_FRAME) {
      const frame = readFrame(buffer, at, length);
      if (frame) data.frames.push(frame);
    } else if (kind === KIND_MESH) {
      const mesh = readMesh(buffer, at, length);
      if (mesh) data.meshes.push(mesh);
    } else if (kind === KIND_TEXT) {
      const text = parseText(new TextDecoder().decode(new Uint8Array(buffer, at, length)));
      if (text) data.texts.push(text);
    }
    at += (length + 7) & ~7;
  }
  return data;
}
