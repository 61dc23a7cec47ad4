// How the run is computed: keyframe, accuracy, method, law of contact.

import { h } from '../base/dom';
import type { Mode, Model, Status } from '../wire/messages';
import { fillSelect, fold, type Page, type Panel } from './panel';
import { field } from './view';

const accuracies = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

function shortPower(value: number): string {
  return value.toExponential().replace('-', '\u2212').replace('+', '');
}

// Shows what the server names, also where it is none of the choices (a method that the library chose).
function showName(select: HTMLSelectElement, name: string | null): void {
  if (!name || select.value === name || document.activeElement === select) return;
  if (![...select.options].some(option => option.value === name)) select.prepend(h('option', { value: name, disabled: true }, {}, name));
  select.value = name;
}

export class SettingsPanel implements Panel {
  readonly element: HTMLDetailsElement;
  private readonly accuracy = h('select', { 'aria-label': 'Accuracy' });
  private readonly method = h('select', { 'aria-label': 'Method' });
  private readonly contact = h('select', { 'aria-label': 'Contact' });
  private readonly keyframe = h('select', { 'aria-label': 'Keyframe' });
  private readonly companion = h('input', { type: 'checkbox' }, { change: () => this.page.send({ type: 'companion', on: this.companion.checked }) });
  private readonly fields: { select: HTMLSelectElement; row: HTMLElement }[];

  constructor(private readonly page: Page) {
    this.accuracy.addEventListener('change', () => page.send({ type: 'accuracy', value: Number(this.accuracy.value) }));
    this.method.addEventListener('change', () => page.send({ type: 'method', name: this.method.value }));
    this.contact.addEventListener('change', () => page.send({ type: 'contact', name: this.contact.value }));
    this.keyframe.addEventListener('change', () => {
      if (this.keyframe.value) page.send({ type: 'keyframe', name: this.keyframe.value });
      this.keyframe.value = '';
    });
    this.fields = [['Keyframe', this.keyframe], ['Accuracy', this.accuracy], ['Method', this.method], ['Contact', this.contact]]
      .map(([name, select]) => ({ select: select as HTMLSelectElement, row: field(name as string, select as HTMLElement) }));
    const companion = h('label', { class: 'check', title: 'A second run at a tenth of the accuracy tells how exact this one is, and costs time' }, {},
      this.companion, 'Companion run');
    this.element = fold('settings', 'Run', true, ...this.fields.map(({ row }) => row), companion);
  }

  open(model: Model): void {
    fillSelect(this.keyframe, [{ value: '', text: 'Go to\u2026' }, ...model.keyframes.map(name => ({ value: name, text: name }))], '');
    fillSelect(this.method, model.methods.map(name => ({ value: name, text: name })), '');
    fillSelect(this.contact, model.contacts.map(name => ({ value: name, text: name })), '');
    const counts = [model.keyframes.length, 1, model.methods.length, model.contacts.length];
    this.fields.forEach(({ row }, i) => (row.hidden = counts[i] === 0));
  }

  status(status: Status): void {
    const accuracy = status.accuracy ?? 0;
    if (document.activeElement !== this.accuracy && this.accuracy.value !== String(accuracy)) {
      const all = [...new Set([...accuracies, accuracy])].sort((a, b) => b - a);
      fillSelect(this.accuracy, all.map(x => ({ value: String(x), text: x > 0 ? shortPower(x) : 'none: equal steps' })), String(accuracy));
    }
    this.companion.checked = status.companion === true;
    showName(this.method, status.method);
    showName(this.contact, status.contact);
  }

  enable(steer: boolean, mode: Mode): void {
    this.element.hidden = mode !== 'live';
    for (const { select } of this.fields) select.disabled = !steer;
    this.companion.disabled = !steer;
  }
}
