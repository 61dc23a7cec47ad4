// Draws all visuals of all runs with as few calls as possible: one for each run, shape and opacity. A frame only writes
// matrices into arrays that are there.

import * as THREE from 'three';
import type { Model, Rgba, Visual } from '../wire/messages';
import { expandPose, placeOnBody, WORDS } from './poses';
import { partsOf, type Shapes, type Unit } from './shapes';
import type { Textures } from './textures';

export interface Shown {
  hiddenGroups: number; // bit g: group g is hidden
  collision: boolean;
  visuals: boolean;
  seeThrough: boolean;
}

interface Piece {
  unit: Unit;
  run: number;
  body: number;
  local: Float32Array;
  color: THREE.Color;
  opacity: number;
  texture: number | undefined;
  roughness: number;
  emission: number;
}

interface Pool {
  mesh: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  pieces: Piece[];
  locals: Float32Array;
}

export interface Hit {
  run: number;
  body: number;
  point: THREE.Vector3;
  distance: number;
}

const MANY = 250; // pieces of one picture
const everywhere = new THREE.Sphere(new THREE.Vector3(), Infinity);

function mixed(rgba: Rgba, run: Rgba | null): THREE.Color {
  const color = new THREE.Color().setRGB(rgba[0], rgba[1], rgba[2], THREE.SRGBColorSpace);
  return run ? color.lerp(new THREE.Color().setRGB(run[0], run[1], run[2], THREE.SRGBColorSpace), 0.75) : color;
}

// MJCF's usual numbers have the page's usual roughness; what does not shine is rough.
function roughnessOf({ specular = 0.5, shininess = 0.5 }: Visual): number {
  return 1 - 0.76 * shininess * Math.min(2 * specular, 1);
}

export class Bodies {
  readonly group = new THREE.Group();
  private pools: Pool[] = [];
  private readonly highlight = new THREE.Color();

  constructor(private readonly shapes: Shapes, private readonly textures: Textures) {}

  // Makes everything anew: for a new model, and when something is shown or hidden.
  build(model: Model, shown: Shown): void {
    this.dispose();
    const pieces: Piece[] = [];
    const pose = new Float32Array(WORDS);
    model.runs.forEach((aRun, run) => {
      for (const visual of model.visuals) {
        if (visual.shape === 'plane') continue;
        if (visual.collision ? !shown.collision : !shown.visuals || (shown.hiddenGroups >>> visual.group) & 1) continue;
        const ground = visual.body === 0;
        if (run > 0 && ground) continue; // what does not move would only cover itself
        expandPose(visual.pose, 0, pose, 0);
        const several = model.runs.length > 1 && !ground;
        let opacity = Math.min(Math.max(visual.rgba[3], 0), 1) * (several && run > 0 ? Math.min(aRun.rgba[3], 0.6) : 1);
        if (shown.seeThrough) opacity *= 0.35;
        else if (visual.collision && shown.visuals) opacity *= 0.5;
        if (opacity <= 0) continue;
        for (const part of partsOf(visual)) {
          const local = new Float32Array(WORDS);
          for (let k = 0; k < 9; k++) local[k] = pose[k]! * part.scale[Math.floor(k / 3)]!;
          for (let k = 0; k < 3; k++) local[9 + k] = pose[9 + k]! + part.offset * pose[6 + k]!;
          pieces.push({
            unit: part.unit, run, body: visual.body, local, opacity, color: mixed(visual.rgba, several ? aRun.rgba : null),
            texture: visual.texture, roughness: roughnessOf(visual), emission: visual.emission ?? 0,
          });
        }
      }
    });
    const byKey = new Map<string, Piece[]>();
    for (const piece of pieces) {
      const glow = piece.emission > 0 ? `${piece.emission} ${piece.color.getHex()}` : '';
      const key = `${piece.run} ${piece.unit} ${Math.round(255 * piece.opacity)} ${piece.texture} ${piece.roughness} ${glow}`;
      const list = byKey.get(key);
      if (list) list.push(piece);
      else byKey.set(key, [piece]);
    }
    for (const list of byKey.values()) this.addPool(list, pieces.length > MANY);
  }

  private addPool(pieces: Piece[], many: boolean): void {
    const first = pieces[0]!;
    const geometry = this.shapes.geometry(first.unit, many);
    if (!geometry) return; // a mesh that could not be read: the server's warning says which
    const opaque = first.opacity > 0.996;
    const map = this.textures.get(first.texture);
    const material = new THREE.MeshStandardMaterial({
      map,
      roughness: first.roughness,
      emissive: first.emission > 0 ? first.color : 0x000000,
      emissiveMap: first.emission > 0 ? map : null,
      emissiveIntensity: first.emission,
      metalness: 0.02,
      transparent: !opaque,
      opacity: opaque ? 1 : first.opacity,
      depthWrite: opaque,
      // Where runs agree, the first one is seen, without a quarrel about pixels.
      polygonOffset: first.run > 0,
      polygonOffsetFactor: first.run,
      polygonOffsetUnits: 4 * first.run,
      side: first.unit.startsWith('mesh') ? THREE.DoubleSide : THREE.FrontSide,
    });
    const mesh = new THREE.InstancedMesh(geometry, material, pieces.length);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.boundingSphere = everywhere;
    mesh.castShadow = first.opacity > 0.3;
    mesh.receiveShadow = true;
    mesh.renderOrder = opaque ? 0 : 1;
    const locals = new Float32Array(WORDS * pieces.length);
    pieces.forEach((piece, i) => {
      locals.set(piece.local, WORDS * i);
      mesh.setColorAt(i, piece.color);
    });
    this.pools.push({ mesh, pieces, locals });
    this.group.add(mesh);
  }

  // Moves all visuals. `matrices` has those of each run's bodies.
  update(matrices: (Float32Array | undefined)[]): void {
    for (const { mesh, pieces, locals } of this.pools) {
      const out = mesh.instanceMatrix.array as Float32Array;
      for (let i = 0; i < pieces.length; i++) {
        const piece = pieces[i]!;
        const bodies = matrices[piece.run];
        if (bodies && WORDS * (piece.body + 1) <= bodies.length) {
          placeOnBody(bodies, WORDS * piece.body, locals, WORDS * i, out, 16 * i);
        } else {
          out.fill(0, 16 * i, 16 * i + 16); // its run has no frame yet
        }
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  // Shows which body is selected; null: none.
  select(body: number | null, accent: number): void {
    this.highlight.setHex(accent);
    const color = new THREE.Color();
    for (const { mesh, pieces } of this.pools) {
      pieces.forEach((piece, i) => {
        color.copy(piece.color);
        if (piece.body === body) color.lerp(this.highlight, 0.55);
        mesh.setColorAt(i, color);
      });
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  // The nearest visual on a ray, of bodies that move before what is fixed where both are hit at once.
  pick(raycaster: THREE.Raycaster): Hit | null {
    let best: Hit | null = null;
    for (const { mesh, pieces } of this.pools) {
      for (const hit of raycaster.intersectObject(mesh, false)) {
        const piece = pieces[hit.instanceId!];
        if (piece && (!best || hit.distance < best.distance)) {
          best = { run: piece.run, body: piece.body, point: hit.point.clone(), distance: hit.distance };
        }
      }
    }
    return best;
  }

  private dispose(): void {
    for (const { mesh } of this.pools) {
      this.group.remove(mesh);
      mesh.material.dispose();
      mesh.dispose();
    }
    this.pools = [];
  }
}
