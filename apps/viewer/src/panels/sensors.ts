// The present values of all measures, the model's sensors among them. A click on a name plots it.

import { h, setText } from '../base/dom';
import { formatSteady } from '../base/format';
import type { Model, Text } from '../wire/messages';
import { fold, setCount, type Page, type Panel } from './panel';

// A measure: its numbers are those of the series from `first` on.
interface Measure {
  name: string;
  first: number; // among the series
  at: number; // among the numbers of all measures
  n: number;
}

const MOST_ROWS = 60;
const GROUP = 'measures';

// The series "v[0]", "v[1]", "v[2]" are one measure, "v".
export function measuresOf(series: Model['series']): Measure[] {
  const measures: Measure[] = [];
  let at = 0;
  series.forEach(({ name, group }, i) => {
    if (group !== GROUP) return;
    const part = /^(.*)\[(\d+)\]$/.exec(name);
    const last = measures.at(-1);
    if (part && last && Number(part[2]) === last.n && part[1] === last.name) last.n++;
    else measures.push({ name: part && part[2] === '0' ? part[1]! : name, first: i, at, n: 1 });
    at++;
  });
  return measures;
}

export class SensorPanel implements Panel {
  readonly element: HTMLDetailsElement;
  private readonly search = h('input', { type: 'search', class: 'search', placeholder: 'Find a sensor', 'aria-label': 'Find a sensor' },
    { input: () => this.make() });
  private readonly list = h('dl', { class: 'lines sensors' });
  private readonly more = h('p', { class: 'muted' });
  private measures: Measure[] = [];
  private rows: { measure: Measure; output: HTMLElement }[] = [];
  private values: (number | null)[] = [];

  constructor(private readonly page: Page) {
    this.element = fold('sensors', 'Sensors', false, this.search, this.list, this.more);
    this.element.addEventListener('toggle', () => this.show());
  }

  open(model: Model): void {
    this.measures = measuresOf(model.series);
    this.values = [];
    this.element.hidden = this.measures.length === 0;
    this.search.value = '';
    this.search.hidden = this.measures.length < 9;
    setCount(this.element, String(this.measures.length));
    this.make();
  }

  text(text: Text): void {
    if (text.type !== 'values' || !text.measures) return;
    this.values = text.measures;
    this.show();
  }

  private make(): void {
    const wanted = this.search.value.trim().toLowerCase();
    const found = this.measures.filter(({ name }) => name.toLowerCase().includes(wanted));
    this.rows = found.slice(0, MOST_ROWS).map(measure => ({ measure, output: h('dd', { class: 'value' }) }));
    this.list.replaceChildren(...this.rows.flatMap(({ measure, output }) => [h('dt', {}, {},
      h('button', { type: 'button', class: 'link', title: `Plot ${measure.name}` }, { click: () => this.plot(measure) }, measure.name)), output]));
    setText(this.more, found.length > MOST_ROWS ? `${found.length - MOST_ROWS} more: search for their names.` : '');
    this.show();
  }

  private plot({ first, n }: Measure): void {
    this.page.plot(Array.from({ length: n }, (_, k) => first + k));
  }

  private show(): void {
    if (!this.element.open) return;
    for (const { measure: { at, n }, output } of this.rows) {
      const numbers = this.values.slice(at, at + n);
      setText(output, numbers.map(x => formatSteady(x)).join('  '));
    }
  }
}
