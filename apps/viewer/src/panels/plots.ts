// Plots that scroll: one diagram for each unit, chosen by search. Values are shown beside the names.

import { h, iconButton, setText } from '../base/dom';
import { formatSteady, inTimeUnits, timeUnit } from '../base/format';
import { indexAt } from '../wire/interpolate';
import type { Frame } from '../wire/frame';
import type { Model, Series, Status, Text } from '../wire/messages';
import { readSetting, writeSetting } from '../base/settings';
import { Chart, colorOf } from './chart';
import { History } from './history';
import type { Page, Panel } from './panel';

const MOST = 64;
const OFFERED = 80;
const DRAW_EVERY_MS = 66;
const VALUES_EVERY_MS = 150;

function widthText(width: number): string {
  return width === 0 ? 'all' : width === 120 && timeUnit() === 's' ? '2 min' : `${width} ${timeUnit()}`;
}

export class PlotsPanel implements Panel {
  readonly element: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly offers = h('div', { class: 'offers', role: 'listbox', 'aria-label': 'Series', hidden: true });
  private readonly legend = h('ul', { class: 'legend' });
  private readonly charts = h('div', { class: 'charts' });
  private readonly hint = h('p', { class: 'muted' }, {}, 'Choose what to plot: coordinates, sensors, energy, step size \u2026');
  private readonly window = h('select', { 'aria-label': 'Width of the plots' }, { change: () => this.redraw() });
  private list: Series[] = [];
  private chosen: number[] = [];
  private made: Chart[] = [];
  private outputs: { series: number; output: HTMLOutputElement }[] = [];
  private histories: History[] = [];
  private runs: Model['runs'] = [];
  private drawn = 0;
  private shownValues = 0;
  private dirty = false;
  private stale = false; // the values beside the names
  private time = 0;
  private span: [number, number] = [0, 0];
  private active = -1;

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
    const wanted = (readSetting('plots') ?? '').split('\n').filter(Boolean);
    this.chosen = wanted.map(name => this.list.findIndex(series => series.name === name)).filter(i => i >= 0).slice(0, MOST);
    this.send();
    this.build();
  }

  private send(): void {
    this.page.send({ type: 'plots', series: this.chosen });
  }

  private store(): void {
    writeSetting('plots', this.chosen.map(i => this.list[i]!.name).join('\n'));
  }

  toggle(series: number): void {
    const at = this.chosen.indexOf(series);
    if (at >= 0) this.chosen.splice(at, 1);
    else if (this.chosen.length < MOST) this.chosen.push(series);
    else this.page.say(`At most ${MOST} series can be plotted at once.`, 'info');
    this.store();
    this.send();
    this.build();
  }

  // ---- choosing ----

  private offer(): void {
    const wanted = this.search.value.trim().toLowerCase().split(/\s+/);
    const found = this.list.map((series, i) => ({ series, i }))
      .filter(({ series }) => wanted.every(word => `${series.group} ${series.name}`.toLowerCase().includes(word)));
    let group = '';
    this.active = -1;
    const usable = found.filter(({ i }) => this.page.offers(i));
    this.offers.replaceChildren();
    for (const { series, i } of usable.slice(0, OFFERED)) {
      if (series.group !== group) this.offers.append(h('div', { class: 'offer-group' }, {}, (group = series.group)));
      const on = this.chosen.includes(i);
      this.offers.append(h('div', { class: 'offer', role: 'option', 'aria-selected': on, 'data-series': i, id: `offer${i}` }, {
        // Before the field loses the focus, which would hide the list.
        pointerdown: event => {
          event.preventDefault();
          this.take(i);
        },
      }, h('span', {}, {}, series.name), h('span', { class: 'unit' }, {}, series.unit)));
    }
    if (usable.length === 0) this.offers.append(h('div', { class: 'offer-group' }, {}, 'Nothing has this name.'));
    if (usable.length > OFFERED) this.offers.append(h('div', { class: 'offer-group' }, {}, `${usable.length - OFFERED} more: type on`));
    this.offers.hidden = false;
    this.search.setAttribute('aria-expanded', 'true');
  }

  // What was sought has been found: the next search begins anew.
  private take(series: number): void {
    this.toggle(series);
    this.search.value = '';
    this.offer();
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
      if (option) this.take(Number(option.dataset['series']));
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
    const units = new Map<string, number[]>();
    for (const i of this.chosen) {
      const unit = this.list[i]!.unit;
      const group = units.get(unit);
      if (group) group.push(i);
      else units.set(unit, [i]);
    }
    this.outputs = [];
    this.legend.replaceChildren();
    this.made = [];
    for (const [unit, members] of units) {
      const curves = members.flatMap(series => this.runs.map((run, r) => ({
        run: r, series, color: this.chosen.indexOf(series),
        name: this.runs.length > 1 ? `${this.list[series]!.name} (${run.name})` : this.list[series]!.name,
      })));
      this.made.push(new Chart(this.charts, unit, curves, time => this.page.send({ type: 'seek', time })));
      for (const series of members) this.addLegend(series);
    }
    for (const chart of this.made) chart.resize(); // each knows its room when all are there
    this.redraw();
  }

  private addLegend(series: number): void {
    const { name, unit } = this.list[series]!;
    const dot = h('span', { class: 'dot' });
    dot.style.background = colorOf(this.chosen.indexOf(series));
    const output = h('output', { class: 'value' });
    this.outputs.push({ series, output });
    this.legend.append(h('li', {}, {}, dot, h('span', { class: 'name', title: name }, {}, name), output,
      h('span', { class: 'unit' }, {}, unit), iconButton('close', `Remove ${name}`, '', () => this.toggle(series))));
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
    const recorded = this.page.recorded();
    const curve = (run: number, series: number) => (recorded ? this.page.curve(run, series) : this.histories[run]?.curve(series)) ?? null;
    const width = Number(this.window.value) / inTimeUnits(1);
    const whole: [number, number] | null = recorded ? this.span : null;
    for (const chart of this.made) chart.draw(curve, this.time, width, whole);
  }

  private showValues(now: number): void {
    this.stale = false;
    this.shownValues = now;
    for (const { series, output } of this.outputs) setText(output, formatSteady(this.histories[0]?.last(series) ?? this.valueAt(series)));
  }

  private valueAt(series: number): number | null {
    const curve = this.page.curve(0, series);
    return curve?.values[indexAt(curve.times, this.time)] ?? null;
  }
}
