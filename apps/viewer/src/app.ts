// The page as a whole: hands messages to picture and panels, and requests to the source.

import { add, h, iconButton, setText } from './base/dom';
import { onTheme, toggleTheme } from './base/theme';
import { formatNumber, setTimeUnit, setUnits } from './base/format';
import { readSetting, writeSetting } from './base/settings';
import { EventsPanel } from './panels/events';
import { makeHelp } from './panels/help';
import type { Page, Panel } from './panels/panel';
import { PlotsPanel } from './panels/plots';
import { CoordinatePanel, ParameterPanel } from './panels/quantities';
import { SelectionPanel } from './panels/selection';
import { SensorPanel } from './panels/sensors';
import { SettingsPanel } from './panels/settings';
import { StatusLine } from './panels/statusline';
import { Transport } from './panels/transport';
import { ViewPanel } from './panels/view';
import { Mouse } from './scene/mouse';
import { Picture } from './scene/picture';
import type { Frame, Mesh, Texture } from './wire/frame';
import { WIRE_VERSION, type Hello, type Model, type Request, type Status, type Steer, type Text } from './wire/messages';
import type { Connection, Curve, Listener, Source } from './wire/source';

const TOAST_MS = 6000;

export class App implements Listener, Page {
  readonly picture: Picture;
  readonly transport: Transport;
  readonly view: ViewPanel;
  readonly plots: PlotsPanel;
  readonly mouse: Mouse;
  readonly help: HTMLDialogElement;
  hello: Hello | null = null;
  model: Model | null = null;
  status: Status | null = null;
  steer: Steer = { type: 'steer', steer: true, pages: 1 };
  linked: Connection['state'] = 'connecting';
  framesReceived = 0;
  private readonly selection: SelectionPanel;
  private readonly events: EventsPanel;
  private readonly panels: Panel[];
  private readonly root = h('div', { id: 'app' });
  private readonly title = h('h1', {}, {}, 'Cardan');
  private readonly sourceName = h('span', { class: 'source' });
  private readonly banner = h('div', { class: 'banner', role: 'alert', hidden: true });
  private readonly gone = h('div', { class: 'gone', hidden: true });
  private readonly badge: HTMLButtonElement;
  private readonly watch: HTMLElement;
  private missing: string[] = []; // what of the model is not simulated, or not shown
  private drawn = false; // the server knows that the model has been drawn
  private readonly toasts = h('div', { class: 'toasts', role: 'log', 'aria-live': 'polite' });
  private readonly pullButton: HTMLButtonElement;
  private readonly plotsButton: HTMLButtonElement;
  private readonly panelsButton: HTMLButtonElement;
  private readonly stageBox = h('section', { class: 'stage', 'aria-label': 'Picture' });
  private readonly aside = h('aside', { class: 'panels', 'aria-label': 'Panels' });

  constructor(private readonly source: Source) {
    document.body.append(this.root);
    this.picture = new Picture(this.stageBox);
    this.picture.stage.canvas.setAttribute('aria-label', 'Picture of the model. Drag to turn, click to select.');
    this.picture.stage.canvas.setAttribute('role', 'img');
    this.mouse = new Mouse(this.picture, {
      select: body => this.select(body),
      canPull: () => this.canPull(),
      send: request => this.send(request),
    });
    this.transport = new Transport(this);
    this.view = new ViewPanel(this, this.picture);
    this.selection = new SelectionPanel(this, this.picture);
    this.events = new EventsPanel(this);
    this.plots = new PlotsPanel(this, () => this.togglePlots());
    const settings = new SettingsPanel(this);
    const coordinates = new CoordinatePanel(this, 'coordinates'), controls = new CoordinatePanel(this, 'controls');
    const parameters = new ParameterPanel(this), sensors = new SensorPanel(this);
    const line = new StatusLine(this);
    this.panels = [this.transport, this.view, this.selection, this.events, this.plots, settings, coordinates, controls, sensors, parameters, line];
    this.help = makeHelp(() => `Cardan ${this.hello?.cardan ?? ''}`);
    this.watch = h('span', { class: 'watch', hidden: true }, {}, 'Another page steers',
      h('button', { type: 'button' }, { click: () => this.source.send({ type: 'steer' }) }, 'Steer here'));
    this.badge = h('button', { type: 'button', class: 'badge', hidden: true }, { click: () => this.showEvents() }, 'Warnings');
    this.picture.onGone = (distance, below) => this.showGone(distance, below);
    this.pullButton = iconButton('hand', 'Pull mode: drag bodies', 'u', () => this.togglePull());
    this.pullButton.setAttribute('aria-pressed', 'false');
    this.plotsButton = iconButton('plots', 'Plots', 'p', () => this.togglePlots());
    this.panelsButton = iconButton('panels', 'Panels', 'b', () => this.togglePanels());
    add(this.aside, this.selection.element, settings.element, coordinates.element, controls.element, sensors.element, parameters.element,
      this.view.element, this.events.element);
    add(this.stageBox, h('div', { class: 'stage-tools', role: 'toolbar', 'aria-label': 'Picture' }, {}, this.pullButton,
      iconButton('fit', 'All in view', 'f', () => this.picture.home())), this.banner, this.gone, this.toasts);
    add(this.root,
      h('header', {}, {}, this.title, this.sourceName, this.badge, this.watch, h('span', { class: 'space' }), this.plotsButton, this.panelsButton,
        iconButton('moon', 'Dark or light', 'd', toggleTheme), iconButton('help', 'Help', '?', () => this.toggleHelp())),
      h('main', {}, {}, h('div', { class: 'left' }, {}, this.stageBox, this.plots.element), this.aside),
      this.transport.element, line.element, this.help);
    this.showPlots(readSetting('plots.open') === 'open');
    const narrow = window.matchMedia('(max-width: 720px)').matches;
    this.showPanels(!narrow && readSetting('panels.open') !== 'closed');
    onTheme(() => {
      this.picture.recolor();
      for (const panel of this.panels) panel.recolor?.();
    });
    this.enable();
    source.start(this);
  }

  // ---- what the panels ask for ----

  send(request: Request): void {
    this.source.send(request);
  }

  select(body: number | null): void {
    if (body === this.picture.selected) return;
    this.picture.select(body);
    this.selection.show();
    this.send({ type: 'select', body });
  }

  curve(run: number, series: number): Curve | null {
    return this.source.curve(run, series);
  }

  recorded(): boolean {
    return this.source.recorded();
  }

  offers(series: number): boolean {
    return this.source.offers(series);
  }

  plot(series: number[]): void {
    this.showPlots(true);
    this.plots.add(series);
  }

  say(text: string, kind: 'info' | 'error'): void {
    const toast = h('div', { class: `toast ${kind}` }, {}, text);
    this.toasts.append(toast);
    while (this.toasts.childElementCount > 4) this.toasts.firstElementChild!.remove();
    setTimeout(() => toast.remove(), TOAST_MS);
  }

  // ---- what the source tells ----

  frame(frame: Frame): void {
    this.framesReceived++;
    this.picture.frame(frame);
    if (!this.drawn) this.tellDrawn();
    for (const panel of this.panels) panel.frame?.(frame);
  }

  mesh(mesh: Mesh): void {
    this.picture.addMesh(mesh);
  }

  texture(texture: Texture): void {
    this.picture.addTexture(texture);
  }

  text(text: Text): void {
    switch (text.type) {
      case 'hello':
        this.hello = text;
        this.picture.clear();
        if (text.wire !== WIRE_VERSION) {
          this.connection({ state: 'broken', text: `The server speaks version ${text.wire} of the messages, and this page ${WIRE_VERSION}. Load the page anew.` });
        }
        break;
      case 'steer':
        this.steer = text;
        this.enable();
        break;
      case 'model':
        this.open(text);
        break;
      case 'status':
        this.status = text;
        for (const panel of this.panels) panel.status?.(text);
        break;
      case 'reply':
        if (text.error) this.say(text.error, 'error');
        break;
      case 'event':
        if (text.kind === 'error') this.say(text.text, 'error');
        if (text.kind === 'warning') this.addMissing(text.text);
        break;
      default:
    }
    for (const panel of this.panels) panel.text?.(text);
  }

  // The run begins when somebody sees it: after the picture of the first frame.
  private tellDrawn(): void {
    this.drawn = true;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (this.hello?.mode === 'live') this.send({ type: 'drawn' });
    }));
  }

  // Beside the name, where everybody sees it.
  private addMissing(text: string): void {
    const isLack = (what: string, of: string) => what.startsWith(`not ${of}`) || what.includes(`: not ${of}: `);
    // What is not seen comes first: the eye does not find it.
    if (isLack(text, 'shown')) this.missing.unshift(text);
    else this.missing.push(text);
    const n = this.missing.length, lacks = ['shown', 'simulated'].filter(of => this.missing.some(what => isLack(what, of)));
    setText(this.badge, lacks.length > 0 ? `Not all of it is ${lacks.join(' or ')}` : n === 1 ? '1 warning' : `${n} warnings`);
    this.badge.title = this.missing.slice(0, 12).join('\n') + (n > 12 ? `\n\u2026 and ${n - 12} more` : '');
    this.badge.hidden = false;
  }

  private showEvents(): void {
    this.showPanels(true);
    this.events.element.open = true;
    this.events.element.scrollIntoView({ block: 'nearest' });
  }

  private showGone(distance: number, below: boolean): void {
    this.gone.hidden = distance === 0;
    if (distance > 0) setText(this.gone, `The model is ${formatNumber(distance, 3)} m ${below ? 'below' : 'away from'} where it began`);
  }

  private open(model: Model): void {
    this.model = model;
    this.status = null;
    this.missing = [];
    this.badge.hidden = true;
    this.drawn = false;
    setTimeUnit(model.time?.unit ?? 's', model.time?.seconds ?? 1);
    setUnits(model.units);
    document.title = model.name ? `${model.name} \u2013 Cardan` : 'Cardan';
    setText(this.title, model.name || 'Cardan');
    setText(this.sourceName, model.source ?? '');
    this.sourceName.title = model.source ?? '';
    this.picture.open(model);
    for (const panel of this.panels) panel.open?.(model, this.hello!);
    if (this.picture.selected !== null) this.send({ type: 'select', body: this.picture.selected });
    this.enable();
  }

  connection({ state, text }: Connection): void {
    this.linked = state;
    this.root.dataset['connection'] = state;
    const texts = { lost: `${text} Trying again each second.`, ended: `${text} The page goes on when the server comes back.`, broken: text } as const;
    const words = state === 'lost' || state === 'ended' || state === 'broken' ? texts[state] : '';
    setText(this.banner, words);
    this.banner.hidden = words === '';
    this.enable();
  }

  private canPull(): boolean {
    return this.steer.steer && this.hello?.mode !== 'replay' && this.linked === 'open';
  }

  private enable(): void {
    const mode = this.hello?.mode ?? 'live';
    const steers = this.steer.steer && this.linked === 'open';
    for (const panel of this.panels) panel.enable?.(steers, mode);
    this.watch.hidden = this.steer.steer || this.linked !== 'open';
    this.pullButton.hidden = mode === 'replay';
    this.pullButton.disabled = !steers;
  }

  // ---- what the reader switches ----

  togglePull(): void {
    this.mouse.pullMode = !this.mouse.pullMode;
    this.pullButton.setAttribute('aria-pressed', String(this.mouse.pullMode));
    this.stageBox.classList.toggle('pulls', this.mouse.pullMode);
  }

  togglePlots(): void {
    this.showPlots(this.plots.element.hidden);
    writeSetting('plots.open', this.plots.element.hidden ? 'closed' : 'open');
  }

  private showPlots(on: boolean): void {
    this.plots.element.hidden = !on;
    this.plotsButton.setAttribute('aria-pressed', String(on));
    if (on) this.plots.redraw();
  }

  togglePanels(): void {
    this.showPanels(this.aside.hidden);
    writeSetting('panels.open', this.aside.hidden ? 'closed' : 'open');
  }

  private showPanels(on: boolean): void {
    this.aside.hidden = !on;
    this.panelsButton.setAttribute('aria-pressed', String(on));
  }

  toggleHelp(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }
}
