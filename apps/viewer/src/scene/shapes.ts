// Geometries of unit size, shared by all visuals of a kind; each visual scales its own. A capsule is a tube and two domes,
// so that its caps stay round.

import * as THREE from 'three';
import type { Mesh } from '../wire/frame';
import type { Visual } from '../wire/messages';

export type Unit = 'sphere' | 'box' | 'cylinder' | 'tube' | 'dome' | `mesh${number}`;

export interface Part {
  unit: Unit;
  offset: number; // along z of the visual
  scale: [number, number, number];
}

// three.js makes cylinders and spheres about y; ours are about z.
function about(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  return geometry.rotateX(Math.PI / 2);
}

export class Shapes {
  private readonly made = new Map<string, THREE.BufferGeometry>();

  // `many`: there are so many that each is small in the picture, and has fewer triangles.
  geometry(unit: Unit, many: boolean): THREE.BufferGeometry | null {
    const name = many && !unit.startsWith('mesh') ? `${unit} of many` : unit;
    let geometry = this.made.get(name);
    if (!geometry && !unit.startsWith('mesh')) {
      geometry = this.make(unit, many ? 12 : 28);
      this.made.set(name, geometry);
    }
    return geometry ?? null;
  }

  addMesh(mesh: Mesh): void {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(mesh.positions, 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(mesh.normals, 3));
    if (mesh.places) geometry.setAttribute('uv', new THREE.BufferAttribute(mesh.places, 2));
    geometry.setIndex(new THREE.BufferAttribute(mesh.indices, 1));
    this.made.get(`mesh${mesh.number}`)?.dispose();
    this.made.set(`mesh${mesh.number}`, geometry);
  }

  clearMeshes(): void {
    for (const [unit, geometry] of this.made) {
      if (!unit.startsWith('mesh')) continue;
      geometry.dispose();
      this.made.delete(unit);
    }
  }

  private make(unit: Unit, around: number): THREE.BufferGeometry {
    const along = Math.round(0.64 * around);
    switch (unit) {
      case 'box': return new THREE.BoxGeometry(2, 2, 2);
      case 'cylinder': return about(new THREE.CylinderGeometry(1, 1, 2, around, 1));
      case 'tube': return about(new THREE.CylinderGeometry(1, 1, 2, around, 1, true));
      case 'dome': return about(new THREE.SphereGeometry(1, around, Math.ceil(along / 2), 0, 2 * Math.PI, 0, Math.PI / 2));
      default: return about(new THREE.SphereGeometry(1, around, along));
    }
  }
}

// What a visual is made of; planes are drawn as grounds.
export function partsOf(visual: Visual): Part[] {
  if (visual.texture !== undefined) return [{ unit: `mesh${visual.mesh}`, offset: 0, scale: [1, 1, 1] }]; // with its places
  const size = (i: number) => Math.abs(visual.size[i] ?? 0);
  const radius = size(0);
  switch (visual.shape) {
    case 'sphere': return [{ unit: 'sphere', offset: 0, scale: [radius, radius, radius] }];
    case 'box': return [{ unit: 'box', offset: 0, scale: [size(0), size(1), size(2)] }];
    case 'ellipsoid': return [{ unit: 'sphere', offset: 0, scale: [size(0), size(1), size(2)] }];
    case 'cylinder': return [{ unit: 'cylinder', offset: 0, scale: [radius, radius, size(1)] }];
    case 'capsule':
      return [
        { unit: 'tube', offset: 0, scale: [radius, radius, size(1)] },
        { unit: 'dome', offset: size(1), scale: [radius, radius, radius] },
        // Turned by pi about x, so that it stays a proper rotation.
        { unit: 'dome', offset: -size(1), scale: [radius, -radius, -radius] },
      ];
    case 'mesh': return [{ unit: `mesh${visual.mesh}`, offset: 0, scale: [1, 1, 1] }];
    default: return [];
  }
}
