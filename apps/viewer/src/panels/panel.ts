// What a panel may ask of the page, and what the page tells its panels. A panel has those of the calls that it needs.

import { h } from '../base/dom';
import { readSetting, writeSetting } from '../base/settings';
import type { Frame } from '../wire/frame';
import type { Hello, Mode, Model, Request, Status, Text } from '../wire/messages';
import type { Curve } from '../wire/source';

export interface Page {
  send(request: Request): void;
  select(body: number | null): void;
  curve(run: number, series: number): Curve | null;
  recorded(): boolean; // the run is over: its curves are whole
  offers(series: number): boolean; // whether it can be plotted
  plot(series: number[]): void; // adds them to what is plotted
  say(text: string, kind: 'info' | 'error'): void;
}

export interface Panel {
  open?(model: Model, hello: Hello): void;
  status?(status: Status): void;
  text?(text: Text): void;
  frame?(frame: Frame): void;
  enable?(steer: boolean, mode: Mode): void; // whether requests will be heard
  recolor?(): void;
}

// A part of the side that folds; whether it is open lasts from visit to visit.
export function fold(name: string, title: string, open: boolean, ...content: HTMLElement[]): HTMLDetailsElement {
  const stored = readSetting(`fold.${name}`);
  const body = h('div', { class: 'fold-body' }, {}, ...content);
  const element = h('details', { class: 'fold', 'data-fold': name, open: stored === null ? open : stored === 'open' }, {},
    h('summary', {}, {}, h('span', {}, {}, title), h('span', { class: 'count' })), body);
  element.addEventListener('toggle', () => writeSetting(`fold.${name}`, element.open ? 'open' : 'closed'));
  return element;
}

export function setCount(element: HTMLDetailsElement, text: string): void {
  element.querySelector('.count')!.textContent = text;
}

// Tells at most once a picture, with the newest of what was said.
export function latest<T>(tell: (value: T) => void): (value: T) => void {
  let waiting = false, newest: T;
  return value => {
    newest = value;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      tell(newest);
    });
  };
}

export function fillSelect(select: HTMLSelectElement, options: { value: string; text: string }[], chosen: string): void {
  select.replaceChildren(...options.map(({ value, text }) => h('option', { value, selected: value === chosen }, {}, text)));
  select.value = chosen;
}
