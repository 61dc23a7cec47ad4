// The model in the picture: puts frames, what is shown, what is selected and the camera together.

import * as THREE from 'three';
import { themeColors } from '../base/theme';
import type { Frame, Mesh, Texture } from '../wire/frame';
import type { Model } from '../wire/messages';
import { Bodies, type Hit, type Shown } from './bodies';
import { Ground } from './ground';
import { Marks } from './marks';
import { placeModelCamera } from './cameras';
import { expandPoses, WORDS } from './poses';
import { Shapes } from './shapes';
import { Sky } from './sky';
import { Stage } from './stage';
import { Textures } from './textures';

const MOST_GROWTH = 2; // of the room that is kept in view by itself
const FIT_MS = 500; // the camera takes about so long to go back

export interface Pull {
  body: number;
  station: THREE.Vector3; // on the body
  target: THREE.Vector3; // in Ground
}

// Groups from 3 on hide helpers by MuJoCo's custom; a model whose looks are all there shows them.
function groupsToHide(model: Model): number {
  const looks = model.visuals.filter(visual => !visual.collision && visual.shape !== 'plane');
  return looks.length === 0 || looks.some(visual => visual.group < 3) ? ~7 : 0;
}

export class Picture {
  readonly stage: Stage;
  readonly shown: Shown = { hiddenGroups: 0, collision: false, visuals: true, seeThrough: false };
  model: Model | null = null;
  layers = 0;
  selected: number | null = null;
  pull: Pull | null = null;
  camera = -1; // of the model; -1: free
  following = false;
  updateMs = 0; // what taking the last frame cost
  readonly frames: (Frame | undefined)[] = []; // the newest of each run
  private readonly shapes = new Shapes();
  private readonly textures = new Textures();
  private readonly sky = new Sky(this.shapes, this.textures);
  private readonly bodies = new Bodies(this.shapes, this.textures);
  private readonly ground = new Ground(this.textures);
  private readonly marks = new Marks();
  private readonly matrices: (Float32Array | undefined)[] = [];
  private readonly first = new THREE.Box3(); // about the model at the start
  private readonly seen = new THREE.Box3(); // about all places where they were
  private reaches: Float32Array = new Float32Array(0); // how far the looks of a body are from its origin, or nearly so
  private lastRefresh = 0;
  private fits = true; // the reader has not moved the camera
  private gone = false; // all bodies are far away
  private fitted = 0; // by how much more than at first is in view
  private readonly raycaster = new THREE.Raycaster();
  private readonly followed = new THREE.Vector3();
  private readonly middle = new THREE.Vector3();
  private readonly point = new THREE.Vector3();
  private changed = false; // frames came

  constructor(parent: HTMLElement) {
    this.stage = new Stage(parent);
    this.stage.scene.add(this.sky.group, this.ground.group, this.bodies.group, this.marks.group);
    this.stage.beforeDraw = () => this.refresh();
    this.stage.afterMove = () => {
      this.fits = false;
      if (this.camera >= 0) this.useCamera(-1);
    };
  }

  clear(): void {
    this.shapes.clearMeshes();
    this.textures.clear();
    this.frames.length = this.matrices.length = 0;
  }

  addMesh(mesh: Mesh): void {
    this.shapes.addMesh(mesh);
  }

  addTexture(texture: Texture): void {
    this.textures.add(texture);
  }

  open(model: Model): void {
    const same = this.model?.name === model.name && this.model.source === model.source;
    this.model = model;
    this.frames.length = this.matrices.length = 0;
    this.pull = null;
    if (!same) {
      this.selected = null;
      this.following = false;
      this.shown.visuals = true;
      this.shown.collision = false;
      this.shown.hiddenGroups = groupsToHide(model);
      this.camera = -1;
      this.stage.free = true;
      this.first.setFromCenterAndSize(this.point.set(...model.center), this.middle.setScalar(1.5 * model.radius));
      this.seen.copy(this.first);
      this.reaches = this.findReaches(model);
      this.fits = true;
      this.fitted = 0;
      this.stage.open(model);
    }
    this.marks.setRadius(model.radius);
    this.sky.build(model.sky);
    this.ground.build(model, themeColors());
    this.rebuild();
  }

  // After a change of what is shown.
  rebuild(): void {
    if (!this.model) return;
    this.bodies.build(this.model, this.shown);
    this.bodies.select(this.selected, themeColors().accent);
    this.changed = true;
  }

  recolor(): void {
    const colors = themeColors();
    this.stage.recolor();
    this.ground.recolor(colors);
    this.bodies.select(this.selected, colors.accent);
    this.changed = true;
  }

  setLayers(mask: number): void {
    if (mask === this.layers) return;
    this.layers = mask;
    this.changed = true;
  }

  frame(frame: Frame): void {
    this.frames[frame.run] = frame;
    this.changed = true;
  }

  redraw(): void {
    this.changed = true;
  }

  select(body: number | null): void {
    this.selected = body;
    this.bodies.select(body, themeColors().accent);
    if (body === null) this.following = false;
    this.changed = true;
  }

  get groundHeight(): number {
    return this.ground.height;
  }

  get gridCell(): number {
    return this.ground.cell;
  }

  // The matrix of a body in the newest frame, and where it begins; null: there is none.
  private matrixOf(body: number, run = 0): Float32Array | null {
    const all = this.matrices[run];
    return all && body >= 0 && WORDS * (body + 1) <= all.length ? all : null;
  }

  bodyPoint(body: number, station: THREE.Vector3, out: THREE.Vector3): boolean {
    const m = this.matrixOf(body);
    if (!m) return false;
    const at = WORDS * body, { x, y, z } = station;
    return !!out.set(m[at]! * x + m[at + 3]! * y + m[at + 6]! * z + m[at + 9]!,
      m[at + 1]! * x + m[at + 4]! * y + m[at + 7]! * z + m[at + 10]!,
      m[at + 2]! * x + m[at + 5]! * y + m[at + 8]! * z + m[at + 11]!);
  }

  stationOf(body: number, point: THREE.Vector3, run = 0): THREE.Vector3 | null {
    const m = this.matrixOf(body, run);
    if (!m) return null;
    const at = WORDS * body;
    const dx = point.x - m[at + 9]!, dy = point.y - m[at + 10]!, dz = point.z - m[at + 11]!;
    const along = (k: number) => m[at + k]! * dx + m[at + k + 1]! * dy + m[at + k + 2]! * dz;
    return new THREE.Vector3(along(0), along(3), along(6));
  }

  origin(body: number, out: THREE.Vector3): boolean {
    const m = this.matrixOf(body);
    if (m) out.set(m[WORDS * body + 9]!, m[WORDS * body + 10]!, m[WORDS * body + 11]!);
    return m !== null;
  }

  // What is under a place of the page; null: nothing that belongs to a body.
  pick(x: number, y: number): Hit | null {
    const box = this.stage.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.stage.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(at, this.stage.camera);
    return this.bodies.pick(this.raycaster);
  }

  get ray(): THREE.Ray {
    return this.raycaster.ray;
  }

  aim(x: number, y: number): THREE.Ray {
    const box = this.stage.canvas.getBoundingClientRect();
    this.stage.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(
      new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.stage.camera);
    return this.raycaster.ray;
  }

  useCamera(camera: number): void {
    this.camera = camera;
    this.stage.free = camera < 0;
    if (camera < 0) {
      // The free camera goes on from where the model's stood.
      const view = this.stage.camera;
      const ahead = new THREE.Vector3(0, 0, -1).applyQuaternion(view.quaternion);
      const distance = Math.max(this.middle.clone().sub(view.position).dot(ahead), 0.3 * this.stage.radius);
      this.stage.controls.target.copy(view.position).addScaledVector(ahead, distance);
      this.stage.controls.update();
    }
    this.changed = true;
    this.onCamera();
  }

  onCamera: () => void = () => {};

  private placeCamera(): void {
    const camera = this.model?.cameras[this.camera];
    const matrix = camera && this.matrixOf(camera.body);
    if (camera && matrix) placeModelCamera(this.stage.camera, camera, this.model!.bodies, matrix);
  }

  // Takes what came since the last picture. Allocates nothing but where a frame has more of something than any before.
  refresh(): void {
    if (!this.changed || !this.model) return;
    this.changed = false;
    const start = performance.now();
    for (let run = 0; run < this.frames.length; run++) {
      const frame = this.frames[run];
      if (!frame) continue;
      let matrix = this.matrices[run];
      if (!matrix || matrix.length !== WORDS * frame.bodies) matrix = this.matrices[run] = new Float32Array(WORDS * frame.bodies);
      expandPoses(frame.poses, frame.bodies, matrix);
    }
    this.findMiddle();
    this.fitStep(1 - Math.exp(-Math.min(start - this.lastRefresh, FIT_MS) / FIT_MS));
    this.lastRefresh = start;
    this.follow();
    this.bodies.update(this.matrices);
    this.ground.yieldTo(this.findLowest());
    this.ground.update(this.matrices[0], this.middle);
    this.tellGone();
    this.marks.begin();
    for (const frame of this.frames) if (frame) this.marks.add(frame, this.layers);
    if (this.pull && this.bodyPoint(this.pull.body, this.pull.station, this.point)) {
      this.marks.addPull(this.point, this.pull.target, themeColors().accent);
    }
    this.marks.end();
    if (this.camera >= 0) this.placeCamera();
    const { stage } = this;
    const size = stage.renderer.getDrawingBufferSize(this.size);
    this.marks.view(size.x, size.y, stage.ratio, stage.camera.near);
    stage.placeLights(this.matrices[0], this.middle);
    stage.invalidate();
    this.updateMs = performance.now() - start;
  }

  private readonly size = new THREE.Vector2();

  // How far down the looks of the bodies reach that have not flown off, or nearly so.
  private findLowest(): number {
    const count = (this.matrices[0]?.length ?? 0) / WORDS, { center, radius } = this.stage;
    const up = this.model!.up;
    let lowest = Infinity;
    for (let i = 1; i < count; i++) {
      if (!this.origin(i, this.point) || this.point.distanceTo(center) > MOST_GROWTH * radius) continue;
      lowest = Math.min(lowest, this.point.x * up[0] + this.point.y * up[1] + this.point.z * up[2] - (this.reaches[i] ?? 0));
    }
    return lowest;
  }

  // A model that falls for ever, with the camera beside it, looks as if it stood still.
  private tellGone(): void {
    const { center, radius } = this.stage, up = this.model!.up;
    const away = this.middle.distanceTo(center);
    const fallen = (center.x - this.middle.x) * up[0] + (center.y - this.middle.y) * up[1] + (center.z - this.middle.z) * up[2];
    this.onGone(away > MOST_GROWTH * radius ? away : 0, fallen > 0.5 * away);
  }

  onGone: (distance: number, below: boolean) => void = () => {};

  // The middle of the bodies that are not far away: one that flew off must not take light and grid with it.
  private findMiddle(): void {
    const frame = this.frames[0], { center, radius } = this.stage;
    this.middle.copy(center);
    if (!frame || frame.bodies < 2) return;
    let x = 0, y = 0, z = 0, n = 0;
    for (let i = 1; i < frame.bodies; i++) {
      const px = frame.poses[7 * i]!, py = frame.poses[7 * i + 1]!, pz = frame.poses[7 * i + 2]!;
      const size = Math.abs(px) + Math.abs(py) + Math.abs(pz);
      if (!(size < 1e6 * radius)) continue;
      x += px;
      y += py;
      z += pz;
      n++;
    }
    if (n === 0) return;
    this.point.set(x / n, y / n, z / n);
    if (this.point.distanceTo(center) > radius) this.middle.copy(this.point);
  }

  private follow(): void {
    if (!this.following || this.selected === null || !this.origin(this.selected, this.point)) return;
    if (this.followed.lengthSq() > 0 && this.camera < 0) {
      this.stage.shift(this.point.clone().sub(this.followed));
    }
    this.followed.copy(this.point);
  }

  toggleFollow(): void {
    this.following = !this.following && this.selected !== null;
    if (this.following) this.fits = false;
    this.followed.set(0, 0, 0);
    this.changed = true;
  }

  centerOn(point: THREE.Vector3): void {
    this.fits = false;
    if (this.camera >= 0) this.useCamera(-1);
    this.stage.shift(point.clone().sub(this.stage.controls.target));
  }

  // Turns the free camera about what it looks at: to the right and upwards, rad.
  turn(right: number, up: number): void {
    this.fits = false;
    if (this.camera >= 0) this.useCamera(-1);
    this.stage.turn(right, up);
  }

  // Goes nearer (below 1) or farther by a factor.
  approach(factor: number): void {
    this.fits = false;
    if (this.camera >= 0) this.useCamera(-1);
    this.stage.approach(factor);
  }

  // All in view again, until the reader moves the camera.
  home(): void {
    this.useCamera(-1);
    this.refresh(); // the newest frame counts, drawn or not
    this.seen.copy(this.first);
    this.stage.home();
    this.fitted = 0;
    this.fits = true;
    this.fitStep(1);
    this.changed = true;
  }

  // While the reader leaves the camera alone, it goes back as the model takes more room, by `part` of the way.
  private fitStep(part: number): void {
    if (!this.fits || this.camera >= 0) return;
    const { stage } = this;
    if (!this.takeIn(this.seen)) {
      // All have gone: it falls, or walks far away. The camera goes along, and comes back at once.
      stage.shift(this.point.copy(this.middle).sub(stage.controls.target));
      this.gone = true;
      return;
    }
    if (this.gone) part = 1;
    this.gone = false;
    const grown = this.seen.getSize(this.point).length() / this.first.getSize(this.point).length();
    const wanted = Math.min(grown, MOST_GROWTH) - 1;
    this.seen.getCenter(this.point).sub(this.first.getCenter(this.followed)).add(stage.center).sub(stage.controls.target);
    this.followed.set(0, 0, 0);
    const farther = part * (wanted - this.fitted);
    if (Math.abs(farther) < 1e-3 && this.point.length() < 1e-3 * stage.radius) return;
    stage.shift(this.point.multiplyScalar(part));
    stage.approach((1 + this.fitted + farther) / (1 + this.fitted));
    this.fitted += farther;
  }

  private findReaches(model: Model): Float32Array {
    const reaches = new Float32Array(model.bodies.length);
    for (const { body, shape, size, pose } of model.visuals) {
      if (shape === 'plane' || body >= reaches.length) continue;
      const place = Math.hypot(pose[0], pose[1], pose[2]), half = Math.max(...size.map(x => Math.abs(x ?? 0)), 0);
      reaches[body] = Math.min(Math.max(reaches[body]!, place + half), 0.5 * model.radius);
    }
    return reaches;
  }

  // Makes a box so large that the bodies are in it, but for those that flew off. False: there are bodies, and all did.
  private takeIn(box: THREE.Box3): boolean {
    const count = (this.matrices[0]?.length ?? 0) / WORDS, { center, radius } = this.stage;
    let near = count < 2;
    for (let i = 1; i < count; i++) {
      if (!this.origin(i, this.point) || this.point.distanceTo(center) > MOST_GROWTH * radius) continue;
      near = true;
      const reach = this.reaches[i] ?? 0;
      for (const shift of [-reach, 2 * reach]) box.expandByPoint(this.point.addScalar(shift));
    }
    return near;
  }
}
