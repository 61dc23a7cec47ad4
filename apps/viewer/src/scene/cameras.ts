// Cameras of the model, which stand where the file says: docs/wire.md describes their modes.

import * as THREE from 'three';
import type { Body, Camera } from '../wire/messages';
import { WORDS } from './poses';

const point = new THREE.Vector3();
const away = new THREE.Vector3();
const rotation = new THREE.Matrix4();
const turn = new THREE.Quaternion();

// A point of a body in Ground.
function pointOf(m: Float32Array, body: number, x: number, y: number, z: number, out: THREE.Vector3): THREE.Vector3 {
  const at = WORDS * body;
  return out.set(m[at]! * x + m[at + 3]! * y + m[at + 6]! * z + m[at + 9]!, m[at + 1]! * x + m[at + 4]! * y + m[at + 7]! * z + m[at + 10]!,
    m[at + 2]! * x + m[at + 5]! * y + m[at + 8]! * z + m[at + 11]!);
}

// The centre of mass of a body and of all that hang on it; its origin, if they have no mass. Parents come before children.
function centerOfMass(bodies: Body[], root: number, m: Float32Array, out: THREE.Vector3): THREE.Vector3 {
  const hangs = new Uint8Array(bodies.length);
  let mass = 0, x = 0, y = 0, z = 0;
  for (let b = root; b < bodies.length; b++) {
    const body = bodies[b]!;
    hangs[b] = b === root || (body.parent >= 0 && hangs[body.parent]) ? 1 : 0;
    if (!hangs[b] || b === 0 || !body.mass) continue;
    pointOf(m, b, ...(body.com ?? [0, 0, 0]), point);
    mass += body.mass;
    x += body.mass * point.x;
    y += body.mass * point.y;
    z += body.mass * point.z;
  }
  return mass > 0 ? out.set(x / mass, y / mass, z / mass) : pointOf(m, root, 0, 0, 0, out);
}

const followed = new THREE.Vector3();

export function placeModelCamera(view: THREE.PerspectiveCamera, camera: Camera, bodies: Body[], m: Float32Array): void {
  const [x, y, z, w, i, j, k] = camera.pose;
  const mode = camera.mode ?? 'fixed';
  const tracks = mode.startsWith('track'), turns = mode.startsWith('target');
  const whom = turns ? camera.target : camera.body;
  if (WORDS * (whom + 1) > m.length) return;
  if (mode.endsWith('-com')) centerOfMass(bodies, whom, m, followed);
  else pointOf(m, whom, 0, 0, 0, followed);
  turn.set(i, j, k, w);
  if (tracks) {
    view.position.set(x, y, z).add(followed);
    view.quaternion.copy(turn);
  } else {
    pointOf(m, camera.body, x, y, z, view.position);
    const at = WORDS * camera.body;
    rotation.set(m[at]!, m[at + 3]!, m[at + 6]!, 0, m[at + 1]!, m[at + 4]!, m[at + 7]!, 0, m[at + 2]!, m[at + 5]!, m[at + 8]!, 0, 0, 0, 0, 1);
    view.quaternion.setFromRotationMatrix(rotation).multiply(turn);
    if (turns && away.copy(view.position).sub(followed).lengthSq() > 0) view.lookAt(followed);
  }
  view.fov = (camera.fovy * 180) / Math.PI;
  view.updateProjectionMatrix();
}
