// Run, pause, step, reset, speed, the time line, recording.

import { h, iconButton, setIcon, setText } from '../base/dom';
import { formatSpeed, formatTime } from '../base/format';
import type { Frame } from '../wire/frame';
import type { Mode, Model, Status } from '../wire/messages';
import { fillSelect, latest, type Page, type Panel } from './panel';

const speeds = [0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100];
const TICKS = 10000;

export class Transport implements Panel {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly step: HTMLButtonElement;
  private readonly reset: HTMLButtonElement;
  private readonly speed = h('select', { 'aria-label': 'Speed', title: 'Speed (+ and \u2212)' });
  private readonly line = h('input', { type: 'range', min: 0, max: TICKS, step: 1, class: 'timeline', 'aria-label': 'Time' });
  private readonly time = h('output', { class: 'time', 'aria-label': 'Time shown' });
  private readonly last = h('span', { class: 'muted last' });
  private now: Status | null = null;
  private held = false;
  private steer = true;
  private mode: Mode = 'live';
  private shownTime = 0;

  constructor(private readonly page: Page) {
    this.reset = iconButton('reset', 'Back to the start', 'r', () => page.send({ type: 'reset' }));
    this.play = iconButton('play', 'Run', 'Space', () => this.toggle());
    this.step = iconButton('step', 'One step', '\u2192', () => page.send({ type: 'step', n: 1 }));
    this.record = iconButton('record', 'Record a trajectory', 'Shift+R', () => this.toggleRecord());
    this.record.classList.add('record');
    this.speed.addEventListener('change', () => page.send({ type: 'speed', value: Number(this.speed.value) }));
    const seek = latest((time: number) => page.send({ type: 'seek', time }));
    this.line.addEventListener('input', () => {
      this.held = true;
      const { from, to } = this.span();
      const time = from + ((to - from) * Number(this.line.value)) / TICKS;
      this.showTime(time);
      seek(time);
    });
    this.line.addEventListener('pointerdown', () => (this.held = true));
    for (const end of ['pointerup', 'pointercancel', 'change', 'blur']) this.line.addEventListener(end, () => (this.held = false));
    this.element = h('div', { class: 'transport', role: 'toolbar', 'aria-label': 'Run and time' }, {},
      h('div', { class: 'tools' }, {}, this.reset, this.play, this.step), this.speed,
      this.time, this.line, this.last, this.record);
  }

  private span(): { from: number; to: number } {
    const from = this.now?.from ?? 0;
    return { from, to: Math.max(this.now?.to ?? from, from) };
  }

  toggle(): void {
    this.page.send({ type: this.now?.state === 'running' ? 'pause' : 'run' });
  }

  toggleRecord(): void {
    if (this.mode === 'live') this.page.send({ type: 'record', on: !this.now?.recording });
  }

  // Goes through the listed speeds.
  changeSpeed(by: number): void {
    const speed = this.now?.speed ?? 1;
    const next = by > 0 ? speeds.find(s => s > speed * 1.001) : [...speeds].reverse().find(s => s < speed * 0.999);
    if (next === undefined) return;
    if (this.now) this.now.speed = next; // the next press goes on from here
    this.page.send({ type: 'speed', value: next });
  }

  seekBy(part: number): void {
    const { from, to } = this.span();
    this.page.send({ type: 'seek', time: Math.min(Math.max(this.shownTime + part * (to - from), from), to) });
  }

  open(_model: Model): void {
    this.now = null;
    this.speed.replaceChildren(); // their unit may be another
  }

  private showTime(time: number): void {
    this.shownTime = time;
    setText(this.time, formatTime(time));
    this.line.setAttribute('aria-valuetext', formatTime(time));
  }

  status(status: Status): void {
    this.now = status;
    const running = status.state === 'running';
    setIcon(this.play, running ? 'pause' : 'play');
    const name = running ? 'Pause' : 'Run';
    this.play.setAttribute('aria-label', name);
    this.play.title = `${name} (Space)`;
    const { from, to } = this.span();
    this.line.disabled = !this.steer || !(to > from);
    setText(this.last, formatTime(to));
    if (!this.held && status.time !== null) this.place(status.time);
    const recording = !!status.recording;
    this.record.classList.toggle('on', recording);
    this.record.setAttribute('aria-pressed', String(recording));
    this.record.title = recording ? `Stop recording ${status.recording}` : 'Record a trajectory (Shift+R)';
    if (document.activeElement !== this.speed || this.speed.value !== String(status.speed)) this.fillSpeeds(status.speed);
  }

  private fillSpeeds(speed: number): void {
    if (this.speed.value === String(speed)) return;
    const all = [...new Set([...speeds, speed])].filter(s => s > 0).sort((a, b) => a - b);
    const options = all.map(s => ({ value: String(s), text: formatSpeed(s) }));
    if (this.mode !== 'replay') options.push({ value: '0', text: formatSpeed(0) });
    fillSelect(this.speed, options, String(speed));
  }

  private place(time: number): void {
    const { from, to } = this.span();
    this.showTime(time);
    this.line.value = to > from ? String(Math.round((TICKS * (time - from)) / (to - from))) : '0';
  }

  frame(frame: Frame): void {
    if (frame.run !== 0 || this.held) return;
    if (this.now?.to !== null && this.now && this.mode === 'live' && frame.time > this.now.to) {
      this.now.to = frame.time; // the status will say so a little later
      setText(this.last, formatTime(frame.time));
    }
    this.place(frame.time);
  }

  enable(steer: boolean, mode: Mode): void {
    this.steer = steer;
    this.mode = mode;
    for (const input of [this.play, this.record, this.step, this.reset, this.speed, this.line]) input.disabled = !steer;
    this.record.hidden = mode !== 'live';
  }
}
