// The panel of keys.

import { h } from '../base/dom';

const keys: [string, string][] = [
  ['Space', 'run, pause'],
  ['\u2192', 'one step'],
  ['Shift + \u2192', 'ten steps'],
  ['\u2190 , Shift + \u2190', 'back in time, a little or more'],
  ['r', 'back to the start'],
  ['+ , \u2212', 'faster, slower'],
  ['Shift + r', 'record a trajectory'],
  ['f', 'all in view'],
  ['t', 'follow the selected body'],
  ['c', 'next camera'],
  ['x', 'see through'],
  ['g', 'collision shapes'],
  ['1 \u2026 9, 0', 'layers of marks'],
  ['u', 'pull mode'],
  ['p', 'plots'],
  ['b', 'panels'],
  ['d', 'dark or light'],
  ['Esc', 'nothing is selected'],
  ['Alt + arrows', 'turn the camera'],
  ['Page up, Page down', 'nearer, farther'],
  ['?', 'this help'],
];
const pointer: [string, string][] = [
  ['drag', 'turn the camera'],
  ['Shift + drag, right drag', 'shift the camera'],
  ['wheel, two fingers', 'nearer, farther'],
  ['click', 'select a body'],
  ['double click', 'centre'],
  ['Ctrl + drag', 'pull a body; while the run stands still, drag it'],
];

export function makeHelp(about: () => string): HTMLDialogElement {
  const table = (rows: [string, string][]) => h('dl', { class: 'keys' }, {},
    ...rows.flatMap(([key, what]) => [h('dt', {}, {}, h('kbd', {}, {}, key)), h('dd', {}, {}, what)]));
  const line = h('p', { class: 'muted' });
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Help' }, {
    click: event => {
      if (event.target === dialog) dialog.close();
    },
  }, h('form', { method: 'dialog' }, {}, h('div', { class: 'columns' }, {}, h('div', {}, {}, h('h2', {}, {}, 'Keys'), table(keys)),
    h('div', {}, {}, h('h2', {}, {}, 'Pointer'), table(pointer))), line,
    h('button', { type: 'submit', class: 'primary' }, {}, 'Close')));
  const show = dialog.showModal.bind(dialog);
  dialog.showModal = () => {
    line.textContent = about();
    show();
  };
  return dialog;
}
