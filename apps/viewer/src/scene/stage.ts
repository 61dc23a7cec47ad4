// The picture: renderer, light, camera and what it turns about. It draws only when something has changed, and draws more
// coarsely where the machine is too slow for smooth motion.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { themeColors, type ThemeColors } from '../base/theme';
import type { Model } from '../wire/messages';
import { Lights } from './lights';

const FOV = 40;
// Steps of coarseness: pixels of the picture for one of the page, and shadows.
const details = [
  { ratio: 2, shadows: true },
  { ratio: 1, shadows: true },
  { ratio: 1, shadows: false },
  { ratio: 0.6, shadows: false },
] as const;
const SLOW_MS = 34; // between two pictures
const PATIENCE_MS = 1200; // of slow pictures before they get coarser

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FOV, 1, 0.01, 100);
  readonly canvas: HTMLCanvasElement;
  readonly renderer: THREE.WebGLRenderer;
  controls: OrbitControls;
  center = new THREE.Vector3();
  radius = 1;
  beforeDraw: (now: number) => void = () => {};
  afterMove: () => void = () => {};
  onDetail: () => void = () => {};
  frames = 0; // drawn
  drawMs = 0; // what the last picture cost this thread
  detail = 0;
  free = true; // the reader turns the camera; else a camera of the model does
  private colors: ThemeColors = themeColors();
  private readonly lights = new Lights();
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8b4ac, 1.5);
  private up = new THREE.Vector3(0, 0, 1);
  private dirty = true;
  private slow = 0;
  private lastDraw = 0;
  private drewLast = false;

  constructor(readonly parent: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, powerPreference: 'high-performance' });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    parent.append(this.canvas);
    this.camera.up.copy(this.up);
    this.camera.position.set(2, -3, 2);
    this.controls = this.makeControls();
    this.scene.add(this.lights.group, this.sky);
    this.recolor();
    if (this.software()) this.setDetail(2);
    new ResizeObserver(() => this.resize()).observe(parent);
    this.resize();
    requestAnimationFrame(now => this.tick(now));
  }

  // Whether the camera comes to rest softly. With few pictures a second it would lag behind the pointer.
  private smooth(): boolean {
    return details[this.detail]!.shadows && !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  // Whether the picture is computed by the processor: shadows would take most of the time.
  private software(): boolean {
    const gl = this.renderer.getContext();
    const about = gl.getExtension('WEBGL_debug_renderer_info');
    return about !== null && /swiftshader|llvmpipe|software|basic render/i.test(String(gl.getParameter(about.UNMASKED_RENDERER_WEBGL)));
  }

  private makeControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableDamping = this.smooth();
    controls.dampingFactor = 0.18;
    controls.zoomToCursor = true;
    controls.screenSpacePanning = true;
    controls.addEventListener('change', () => {
      this.dirty = true;
    });
    controls.addEventListener('start', () => this.afterMove());
    return controls;
  }

  // Fits a new model. The camera looks from the front, the right and above.
  open(model: Model): void {
    this.up.set(...model.up);
    if (this.up.lengthSq() === 0) this.up.set(0, 0, 1);
    this.up.normalize();
    this.camera.up.copy(this.up);
    const target = this.controls.target.clone();
    this.controls.dispose();
    this.controls = this.makeControls(); // it reads "up" when it is made
    this.controls.target.copy(target);
    this.radius = model.radius > 0 ? model.radius : 1;
    this.center.set(...model.center);
    this.sky.position.copy(this.up);
    this.lights.build(model, this.up, this.radius);
    this.home();
  }

  home(center = this.center, radius = this.radius): void {
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
    const from = new THREE.Vector3(0.75, -1, 0.42).normalize().applyQuaternion(turn);
    this.camera.fov = FOV;
    const half = (FOV * Math.PI) / 360;
    const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(from, (1.05 * radius) / Math.sin(narrow));
    this.controls.update();
    this.adjustDepth();
    this.invalidate();
  }

  // Shifts the view, and with it the camera.
  shift(by: THREE.Vector3): void {
    this.controls.target.add(by);
    this.camera.position.add(by);
    this.invalidate();
  }

  turn(right: number, up: number): void {
    const target = this.controls.target;
    const away = this.camera.position.clone().sub(target);
    const side = this.up.clone().cross(away).normalize();
    const height = Math.min(Math.max(away.angleTo(this.up) - up, 0.05), Math.PI - 0.05);
    away.applyAxisAngle(side, height - away.angleTo(this.up)).applyAxisAngle(this.up, right);
    this.camera.position.copy(target).add(away);
    this.controls.update();
    this.invalidate();
  }

  approach(factor: number): void {
    const target = this.controls.target;
    this.camera.position.sub(target).multiplyScalar(factor).add(target);
    this.controls.update();
    this.invalidate();
  }

  invalidate(): void {
    this.dirty = true;
  }

  recolor(): void {
    this.colors = themeColors();
    this.scene.background = new THREE.Color(this.colors.background);
    this.sky.intensity = this.colors.dark ? 1.7 : 2.1;
    this.lights.setStrength(this.colors.dark ? 2.2 : 2.4);
    this.invalidate();
  }

  private resize(): void {
    const width = Math.max(this.parent.clientWidth, 1), height = Math.max(this.parent.clientHeight, 1);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, details[this.detail]!.ratio));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw(); // at once: a canvas that was resized is empty
  }

  setDetail(detail: number): void {
    this.detail = detail;
    this.lights.setShadows(details[detail]!.shadows);
    this.slow = 0;
    this.controls.enableDamping = this.smooth();
    this.resize();
    this.onDetail();
  }

  private adjustDepth(): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(0.01 * distance, 1e-4 * this.radius);
    this.camera.far = distance + 60 * this.radius;
    this.camera.updateProjectionMatrix();
  }

  placeLights(matrices: Float32Array | undefined, center: THREE.Vector3): void {
    this.lights.update(matrices, center);
  }

  private tick(now: number): void {
    requestAnimationFrame(next => this.tick(next));
    if (this.free) this.controls.update();
    this.beforeDraw(now);
    if (!this.dirty) {
      this.drewLast = false;
      return;
    }
    if (this.drewLast) this.watchSpeed(now - this.lastDraw);
    this.drewLast = true;
    this.lastDraw = now;
    this.draw();
  }

  private watchSpeed(interval: number): void {
    this.slow = interval > SLOW_MS ? this.slow + Math.min(interval, PATIENCE_MS / 2) : Math.max(this.slow - 2 * interval, 0);
    if (this.slow <= PATIENCE_MS || this.detail >= details.length - 1) return;
    const same = (i: number) => Math.min(details[i]!.ratio, window.devicePixelRatio) === this.ratio && details[i]!.shadows === this.lights.castShadows;
    this.setDetail(same(this.detail + 1) ? this.detail + 2 : this.detail + 1);
  }

  private draw(): void {
    this.dirty = false;
    this.adjustDepth();
    const start = performance.now();
    this.renderer.render(this.scene, this.camera);
    this.drawMs = performance.now() - start;
    this.frames++;
  }

  // Draws anew and reads what was drawn; the browser keeps no picture between frames.
  readPixels(): { width: number; height: number; rgba: Uint8Array } {
    this.draw();
    const gl = this.renderer.getContext();
    const width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
    const rgba = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
    return { width, height, rgba };
  }

  get ratio(): number {
    return this.renderer.getPixelRatio();
  }

  // Where a point of Ground is on the page, in its pixels.
  project(point: THREE.Vector3): { x: number; y: number; visible: boolean } {
    this.camera.updateMatrixWorld();
    const box = this.canvas.getBoundingClientRect();
    const at = point.clone().project(this.camera);
    return {
      x: box.left + ((at.x + 1) / 2) * box.width,
      y: box.top + ((1 - at.y) / 2) * box.height,
      visible: Math.abs(at.x) <= 1 && Math.abs(at.y) <= 1 && Math.abs(at.z) <= 1,
    };
  }
}
