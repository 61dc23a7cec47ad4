// Solid marks of one geometry in one call: balls, heads of arrows, discs. Each has a matrix, a colour and an opacity.

import * as THREE from 'three';

export class Solids {
  readonly group = new THREE.Group();
  private readonly material: THREE.MeshLambertMaterial;
  private readonly faint: THREE.MeshLambertMaterial;
  private matrices = new Float32Array(0);
  private colors = new Float32Array(0);
  private alphas = new Float32Array(0);
  private used = 0;
  private meshes: THREE.InstancedMesh[] = [];

  constructor(private readonly geometry: THREE.BufferGeometry) {
    this.material = this.make(1, THREE.LessEqualDepth);
    this.faint = this.make(0.25, THREE.GreaterDepth);
    this.reserve(64);
  }

  private make(strength: number, depthFunc: THREE.DepthModes): THREE.MeshLambertMaterial {
    const material = new THREE.MeshLambertMaterial({ transparent: true, depthFunc, depthWrite: false });
    // three.js has no opacity of an instance.
    material.onBeforeCompile = shader => {
      shader.vertexShader = `attribute float alpha;\nvarying float vAlpha;\n${shader.vertexShader}`
        .replace('#include <begin_vertex>', '#include <begin_vertex>\n  vAlpha = alpha;');
      shader.fragmentShader = `varying float vAlpha;\n${shader.fragmentShader}`
        .replace('#include <opaque_fragment>', `#include <opaque_fragment>\n  gl_FragColor.a *= vAlpha * ${strength.toFixed(2)};`);
    };
    material.customProgramCacheKey = () => `mark${strength}`;
    return material;
  }

  private reserve(n: number): void {
    const grown = (old: Float32Array, words: number) => {
      const array = new Float32Array(words * n);
      array.set(old);
      return array;
    };
    this.matrices = grown(this.matrices, 16);
    this.colors = grown(this.colors, 3);
    this.alphas = grown(this.alphas, 1);
    for (const mesh of this.meshes) {
      this.group.remove(mesh);
      mesh.dispose();
    }
    this.geometry.dispose();
    this.geometry.setAttribute('alpha', new THREE.InstancedBufferAttribute(this.alphas, 1).setUsage(THREE.DynamicDrawUsage));
    const matrices = new THREE.InstancedBufferAttribute(this.matrices, 16).setUsage(THREE.DynamicDrawUsage);
    const colors = new THREE.InstancedBufferAttribute(this.colors, 3).setUsage(THREE.DynamicDrawUsage);
    this.meshes = [this.material, this.faint].map((material, i) => {
      const mesh = new THREE.InstancedMesh(this.geometry, material, 0);
      mesh.instanceMatrix = matrices;
      mesh.instanceColor = colors;
      mesh.frustumCulled = false;
      mesh.renderOrder = i === 0 ? 4 : 2;
      this.group.add(mesh);
      return mesh;
    });
  }

  begin(): void {
    this.used = 0;
  }

  // The next mark's place in the array of matrices (16 numbers by columns, to be written by the caller).
  add(color: THREE.Color, alpha: number): number {
    if (this.used >= this.alphas.length) this.reserve(2 * this.used);
    const i = this.used++;
    this.colors[3 * i] = color.r;
    this.colors[3 * i + 1] = color.g;
    this.colors[3 * i + 2] = color.b;
    this.alphas[i] = alpha;
    return 16 * i;
  }

  // Writes a matrix from a rotation and position (12 numbers), scales along the axes, and a shift along z.
  place(at: number, pose: Float32Array, sx: number, sy: number, sz: number, shift: number): void {
    const out = this.matrices;
    for (let k = 0; k < 3; k++) {
      out[at + k] = pose[k]! * sx;
      out[at + 4 + k] = pose[3 + k]! * sy;
      out[at + 8 + k] = pose[6 + k]! * sz;
      out[at + 12 + k] = pose[9 + k]! + pose[6 + k]! * shift;
    }
    out[at + 3] = out[at + 7] = out[at + 11] = 0;
    out[at + 15] = 1;
  }

  end(): void {
    for (const mesh of this.meshes) {
      mesh.count = this.used;
      mesh.visible = this.used > 0;
    }
    if (this.used === 0) return;
    const mesh = this.meshes[0]!;
    mesh.instanceMatrix.needsUpdate = true;
    mesh.instanceColor!.needsUpdate = true;
    this.geometry.getAttribute('alpha').needsUpdate = true;
  }
}
