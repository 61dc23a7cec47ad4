// Lines of a constant width in pixels, all in one call. Hidden parts are drawn once more, faintly: a force inside a body
// is still seen. Colours are written to the picture as they come.

import * as THREE from 'three';

const WORDS = 10; // from, to, colour

const vertexShader = /* glsl */`
attribute vec3 from;
attribute vec3 to;
attribute vec4 color;
uniform vec2 resolution;
uniform float width;
uniform float near;
varying vec4 vColor;
void main() {
  vec4 a = viewMatrix * vec4(from, 1.0), b = viewMatrix * vec4(to, 1.0);
  // A part behind the camera would turn over when it is divided by w.
  if (a.z > -near && b.z < -near) a = mix(a, b, (a.z + near) / (a.z - b.z));
  else if (b.z > -near && a.z < -near) b = mix(b, a, (b.z + near) / (b.z - a.z));
  a = projectionMatrix * a;
  b = projectionMatrix * b;
  vec2 along = (b.xy / b.w - a.xy / a.w) * resolution;
  float span = length(along);
  along = span > 1e-6 ? along / span : vec2(1.0, 0.0);
  vec4 end = position.x < 0.5 ? a : b;
  end.xy += (vec2(-along.y, along.x) * position.y + along * (2.0 * position.x - 1.0) * 0.5) * width / resolution * end.w;
  gl_Position = end;
  vColor = color;
}`;

const fragmentShader = /* glsl */`
uniform float strength;
varying vec4 vColor;
void main() {
  gl_FragColor = vec4(vColor.rgb, vColor.a * strength);
}`;

export class Lines {
  readonly group = new THREE.Group();
  private data = new Float32Array(0);
  private buffer: THREE.InstancedInterleavedBuffer | null = null;
  private readonly geometry = new THREE.InstancedBufferGeometry();
  private readonly uniforms = { resolution: { value: new THREE.Vector2(1, 1) }, width: { value: 2 }, near: { value: 0.01 } };
  private used = 0;

  constructor() {
    this.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array([0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 1, 0]), 3));
    this.geometry.setIndex([0, 2, 1, 1, 2, 3]);
    this.reserve(256);
    this.addPass(1, THREE.LessEqualDepth, 3);
    this.addPass(0.25, THREE.GreaterDepth, 2);
  }

  private addPass(strength: number, depthFunc: THREE.DepthModes, order: number): void {
    const material = new THREE.ShaderMaterial({
      vertexShader, fragmentShader, depthFunc, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      uniforms: { ...this.uniforms, strength: { value: strength } },
    });
    const mesh = new THREE.Mesh(this.geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    this.group.add(mesh);
  }

  private reserve(lines: number): void {
    const data = new Float32Array(WORDS * lines);
    data.set(this.data);
    this.data = data;
    this.buffer = new THREE.InstancedInterleavedBuffer(data, WORDS, 1);
    this.buffer.setUsage(THREE.DynamicDrawUsage);
    this.geometry.dispose(); // the old buffer's memory on the graphics card
    this.geometry.setAttribute('from', new THREE.InterleavedBufferAttribute(this.buffer, 3, 0));
    this.geometry.setAttribute('to', new THREE.InterleavedBufferAttribute(this.buffer, 3, 3));
    this.geometry.setAttribute('color', new THREE.InterleavedBufferAttribute(this.buffer, 4, 6));
  }

  begin(): void {
    this.used = 0;
  }

  add(ax: number, ay: number, az: number, bx: number, by: number, bz: number, r: number, g: number, b: number, alpha: number): void {
    if (WORDS * (this.used + 1) > this.data.length) this.reserve(2 * (this.used + 1));
    const data = this.data;
    let at = WORDS * this.used++;
    data[at++] = ax;
    data[at++] = ay;
    data[at++] = az;
    data[at++] = bx;
    data[at++] = by;
    data[at++] = bz;
    data[at++] = r;
    data[at++] = g;
    data[at++] = b;
    data[at] = alpha;
  }

  end(): void {
    this.geometry.instanceCount = this.used;
    this.group.visible = this.used > 0;
    this.buffer!.clearUpdateRanges();
    this.buffer!.addUpdateRange(0, WORDS * this.used);
    this.buffer!.needsUpdate = true;
  }

  view(width: number, height: number, near: number, pixels: number): void {
    this.uniforms.resolution.value.set(width, height);
    this.uniforms.near.value = near;
    this.uniforms.width.value = pixels;
  }
}
