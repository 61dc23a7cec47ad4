// Rows of a name, a slider, a value and its unit: for coordinates, controls and parameters. Of thousands only those are
// made that are looked for.

import { clear, h, setText } from '../base/dom';
import { formatNumber } from '../base/format';
import { latest } from './panel';

export interface Item {
  index: number;
  name: string;
  unit: string;
  lower: number | null;
  upper: number | null;
  value: number | null;
  fixed: boolean;
}

interface Row {
  item: Item;
  range: HTMLInputElement | null;
  number: HTMLInputElement;
  least: number;
  most: number;
  held: boolean; // the reader has it: what the server says does not move it
}

const MOST_ROWS = 60;
const STEPS = 1000;

// Ends of a slider. Where there is no limit, an angle has a turn and anything else a range about its value.
function endsOf(item: Item): [number, number] {
  const around = item.unit === 'rad' ? Math.PI : Math.max(2 * Math.abs(item.value ?? 0), 1);
  const lower = item.lower ?? (item.upper !== null ? item.upper - 2 * around : -around);
  const upper = item.upper ?? (item.lower !== null ? item.lower + 2 * around : around);
  return lower < upper ? [lower, upper] : [lower, lower + 1];
}

function limitsOf(item: Item): string {
  if (item.lower === null && item.upper === null) return 'no limits';
  return `${item.lower === null ? '\u2212\u221e' : formatNumber(item.lower)} \u2026 ${item.upper === null ? '\u221e' : formatNumber(item.upper)}`;
}

export class Sliders {
  readonly element = h('div', { class: 'sliders' });
  private readonly list = h('div', { class: 'rows' });
  private readonly search: HTMLInputElement;
  private readonly more = h('p', { class: 'muted' });
  private items: Item[] = [];
  private rows: Row[] = [];
  private enabled = true;

  constructor(private readonly what: string, private readonly change: (index: number, value: number) => void,
    private readonly ranged = true) {
    this.search = h('input', { type: 'search', placeholder: `Find ${what}`, 'aria-label': `Find ${what}`, class: 'search' },
      { input: () => this.make() });
    this.element.append(this.search, this.list, this.more);
  }

  set(items: Item[]): void {
    this.items = items;
    this.search.value = '';
    this.search.hidden = items.length < 9;
    this.make();
  }

  enable(on: boolean): void {
    this.enabled = on;
    for (const row of this.rows) this.enableRow(row);
  }

  private enableRow(row: Row): void {
    const off = !this.enabled || row.item.fixed;
    row.number.disabled = off;
    if (row.range) row.range.disabled = off;
  }

  private make(): void {
    const wanted = this.search.value.trim().toLowerCase();
    const found = wanted ? this.items.filter(item => item.name.toLowerCase().includes(wanted)) : this.items;
    clear(this.list);
    this.rows = found.slice(0, MOST_ROWS).map(item => this.makeRow(item));
    const hidden = found.length - this.rows.length;
    setText(this.more, this.items.length === 0 ? `This model has no ${this.what}.`
      : found.length === 0 ? 'Nothing has this name.'
      : hidden > 0 ? `${hidden} more: type a part of the name.` : '');
    this.more.hidden = this.more.textContent === '';
  }

  private makeRow(item: Item): Row {
    const [least, most] = endsOf(item);
    const label = `${item.name}${item.unit ? `, ${item.unit}` : ''}`;
    const tell = latest((value: number) => this.change(item.index, value));
    const number = h('input', { type: 'number', step: 'any', 'aria-label': label, title: limitsOf(item) });
    const range = this.ranged
      ? h('input', { type: 'range', min: 0, max: STEPS, step: 1, 'aria-label': `${label}: slider`, title: limitsOf(item) }) : null;
    const row: Row = { item, range, number, least, most, held: false };
    if (range) {
      const hold = (held: boolean) => () => {
        row.held = held;
      };
      range.addEventListener('pointerdown', hold(true));
      for (const end of ['pointerup', 'pointercancel', 'change', 'blur']) range.addEventListener(end, hold(false));
      range.addEventListener('input', () => {
        const value = row.least + ((row.most - row.least) * Number(range.value)) / STEPS;
        item.value = value;
        number.value = this.write(row, value);
        this.describe(row);
        tell(value);
      });
    }
    number.addEventListener('change', () => {
      const value = number.valueAsNumber;
      if (Number.isFinite(value)) {
        item.value = value;
        this.show(row, value, true);
        tell(value);
      } else {
        this.show(row, item.value, true);
      }
    });
    this.show(row, item.value, true);
    this.enableRow(row);
    this.list.append(h('div', { class: range ? 'row' : 'row plain' }, {},
      h('span', { class: 'name', title: item.fixed ? `${item.name}: fixed` : item.name }, {}, item.name), range, number,
      h('span', { class: 'unit' }, {}, item.unit)));
    return row;
  }

  // As many digits as the slider can tell apart, and some more.
  private write(row: Row, value: number): string {
    const digits = Math.min(Math.max(Math.ceil(4 - Math.log10(row.most - row.least)), 0), 15);
    return row.range ? String(Number(value.toFixed(digits))) : String(Number(value.toPrecision(6)));
  }

  private describe(row: Row): void {
    row.range?.setAttribute('aria-valuetext', `${formatNumber(row.item.value)} ${row.item.unit}`);
  }

  private show(row: Row, value: number | null, force = false): void {
    row.item.value = value;
    if (row.held && !force) return;
    if (document.activeElement !== row.number || force) {
      const text = value === null ? '' : this.write(row, value);
      if (row.number.value !== text) row.number.value = text;
    }
    if (!row.range || value === null) return;
    // A coordinate without limits may leave its slider: the slider grows.
    if (row.item.lower === null && value < row.least) row.least = value;
    if (row.item.upper === null && value > row.most) row.most = value;
    const at = String(Math.round((STEPS * (value - row.least)) / (row.most - row.least)));
    if (row.range.value !== at) row.range.value = at;
    this.describe(row);
  }

  values(values: (number | null)[]): void {
    for (const row of this.rows) {
      const value = values[row.item.index];
      if (value !== undefined) this.show(row, value);
    }
  }
}
