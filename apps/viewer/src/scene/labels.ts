// Texts of marks: each letter is a small picture in one texture, and all letters are drawn in one call.

import * as THREE from 'three';

const WORDS = 10; // anchor, offset in pixels, cell, colour (rgb)
const CELL = 32; // pixels of the texture
const COLUMNS = 32;
const FONT = 22;
const SIZE = 14; // pixels of a letter on the page at a ratio of 1

const vertexShader = /* glsl */`
attribute vec3 anchor;
attribute vec2 offset;
attribute vec2 cell;
attribute vec3 color;
uniform vec2 resolution;
uniform float size;
varying vec2 vPlace;
varying vec3 vColor;
void main() {
  vec4 at = projectionMatrix * viewMatrix * vec4(anchor, 1.0);
  at.xy += 2.0 * (offset + position.xy * ${(CELL / FONT).toFixed(4)}) * size / resolution * at.w;
  gl_Position = at;
  vPlace = (cell + vec2(position.x, 1.0 - position.y)) / ${COLUMNS.toFixed(1)};
  vColor = color;
}`;

const fragmentShader = /* glsl */`
uniform sampler2D letters;
varying vec2 vPlace;
varying vec3 vColor;
void main() {
  vec2 texel = texture2D(letters, vPlace).rg; // r: the letter, g: the letter with its halo
  if (texel.g < 0.02) discard;
  // Dark letters have a light halo and light ones a dark one: they are legible on anything.
  vec3 halo = vec3(dot(vColor, vec3(0.3, 0.59, 0.11)) < 0.5 ? 0.97 : 0.08);
  gl_FragColor = vec4(mix(halo, vColor, texel.r), texel.g);
}`;

export class Labels {
  readonly mesh: THREE.Mesh<THREE.InstancedBufferGeometry, THREE.ShaderMaterial>;
  private data = new Float32Array(0);
  private buffer: THREE.InstancedInterleavedBuffer | null = null;
  private used = 0;
  private readonly canvas = document.createElement('canvas');
  private readonly pen: CanvasRenderingContext2D;
  private readonly texture: THREE.CanvasTexture;
  private readonly cells = new Map<number, number>(); // of a code point
  private readonly widths = new Float32Array(COLUMNS * COLUMNS);
  private readonly uniforms = {
    letters: { value: null as THREE.Texture | null },
    resolution: { value: new THREE.Vector2(1, 1) },
    size: { value: SIZE },
  };

  constructor() {
    this.canvas.width = this.canvas.height = CELL * COLUMNS;
    this.pen = this.canvas.getContext('2d', { willReadFrequently: false })!;
    this.pen.fillStyle = '#000';
    this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.texture.flipY = false;
    this.texture.generateMipmaps = false;
    this.texture.minFilter = THREE.LinearFilter;
    this.uniforms.letters.value = this.texture;
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]), 3));
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    const material = new THREE.ShaderMaterial({
      vertexShader, fragmentShader, uniforms: this.uniforms, transparent: true, depthTest: false, depthWrite: false,
    });
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 5;
    this.reserve(256);
  }

  private reserve(letters: number): void {
    const data = new Float32Array(WORDS * letters);
    data.set(this.data);
    this.data = data;
    this.buffer = new THREE.InstancedInterleavedBuffer(data, WORDS, 1);
    this.buffer.setUsage(THREE.DynamicDrawUsage);
    const geometry = this.mesh.geometry;
    geometry.dispose();
    geometry.setAttribute('anchor', new THREE.InterleavedBufferAttribute(this.buffer, 3, 0));
    geometry.setAttribute('offset', new THREE.InterleavedBufferAttribute(this.buffer, 2, 3));
    geometry.setAttribute('cell', new THREE.InterleavedBufferAttribute(this.buffer, 2, 5));
    geometry.setAttribute('color', new THREE.InterleavedBufferAttribute(this.buffer, 3, 7));
  }

  private cellOf(point: number): number {
    const known = this.cells.get(point);
    if (known !== undefined) return known;
    const cell = this.cells.size;
    if (cell >= COLUMNS * COLUMNS) return 0; // so many different letters in one picture: the rest share a cell
    this.cells.set(point, cell);
    const pen = this.pen;
    const letter = String.fromCodePoint(point);
    const x = (cell % COLUMNS) * CELL, y = Math.floor(cell / COLUMNS) * CELL;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, CELL, CELL);
    pen.clip();
    pen.font = `600 ${FONT}px system-ui, sans-serif`;
    pen.textBaseline = 'alphabetic';
    pen.globalCompositeOperation = 'lighter';
    pen.lineJoin = 'round';
    pen.lineWidth = 5;
    pen.strokeStyle = '#0f0';
    pen.fillStyle = '#ff0';
    pen.strokeText(letter, x + 4, y + CELL - 9);
    pen.fillText(letter, x + 4, y + CELL - 9);
    pen.restore();
    this.widths[cell] = Math.min(this.measure(letter), CELL - 4);
    this.texture.needsUpdate = true;
    return cell;
  }

  private measure(letter: string): number {
    this.pen.font = `600 ${FONT}px system-ui, sans-serif`;
    return this.pen.measureText(letter).width;
  }

  begin(): void {
    this.used = 0;
  }

  // Adds the text in `bytes` (UTF-8) that ends at a zero byte, and beside the point.
  add(x: number, y: number, z: number, bytes: Uint8Array, at: number, r: number, g: number, b: number): void {
    let pen = 0.25;
    while (at < bytes.length && bytes[at] !== 0) {
      const lead = bytes[at++]!;
      let point = lead;
      if (lead >= 0xc0) {
        const more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        point = lead & (0x3f >> more);
        for (let k = 0; k < more && at < bytes.length; k++) point = (point << 6) | (bytes[at++]! & 0x3f);
        if (point > 0x10ffff) point = 0xfffd;
      } else if (lead >= 0x80) {
        point = 0xfffd;
      }
      const cell = this.cellOf(point < 32 ? 32 : point);
      if (WORDS * (this.used + 1) > this.data.length) this.reserve(2 * (this.used + 1));
      const data = this.data;
      let to = WORDS * this.used++;
      data[to++] = x;
      data[to++] = y;
      data[to++] = z;
      data[to++] = pen - 4 / FONT;
      data[to++] = 0;
      data[to++] = cell % COLUMNS;
      data[to++] = Math.floor(cell / COLUMNS);
      data[to++] = r;
      data[to++] = g;
      data[to] = b;
      pen += this.widths[cell]! / FONT;
    }
  }

  end(): void {
    this.mesh.geometry.instanceCount = this.used;
    this.mesh.visible = this.used > 0;
    this.buffer!.clearUpdateRanges();
    this.buffer!.addUpdateRange(0, WORDS * this.used);
    this.buffer!.needsUpdate = true;
  }

  view(width: number, height: number, ratio: number): void {
    this.uniforms.resolution.value.set(width, height);
    this.uniforms.size.value = SIZE * ratio;
  }
}
