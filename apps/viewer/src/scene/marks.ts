// The marks of a frame: axes, forces, contacts, centres of mass, names. They come anew with each frame, and are written
// into arrays that are there.

import * as THREE from 'three';
import { WORDS_OF_MARK, type Frame } from '../wire/frame';
import { expandPose, WORDS } from './poses';
import { Labels } from './labels';
import { Lines } from './lines';
import { Solids } from './solids';

// cdn_mark_kind of <cardan/scene.h>.
const POINT = 0, LINE = 1, ARROW = 2, TURN = 3, FRAME = 4, ELLIPSOID = 5, DISC = 6, ARC = 7, TEXT = 8;

const ARC_STEP = Math.PI / 24;
const HEAD_SHARE = 0.35; // of an arrow that is its head, at most

export class Marks {
  readonly group = new THREE.Group();
  private readonly lines = new Lines();
  private readonly labels = new Labels();
  private readonly balls = new Solids(new THREE.SphereGeometry(1, 16, 12));
  // From its base at z = 0 to its tip at z = 1.
  private readonly cones = new Solids(new THREE.ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5));
  private readonly rods = new Solids(new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5));
  private readonly discs = new Solids(new THREE.CylinderGeometry(1, 1, 1e-3, 32).rotateX(Math.PI / 2));
  private readonly pose = new Float32Array(WORDS);
  private readonly color = new THREE.Color();
  private head = 0.05; // length of a long arrow's head

  constructor() {
    for (const solids of [this.balls, this.cones, this.rods, this.discs]) this.group.add(solids.group);
    this.group.add(this.lines.group, this.labels.mesh);
    this.begin();
    this.end();
  }

  setRadius(radius: number): void {
    this.head = 0.06 * radius;
  }

  begin(): void {
    for (const batch of [this.lines, this.labels, this.balls, this.cones, this.rods, this.discs]) batch.begin();
  }

  end(): void {
    for (const batch of [this.lines, this.labels, this.balls, this.cones, this.rods, this.discs]) batch.end();
  }

  view(width: number, height: number, ratio: number, near: number): void {
    this.lines.view(width, height, near, 2 * ratio);
    this.labels.view(width, height, ratio);
  }

  // Adds the marks of a frame whose layers are in the mask.
  add(frame: Frame, layers: number): void {
    const ints = frame.markInts, floats = frame.markFloats;
    for (let i = 0; i < frame.marks; i++) {
      const at = WORDS_OF_MARK * i;
      if ((ints[at + 1]! & layers) === 0) continue;
      expandPose(floats, at + 4, this.pose, 0);
      const sizes = at + 11, rgba = at + 14;
      const r = floats[rgba]!, g = floats[rgba + 1]!, b = floats[rgba + 2]!, alpha = floats[rgba + 3]!;
      this.addOne(ints[at]!, frame, ints[at + 3]!, floats[sizes]!, floats[sizes + 1]!, floats[sizes + 2]!, r, g, b, alpha);
    }
  }

  private addOne(kind: number, frame: Frame, text: number, s0: number, s1: number, s2: number,
    r: number, g: number, b: number, alpha: number): void {
    const pose = this.pose;
    this.color.setRGB(r, g, b, THREE.SRGBColorSpace);
    switch (kind) {
      case POINT:
        this.balls.place(this.balls.add(this.color, alpha), pose, s0, s0, s0, 0);
        break;
      case ELLIPSOID:
        this.balls.place(this.balls.add(this.color, alpha), pose, s0, s1, s2, 0);
        break;
      case DISC:
        this.discs.place(this.discs.add(this.color, alpha), pose, s0, s1, Math.min(s0, s1), 0);
        break;
      case LINE: // s1: its radius; 0: thin
        if (s1 > 0) this.rods.place(this.rods.add(this.color, alpha), pose, s1, s1, s0, 0);
        else this.line(0, s0, r, g, b, alpha);
        break;
      case ARROW:
        this.arrow(s0, 1, r, g, b, alpha);
        break;
      case TURN:
        this.arrow(s0, 2, r, g, b, alpha);
        break;
      case FRAME:
        this.axis(0, s0, 0.86, 0.2, 0.18, alpha);
        this.axis(3, s0, 0.18, 0.62, 0.22, alpha);
        this.axis(6, s0, 0.2, 0.42, 0.92, alpha);
        break;
      case ARC:
        this.arc(s0, s1, s2, r, g, b, alpha);
        break;
      case TEXT:
        if (text >= 0 && text < frame.text.length) this.labels.add(pose[9]!, pose[10]!, pose[11]!, frame.text, text, r, g, b);
        break;
      default: // a later version's: left out
    }
  }

  // A line along z of the pose, between two places on it.
  private line(from: number, to: number, r: number, g: number, b: number, alpha: number): void {
    const p = this.pose;
    this.lines.add(p[9]! + from * p[6]!, p[10]! + from * p[7]!, p[11]! + from * p[8]!, p[9]! + to * p[6]!, p[10]! + to * p[7]!,
      p[11]! + to * p[8]!, r, g, b, alpha);
  }

  private axis(column: number, length: number, r: number, g: number, b: number, alpha: number): void {
    const p = this.pose;
    this.lines.add(p[9]!, p[10]!, p[11]!, p[9]! + length * p[column]!, p[10]! + length * p[column + 1]!,
      p[11]! + length * p[column + 2]!, r, g, b, alpha);
  }

  private arrow(length: number, heads: number, r: number, g: number, b: number, alpha: number): void {
    const head = Math.min(HEAD_SHARE * length, this.head) / (heads > 1 ? 1.25 : 1);
    this.line(0, length - head, r, g, b, alpha);
    for (let k = 0; k < heads; k++) {
      const at = this.cones.add(this.color, alpha);
      this.cones.place(at, this.pose, 0.36 * head, 0.36 * head, head, length - head * (1 + 0.8 * k));
    }
  }

  private arc(from: number, to: number, radius: number, r: number, g: number, b: number, alpha: number): void {
    const p = this.pose;
    const steps = Math.min(Math.max(Math.ceil(Math.abs(to - from) / ARC_STEP), 1), 200);
    let c = radius * Math.cos(from), s = radius * Math.sin(from);
    for (let k = 1; k <= steps; k++) {
      const angle = from + ((to - from) * k) / steps;
      const c1 = radius * Math.cos(angle), s1 = radius * Math.sin(angle);
      this.lines.add(p[9]! + c * p[0]! + s * p[3]!, p[10]! + c * p[1]! + s * p[4]!, p[11]! + c * p[2]! + s * p[5]!,
        p[9]! + c1 * p[0]! + s1 * p[3]!, p[10]! + c1 * p[1]! + s1 * p[4]!, p[11]! + c1 * p[2]! + s1 * p[5]!, r, g, b, alpha);
      c = c1;
      s = s1;
    }
  }

  // A spring from a body to where the mouse pulls it.
  addPull(from: THREE.Vector3, to: THREE.Vector3, accent: number): void {
    this.color.setHex(accent, THREE.LinearSRGBColorSpace);
    const { r, g, b } = this.color;
    this.lines.add(from.x, from.y, from.z, to.x, to.y, to.z, r, g, b, 1);
    this.color.setHex(accent);
    this.pose.set([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    for (const point of [from, to]) {
      this.pose[9] = point.x;
      this.pose[10] = point.y;
      this.pose[11] = point.z;
      const size = 0.25 * this.head;
      this.balls.place(this.balls.add(this.color, 1), this.pose, size, size, size, 0);
    }
  }
}
