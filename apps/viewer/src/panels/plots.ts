// Plots that scroll, chosen by search: one diagram for the series of each unit, one for each expression of series. Values are shown beside the names.

import { h, iconButton, setText } from '../base/dom';
import { ExpressionError, Names, readExpression, seriesAlone, type Expression } from '../base/expression';
import { formatSteady, inTimeUnits, timeUnit } from '../base/format';
import { indexAt } from '../wire/interpolate';
import type { Frame } from '../wire/frame';
import type { Model, Series, Status, Text } from '../wire/messages';
import { curveOf, type Curve } from '../wire/source';
import { readSetting, writeSetting } from '../base/settings';
import { Chart, colorOf } from './chart';
import { History } from './history';
import type { Page, Panel } from './panel';

const MOST = 64;
const OFFERED = 80;
const DRAW_EVERY_MS = 66;
const VALUES_EVERY_MS = 150;

interface Plot {
  name: string;
  unit: string;
  expression: Expression;
}

function widthText(width: number): string {
  return width === 0 ? 'all' : width === 120 && timeUnit() === 's' ? '2 min' : `${width} ${timeUnit()}`;
}

export class PlotsPanel implements Panel {
  readonly element: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly offers = h('div', { class: 'offers', role: 'listbox', 'aria-label': 'Series', hidden: true });
  private readonly legend = h('ul', { class: 'legend' });
  private readonly charts = h('div', { class: 'charts' });
  private readonly hint = h('p', { class: 'muted' }, {}, 'Choose what to plot: coordinates, sensors, energy, step size \u2026 Or type what to compute of them: deg(hip.q), energy - first(energy).');
  private readonly window = h('select', { 'aria-label': 'Width of the plots' }, { change: () => this.redraw() });
  private list: Series[] = [];
  private names = new Names([], () => false);
  private chosen: Plot[] = [];
  private made: Chart[] = [];
  private outputs: { plot: Plot; output: HTMLOutputElement }[] = [];
  private histories: History[] = [];
  private runs: Model['runs'] = [];
  private drawn = 0;
  private shownValues = 0;
  private dirty = false;
  private stale = false; // the values beside the names
  private time = 0;
  private span: [number, number] = [0, 0];
  private active = -1;
  private readonly taking = new WeakMap<HTMLElement, () => void>(); // what happens when an offer is taken

  constructor(private readonly page: Page, close: () => void) {
    this.search = h('input', {
      type: 'search', class: 'search', placeholder: 'Plot \u2026', role: 'combobox', 'aria-expanded': 'false',
      'aria-label': 'Find a series to plot', 'aria-controls': 'plot-offers', autocomplete: 'off',
    }, {
      input: () => this.offer(),
      focus: () => this.offer(),
      blur: () => this.hideOffers(),
      keydown: event => this.key(event),
    });
    this.offers.id = 'plot-offers';
    for (const width of [2, 5, 10, 30, 120, 0]) this.window.append(h('option', { value: String(width) }, {}, widthText(width)));
    this.window.value = '10';
    const side = h('div', { class: 'plot-side' }, {},
      h('div', { class: 'line' }, {}, this.search, this.window, iconButton('close', 'Close the plots', 'p', close)),
      this.offers, this.hint, this.legend);
    this.element = h('section', { class: 'plots', 'aria-label': 'Plots' }, {}, side, this.charts);
    new ResizeObserver(() => {
      for (const chart of this.made) chart.resize();
    }).observe(this.charts);
    requestAnimationFrame(now => this.tick(now));
  }

  open(model: Model): void {
    this.list = model.series;
    this.runs = model.runs;
    this.histories = model.runs.map(() => new History());
    for (const option of this.window.options) option.text = widthText(Number(option.value));
    if (this.page.recorded()) this.window.value = '0';
    this.names = new Names(this.list, i => this.page.offers(i));
    const wanted = (readSetting('plots') ?? '').split('\n').filter(Boolean);
    this.chosen = wanted.map(text => this.plotOf(text)).filter(plot => plot !== null).slice(0, MOST);
    while (this.inputs().length > MOST) this.chosen.pop();
    this.send();
    this.build();
  }

  // The series or the expression of this text, or null: this model has no such thing.
  private plotOf(text: string): Plot | null {
    const series = this.list.findIndex(({ name }) => name === text);
    if (series >= 0) return { ...this.list[series]!, expression: seriesAlone(series) };
    try {
      return { name: text, unit: '', expression: readExpression(text, this.names) };
    } catch {
      return null;
    }
  }

  private inputs(): number[] {
    return [...new Set(this.chosen.flatMap(({ expression }) => expression.series))];
  }

  private send(): void {
    this.page.send({ type: 'plots', series: this.inputs() });
  }

  private toggle(plot: Plot): void {
    const at = this.chosen.findIndex(({ name }) => name === plot.name);
    if (at >= 0) this.chosen.splice(at, 1);
    else this.chosen.push(plot);
    if (this.inputs().length > MOST) {
      this.chosen.pop();
      this.page.say(`At most ${MOST} series can be plotted at once.`, 'info');
    }
    writeSetting('plots', this.chosen.map(({ name }) => name).join('\n'));
    this.send();
    this.build();
  }

  // Adds series by their numbers; those that are plotted stay.
  add(series: number[]): void {
    const isNew = (name: string) => !this.chosen.some(plot => plot.name === name);
    for (const number of series) {
      const { name } = this.list[number] ?? {};
      if (name !== undefined && isNew(name) && this.page.offers(number)) this.toggle(this.plotOf(name)!);
    }
  }

  // ---- choosing ----

  private offer(): void {
    const text = this.search.value.trim();
    this.active = -1;
    this.offers.replaceChildren();
    const read = this.readTyped(text);
    if (read instanceof ExpressionError) {
      const found = this.listSeries(text, '');
      if (found === 0) this.explain(text, read);
    } else {
      if (read) this.addOffer(read, 'compute', () => this.take(read));
      this.listSeries(text, '');
    }
    this.offers.hidden = false;
    this.search.setAttribute('aria-expanded', 'true');
  }

  // What was typed as an expression, where it is more than a name.
  private readTyped(text: string): Plot | ExpressionError | null {
    if (text === '') return null;
    try {
      const expression = readExpression(text, this.names);
      return expression.isName ? null : { name: text, unit: '', expression };
    } catch (error) {
      if (error instanceof ExpressionError) return error;
      throw error;
    }
  }

  // Series that have these words in their names; one that is chosen is put behind `before`, where the text has more.
  private listSeries(words: string, before: string): number {
    const wanted = words.toLowerCase().split(/\s+/);
    const usable = this.list.map((series, i) => ({ series, i }))
      .filter(({ series, i }) => wanted.every(word => `${series.group} ${series.name}`.toLowerCase().includes(word)) && this.page.offers(i));
    usable.sort((a, b) => Number(b.series.name === words) - Number(a.series.name === words)); // the whole name first
    let group = '';
    for (const { series, i } of usable.slice(0, OFFERED)) {
      if (series.group !== group) this.note((group = series.group));
      const plot = { ...series, expression: seriesAlone(i) };
      this.addOffer(plot, series.unit, () => (before === '' ? this.take(plot) : this.complete(before + series.name)));
    }
    if (usable.length > OFFERED) this.note(`${usable.length - OFFERED} more: type on`);
    return usable.length;
  }

  private note(text: string): void {
    this.offers.append(h('div', { class: 'offer-group' }, {}, text));
  }

  private addOffer(plot: Plot, remark: string, take: () => void): void {
    const on = this.chosen.some(({ name }) => name === plot.name);
    const option = h('div', { class: 'offer', role: 'option', 'aria-selected': on, id: `offer${this.offers.childElementCount}` }, {
      // Before the field loses the focus, which would hide the list.
      pointerdown: event => {
        event.preventDefault();
        take();
      },
    }, h('span', {}, {}, plot.name), h('span', { class: 'unit' }, {}, remark));
    this.taking.set(option, take);
    this.offers.append(option);
  }

  // Where the text is wrong and why, and names that its last word may become.
  private explain(text: string, { message, at, length }: ExpressionError): void {
    const end = Math.min(at + length, text.length), place = text.slice(at, end) || '\u2423';
    this.offers.append(h('div', { class: 'offer-error', role: 'alert' }, {},
      h('p', { class: 'typed' }, {}, text.slice(0, at), h('mark', {}, {}, place), text.slice(end)), h('p', {}, {}, message)));
    const last = /[^\s+\-*/^(),]+$/.exec(text)?.[0];
    if (last && last !== text) this.listSeries(last, text.slice(0, text.length - last.length));
  }

  private complete(text: string): void {
    this.search.value = text;
    this.offer();
  }

  // What was sought has been found: the next search begins anew.
  private take(plot: Plot): void {
    this.toggle(plot);
    this.complete('');
  }

  private hideOffers(): void {
    this.offers.hidden = true;
    this.search.setAttribute('aria-expanded', 'false');
  }

  private key(event: KeyboardEvent): void {
    const options = [...this.offers.querySelectorAll<HTMLElement>('.offer')];
    if (event.key === 'Escape') {
      this.search.value = '';
      this.search.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      this.active = Math.min(Math.max(this.active + (event.key === 'ArrowDown' ? 1 : -1), 0), options.length - 1);
    } else if (event.key === 'Enter') {
      const option = options[Math.max(this.active, 0)];
      if (option) this.taking.get(option)?.();
    } else {
      return;
    }
    event.preventDefault();
    const now = [...this.offers.querySelectorAll<HTMLElement>('.offer')];
    now.forEach((option, i) => option.classList.toggle('active', i === this.active));
    const active = now[this.active];
    active?.scrollIntoView({ block: 'nearest' });
    if (active) this.search.setAttribute('aria-activedescendant', active.id);
  }

  // ---- drawing ----

  private build(): void {
    for (const chart of this.made) chart.destroy();
    this.charts.replaceChildren();
    this.hint.hidden = this.chosen.length > 0;
    const diagrams = new Map<string, Plot[]>();
    for (const plot of this.chosen) {
      const title = plot.expression.isName ? plot.unit || '1' : plot.name;
      const group = diagrams.get(title);
      if (group) group.push(plot);
      else diagrams.set(title, [plot]);
    }
    this.outputs = [];
    this.legend.replaceChildren();
    this.made = [];
    for (const [title, members] of diagrams) {
      const curves = members.flatMap(plot => this.runs.map((run, r) => ({
        run: r, plot: this.chosen.indexOf(plot), color: this.chosen.indexOf(plot),
        name: this.runs.length > 1 ? `${plot.name} (${run.name})` : plot.name,
      })));
      this.made.push(new Chart(this.charts, title, curves, time => this.page.send({ type: 'seek', time })));
      for (const plot of members) this.addLegend(plot);
    }
    for (const chart of this.made) chart.resize(); // each knows its room when all are there
    this.redraw();
  }

  private addLegend(plot: Plot): void {
    const { name, unit } = plot;
    const dot = h('span', { class: 'dot' });
    dot.style.background = colorOf(this.chosen.indexOf(plot));
    const output = h('output', { class: 'value' });
    this.outputs.push({ plot, output });
    this.legend.append(h('li', {}, {}, dot, h('span', { class: 'name', title: name }, {}, name), output,
      h('span', { class: 'unit' }, {}, unit), iconButton('close', `Remove ${name}`, '', () => this.toggle(plot))));
  }

  text(text: Text): void {
    if (text.type === 'curves') this.redraw();
  }

  status(status: Status): void {
    this.span = [status.from ?? 0, status.to ?? 0];
    for (const history of this.histories) history.follow(status.plots);
  }

  frame(frame: Frame): void {
    if (frame.run === 0) this.time = frame.time;
    const history = this.histories[frame.run];
    if (history) {
      if (frame.jumped) history.clear();
      history.add(frame.time, frame.values);
    }
    this.dirty = this.stale = true;
  }

  redraw(): void {
    this.dirty = this.stale = true;
    this.drawn = 0;
  }

  recolor(): void {
    this.build();
  }

  private tick(now: number): void {
    requestAnimationFrame(next => this.tick(next));
    if (this.element.hidden || this.made.length === 0) return;
    if (this.dirty && now - this.drawn >= DRAW_EVERY_MS) this.draw(now);
    if (this.stale && now - this.shownValues >= VALUES_EVERY_MS) this.showValues(now);
  }

  private draw(now: number): void {
    this.dirty = false;
    this.drawn = now;
    const width = Number(this.window.value) / inTimeUnits(1);
    const whole: [number, number] | null = this.page.recorded() ? this.span : null;
    for (const chart of this.made) chart.draw((run, plot) => this.curve(run, plot), this.time, width, whole);
  }

  // Of a plot that was chosen, in a run, as far as it is known.
  curve(run: number, plot: number): Curve | null {
    return this.chosen[plot]?.expression.curve(series => this.known(run, series)) ?? null;
  }

  private known(run: number, series: number): Curve | null {
    return (this.page.recorded() ? this.page.curve(run, series) : this.histories[run]?.curve(series)) ?? null;
  }

  private showValues(now: number): void {
    this.stale = false;
    this.shownValues = now;
    for (const { plot, output } of this.outputs) setText(output, formatSteady(plot.expression.curve(series => this.present(series))?.values[0]));
  }

  // The value at the time that is shown, as a curve of one row.
  private present(series: number): Curve {
    const whole = this.known(0, series);
    const value = this.histories[0]?.last(series) ?? whole?.values[indexAt(whole.times, this.time)] ?? NaN;
    return { ...curveOf(Float64Array.of(this.time), Float64Array.of(value)), ...(whole ? { first: whole.first } : {}) };
  }
}
