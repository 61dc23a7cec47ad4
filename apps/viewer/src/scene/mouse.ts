// What a pointer does in the picture: a click selects, a double click centres, a drag with Ctrl (or in pull mode) pulls the
// body under it. Everything else turns the camera.

import * as THREE from 'three';
import type { Request } from '../wire/messages';
import type { Picture } from './picture';

const CLICK_PIXELS = 5;

export interface MouseActions {
  select(body: number | null): void;
  canPull(): boolean;
  send(request: Request): void;
}

export class Mouse {
  pullMode = false;
  private down: { x: number; y: number; id: number } | null = null;
  private pulling = false;
  private readonly plane = new THREE.Plane();
  private readonly target = new THREE.Vector3();
  private wanted = false; // a new target was not sent yet

  constructor(private readonly picture: Picture, private readonly actions: MouseActions) {
    const canvas = picture.stage.canvas;
    // In the capture phase of the parent: before the orbit controls see it.
    picture.stage.parent.addEventListener('pointerdown', event => this.press(event), true);
    window.addEventListener('pointermove', event => this.move(event));
    window.addEventListener('pointerup', event => this.lift(event));
    window.addEventListener('pointercancel', event => this.lift(event));
    window.addEventListener('blur', () => this.endPull());
    canvas.addEventListener('dblclick', event => this.centre(event));
    canvas.addEventListener('contextmenu', event => event.preventDefault());
  }

  private press(event: PointerEvent): void {
    if (event.target !== this.picture.stage.canvas || this.pulling) return;
    if (!event.isPrimary || event.button !== 0) {
      this.down = null;
      return;
    }
    this.down = { x: event.clientX, y: event.clientY, id: event.pointerId };
    if (!(this.pullMode || event.ctrlKey || event.metaKey) || !this.actions.canPull()) return;
    const hit = this.picture.pick(event.clientX, event.clientY);
    if (!hit || hit.body === 0 || hit.run !== 0) return;
    const station = this.picture.stationOf(hit.body, hit.point);
    if (!station) return;
    event.stopPropagation(); // the camera stays
    event.preventDefault();
    this.picture.stage.canvas.focus({ preventScroll: true });
    this.pulling = true;
    this.down = null;
    this.target.copy(hit.point);
    this.plane.setFromNormalAndCoplanarPoint(this.picture.stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    this.picture.pull = { body: hit.body, station, target: this.target };
    this.actions.select(hit.body);
    this.want();
  }

  private move(event: PointerEvent): void {
    if (!this.pulling) return;
    const ray = this.picture.aim(event.clientX, event.clientY);
    if (ray.intersectPlane(this.plane, this.target)) this.want();
  }

  // At most one request a picture.
  private want(): void {
    this.picture.redraw();
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      const pull = this.picture.pull;
      if (!this.pulling || !pull) return;
      this.actions.send({ type: 'perturb', body: pull.body, station: pull.station.toArray(), target: pull.target.toArray() });
    });
  }

  private lift(event: PointerEvent): void {
    if (this.pulling) {
      this.endPull();
      return;
    }
    const down = this.down;
    this.down = null;
    if (!down || down.id !== event.pointerId || event.type === 'pointercancel') return;
    if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > CLICK_PIXELS) return;
    const hit = this.picture.pick(event.clientX, event.clientY);
    this.actions.select(hit ? hit.body : null);
  }

  private endPull(): void {
    if (!this.pulling) return;
    this.pulling = false;
    this.picture.pull = null;
    this.picture.redraw();
    this.actions.send({ type: 'release' });
  }

  private centre(event: MouseEvent): void {
    const hit = this.picture.pick(event.clientX, event.clientY);
    if (hit) this.picture.centerOn(hit.point);
  }
}
