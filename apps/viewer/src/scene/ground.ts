// Planes with a grid of round distances, that fade into the background far away. A model without a plane gets a grid.

import * as THREE from 'three';
import type { Model, Visual } from '../wire/messages';
import type { ThemeColors } from '../base/theme';
import { expandPose, placeOnBody, WORDS } from './poses';
import { makeMirror, type Mirror } from './mirror';
import type { Textures } from './textures';

interface Plane {
  mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>;
  body: number;
  local: Float32Array;
  own: boolean; // of the model, not made here
  height: number; // along `up`, of one that is not the model's
}

// 1, 2 or 5 times a power of ten.
function roundDistance(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const part = length / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

export class Ground {
  readonly group = new THREE.Group();
  cell = 1; // m between lines
  private planes: Plane[] = [];
  private mirror: Mirror | null = null; // of one plane
  private readonly up = new THREE.Vector3(0, 0, 1);
  private readonly uniforms = {
    gridCell: { value: 1 },
    gridColor: { value: new THREE.Color() },
    gridFade: { value: 10 },
    gridCenter: { value: new THREE.Vector3() },
  };

  constructor(private readonly textures: Textures) {}

  build(model: Model, colors: ThemeColors): void {
    this.mirror?.dispose();
    this.mirror = null;
    for (const plane of this.planes) {
      plane.mesh.geometry.dispose();
      plane.mesh.material.dispose();
    }
    this.planes = [];
    this.group.clear();
    this.cell = roundDistance(model.radius / 4);
    const far = 40 * model.radius;
    const planes = model.visuals.filter(visual => visual.shape === 'plane');
    const looks = planes.filter(plane => !plane.collision);
    for (const visual of looks.length > 0 ? looks : planes) {
      const half = [0, 1].map(k => Math.min(visual.size[k] || far, far));
      const local = new Float32Array(WORDS);
      expandPose(visual.pose, 0, local, 0);
      this.add(visual.body, local, half[0]!, half[1]!, visual);
    }
    if (this.planes.length === 0) {
      const up = this.up.set(...model.up).normalize();
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
      const center = new THREE.Vector3(...model.center);
      const bottom = Math.min(center.dot(up) - 1.02 * model.radius, 0);
      const foot = center.clone().addScaledVector(up, bottom - center.dot(up));
      const local = new Float32Array(WORDS);
      expandPose([foot.x, foot.y, foot.z, turn.w, turn.x, turn.y, turn.z], 0, local, 0);
      this.add(0, local, far, far, null);
      this.planes[0]!.height = bottom;
    }
    this.uniforms.gridCell.value = this.cell;
    this.uniforms.gridFade.value = 9 * model.radius;
    this.recolor(colors);
  }

  // `visual` null: it is not the model's, and has the page's colour. A texture takes the place of the grid, and so
  // does a pattern; a gradient does not, where its tiles are much coarser.
  private add(body: number, local: Float32Array, halfX: number, halfY: number, visual: Visual | null): void {
    const material = new THREE.MeshLambertMaterial({ transparent: true, side: THREE.DoubleSide });
    const own = visual !== null, pattern = visual?.pattern;
    const map = visual ? this.textures.flat(visual.texture) : null;
    const geometry = new THREE.PlaneGeometry(2 * halfX, 2 * halfY);
    const kinds = { none: 0, checker: 1, gradient: 2 };
    const [x, y] = pattern?.tile ?? [1, 1], [r, g, b] = pattern?.rgb ?? [0, 0, 0];
    const uniforms = {
      patternKind: { value: map ? 3 : kinds[pattern?.kind ?? 'none'] ?? 0 },
      patternTile: { value: new THREE.Vector2(x, y) },
      patternColor: { value: new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace) },
    };
    if (visual) {
      material.color.setRGB(visual.rgba[0], visual.rgba[1], visual.rgba[2], THREE.SRGBColorSpace);
      material.emissive.copy(material.color).multiplyScalar(visual.emission ?? 0);
      material.map = map;
      if (map) this.placePicture(geometry, visual.place ?? []);
    } else {
      // A model may swing through a floor that it does not have.
      material.opacity = 0.3;
      material.depthWrite = false;
    }
    material.onBeforeCompile = shader => {
      Object.assign(shader.uniforms, this.uniforms, uniforms);
      shader.vertexShader = `varying vec2 vPlace;\nvarying vec3 vWorld;\n${shader.vertexShader}`.replace('#include <begin_vertex>',
        '#include <begin_vertex>\n  vPlace = position.xy;\n  vWorld = (modelMatrix * vec4(position, 1.0)).xyz;');
      shader.fragmentShader = `varying vec2 vPlace;\nvarying vec3 vWorld;
uniform float gridCell;
uniform vec3 gridColor;
uniform float gridFade;
uniform vec3 gridCenter;
uniform int patternKind;
uniform vec2 patternTile;
uniform vec3 patternColor;
// How much of a pixel is of the second colour: the mean of the pattern over the pixel, so that it does not flicker far away.
float patternPart(vec2 place) {
  vec2 at = place / patternTile;
  vec2 wide = fwidth(at) + 1e-4;
  if (patternKind == 1) {
    vec2 box = 2.0 * (abs(fract((at - 0.5 * wide) * 0.5) - 0.5) - abs(fract((at + 0.5 * wide) * 0.5) - 0.5)) / wide;
    return 0.5 - 0.5 * box.x * box.y;
  }
  return mix(min(2.0 * length(fract(at) - 0.5), 1.0), 0.7, smoothstep(0.3, 1.0, max(wide.x, wide.y)));
}
float gridLine(vec2 place, float cell, float pixels) {
  vec2 at = place / cell;
  vec2 wide = fwidth(at);
  vec2 far = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
  vec2 cover = clamp(pixels * 0.5 + 0.5 - far, 0.0, 1.0) * (1.0 - smoothstep(0.15, 0.6, wide));
  return max(cover.x, cover.y);
}
${shader.fragmentShader}`.replace('#include <color_fragment>', `#include <color_fragment>
  if (patternKind == 1 || patternKind == 2) diffuseColor.rgb = mix(diffuseColor.rgb, patternColor, patternPart(vPlace));`)
        .replace('#include <opaque_fragment>', `#include <opaque_fragment>
  float strength = max(0.45 * gridLine(vPlace, gridCell, 1.0), 0.9 * gridLine(vPlace, 5.0 * gridCell, 1.4));
  if (patternKind == 1 || patternKind == 3 || (patternKind == 2 && min(patternTile.x, patternTile.y) < 3.0 * gridCell)) strength = 0.0;
  gl_FragColor = mix(gl_FragColor, vec4(gridColor, 1.0), strength);
  gl_FragColor.a *= 1.0 - smoothstep(0.15, 1.0, distance(vWorld, gridCenter) / gridFade);`);
    };
    const mesh = new THREE.Mesh(geometry, material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.receiveShadow = true;
    mesh.renderOrder = -1;
    this.planes.push({ mesh, body, local, own, height: 0 });
    this.group.add(mesh);
    if (visual?.reflectance && !this.mirror) {
      this.mirror = makeMirror(geometry, visual.reflectance, this.uniforms);
      mesh.add(this.mirror);
    }
  }

  private placePicture(geometry: THREE.PlaneGeometry, place: number[]): void {
    const points = geometry.getAttribute('position'), uv = geometry.getAttribute('uv');
    const row = (i: number, x: number, y: number) => (place[4 * i] ?? 0) * x + (place[4 * i + 1] ?? 0) * y + (place[4 * i + 3] ?? 0);
    for (let i = 0; i < points.count; i++) {
      uv.setXY(i, row(0, points.getX(i), points.getY(i)), row(1, points.getX(i), points.getY(i)));
    }
  }

  recolor(colors: ThemeColors): void {
    this.uniforms.gridColor.value.setHex(colors.grid);
    for (const plane of this.planes) if (!plane.own) plane.mesh.material.color.setHex(colors.ground);
  }

  // Of the plane that is not the model's.
  get height(): number {
    return this.planes.find(plane => !plane.own)?.height ?? NaN;
  }

  // A plane that the model does not have must not cut through what hangs or swings lower: it goes down.
  yieldTo(lowest: number): void {
    for (const plane of this.planes) {
      if (plane.own || !(lowest < plane.height)) continue;
      for (let k = 0; k < 3; k++) plane.local[9 + k]! += (lowest - plane.height) * this.up.getComponent(k);
      plane.height = lowest;
    }
  }

  update(matrices: Float32Array | undefined, center: THREE.Vector3): void {
    this.uniforms.gridCenter.value.copy(center);
    for (const { mesh, body, local } of this.planes) {
      const known = matrices && WORDS * (body + 1) <= matrices.length;
      if (known) placeOnBody(matrices, WORDS * body, local, 0, mesh.matrix.elements as unknown as Float32Array, 0);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }
}
