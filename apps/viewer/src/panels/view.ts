// What the picture shows: camera, visuals, groups, layers of marks, runs.

import { h, setText } from '../base/dom';
import { formatNumber, units } from '../base/format';
import type { Picture } from '../scene/picture';
import type { Model, Status } from '../wire/messages';
import { fillSelect, fold, type Page, type Panel } from './panel';

const SETTLE_MS = 1000;
const detailNames = ['fine', 'at the page\u2019s pixels', 'without shadows', 'coarse'];

export class ViewPanel implements Panel {
  readonly element: HTMLDetailsElement;
  private readonly camera = h('select', { 'aria-label': 'Camera' }, {
    change: () => this.picture.useCamera(Number(this.camera.value)),
  });
  private readonly layers = h('div', { class: 'checks', role: 'group', 'aria-label': 'Marks' });
  private readonly groups = h('div', { class: 'checks', role: 'group', 'aria-label': 'Groups' });
  private readonly runs = h('ul', { class: 'runs' });
  private readonly scale = h('p', { class: 'muted' });
  private readonly visuals: HTMLInputElement;
  private readonly collision: HTMLInputElement;
  private readonly through: HTMLInputElement;
  private readonly detail = h('select', { 'aria-label': 'Detail' }, {
    change: () => this.picture.stage.setDetail(Number(this.detail.value)),
  });
  private boxes: { bit: number; box: HTMLInputElement }[] = [];
  private mask = 0;
  private settled = 0; // until when the reader's choice counts more than what the status says

  constructor(private readonly page: Page, private readonly picture: Picture) {
    const change = (set: (on: boolean) => void) => (on: boolean) => {
      set(on);
      picture.rebuild();
    };
    const shown = picture.shown;
    this.visuals = check('Looks', true, change(on => (shown.visuals = on)));
    this.collision = check('Collision shapes', false, change(on => (shown.collision = on)));
    this.through = check('See through', false, change(on => (shown.seeThrough = on)));
    fillSelect(this.detail, detailNames.map((text, i) => ({ value: String(i), text })), String(picture.stage.detail));
    picture.stage.onDetail = () => (this.detail.value = String(picture.stage.detail));
    picture.onCamera = () => (this.camera.value = String(picture.camera));
    this.element = fold('view', 'View', true,
      field('Camera', this.camera),
      h('div', { class: 'checks', role: 'group', 'aria-label': 'Shapes' }, {}, label(this.visuals), label(this.collision), label(this.through)),
      this.groups,
      h('h3', {}, {}, 'Marks'), this.layers, this.runs,
      field('Detail', this.detail), this.scale);
  }

  open(model: Model): void {
    fillSelect(this.camera, [{ value: '-1', text: 'Free' },
      ...model.cameras.map((camera, i) => ({ value: String(i), text: camera.name }))], String(this.picture.camera));
    this.visuals.checked = this.picture.shown.visuals;
    this.collision.checked = this.picture.shown.collision;
    const hasCollision = model.visuals.some(visual => visual.collision);
    (this.collision.parentElement as HTMLElement).hidden = !hasCollision;
    this.openGroups(model);
    this.boxes = model.layers.map(({ name, bit }) => {
      const box = check(name, false, on => {
        this.mask = on ? this.mask | bit : this.mask & ~bit;
        this.settled = performance.now() + SETTLE_MS;
        this.picture.setLayers(this.mask);
        this.page.send({ type: 'layers', mask: this.mask >>> 0 });
      });
      return { bit, box };
    });
    this.layers.replaceChildren(...this.boxes.map(({ box }) => label(box)));
    this.runs.hidden = model.runs.length < 2;
    this.runs.replaceChildren(...model.runs.map(run => {
      const dot = h('span', { class: 'dot' });
      const [r, g, b] = run.rgba.map(x => Math.round(255 * Math.min(Math.max(x, 0), 1)));
      dot.style.background = `rgb(${r} ${g} ${b})`;
      return h('li', {}, {}, dot, run.name);
    }));
    setText(this.scale, `Grid: ${formatNumber(this.picture.gridCell)} ${units().length}`);
  }

  private openGroups(model: Model): void {
    const numbers = [...new Set(model.visuals.filter(visual => !visual.collision).map(visual => visual.group))].sort((a, b) => a - b);
    this.groups.hidden = numbers.length < 2;
    this.groups.replaceChildren(...numbers.map(group => label(check(`Group ${group}`, !((this.picture.shown.hiddenGroups >>> group) & 1), on => {
      const bit = 1 << group;
      this.picture.shown.hiddenGroups = on ? this.picture.shown.hiddenGroups & ~bit : this.picture.shown.hiddenGroups | bit;
      this.picture.rebuild();
    }))));
  }

  status(status: Status): void {
    // A status that was under way when the reader switched a layer does not know of it yet.
    if (performance.now() < this.settled && (status.layers | 0) !== this.mask) return;
    this.mask = status.layers | 0;
    this.picture.setLayers(this.mask);
    for (const { bit, box } of this.boxes) box.checked = (this.mask & bit) !== 0;
  }

  nextCamera(): void {
    const count = this.picture.model?.cameras.length ?? 0;
    this.picture.useCamera(this.picture.camera + 1 >= count ? -1 : this.picture.camera + 1);
  }

  toggle(what: 'collision' | 'through'): void {
    const box = what === 'collision' ? this.collision : this.through;
    box.click();
  }

  toggleLayer(i: number): void {
    this.boxes[i]?.box.click();
  }
}

function check(name: string, on: boolean, change: (on: boolean) => void): HTMLInputElement {
  const box = h('input', { type: 'checkbox', checked: on, 'data-name': name }, { change: () => change(box.checked) });
  h('label', { class: 'check' }, {}, box, name);
  return box;
}

function label(box: HTMLInputElement): HTMLElement {
  return box.parentElement!;
}

export function field(name: string, input: HTMLElement): HTMLElement {
  return h('label', { class: 'field' }, {}, h('span', {}, {}, name), input);
}
