// Plays the data of the page as a server would: it answers requests about time, and refuses nothing silently.

import { units } from '../base/format';
import { readEmbedded, type Embedded } from './embedded';
import type { Frame } from './frame';
import type { Model, Request, Status } from './messages';
import { indexAt, interpolatePoses } from './interpolate';
import { curveOf, type Curve, type Listener, type Source } from './source';

interface Track {
  frames: Frame[];
  times: Float64Array;
  curves: (Curve | undefined)[]; // of what was plotted, by its place in a frame
  shown: Frame | null; // reused from picture to picture
}

const emptyStatus: Status = {
  type: 'status', time: 0, state: 'paused', speed: 1, reached: null, accuracy: null, method: null, contact: null, layers: -1,
  plots: [], step: null, steps: null, evaluations: null, energy: null, estimate: null, verdict: null, from: 0, to: 0,
  recording: null, note: null,
};

const STATUS_EVERY_MS = 100;

function trackOf(frames: Frame[]): Track {
  frames.sort((a, b) => a.time - b.time);
  return { frames, times: Float64Array.from(frames, frame => frame.time), curves: [], shown: null };
}

export class RecordedSource implements Source {
  private listener: Listener | null = null;
  private tracks: Track[] = [];
  private model: Model | null = null;
  private status: Status = { ...emptyStatus };
  private last = 0; // when the clock of the browser was read
  private told = 0; // when the status was sent
  private selected: number | null = null;

  constructor(private readonly base64: string) {}

  start(listener: Listener): void {
    this.listener = listener;
    readEmbedded(this.base64).then(data => this.open(data), (error: Error) => {
      listener.connection({ state: 'broken', text: `The data in this page cannot be read: ${error.message}.` });
    });
  }

  private open(data: Embedded): void {
    const listener = this.listener!;
    listener.connection({ state: 'open', text: '' });
    for (const text of data.texts) if (text.type === 'hello') listener.text({ ...text, mode: 'replay' });
    for (const texture of data.textures) listener.texture(texture);
    for (const mesh of data.meshes) listener.mesh(mesh);
    const byRun = new Map<number, Frame[]>();
    for (const frame of data.frames) {
      const list = byRun.get(frame.run);
      if (list) list.push(frame);
      else byRun.set(frame.run, [frame]);
    }
    for (const [run, frames] of byRun) this.tracks[run] = trackOf(frames);
    // The status comes last, and says which series there are: panels ask for that when they get the model.
    for (const text of data.texts) if (text.type === 'status') this.status = { ...this.status, ...text };
    for (const text of data.texts) {
      if (text.type === 'hello' || text.type === 'status') continue;
      if (text.type === 'model') this.model = text;
      listener.text(text);
    }
    const times = data.frames.map(frame => frame.time);
    const from = times.reduce((a, b) => Math.min(a, b), Infinity);
    const to = times.reduce((a, b) => Math.max(a, b), -Infinity);
    this.status = { ...this.status, state: 'paused', reached: null, from: times.length ? from : 0, to: times.length ? to : 0 };
    this.status.speed ||= 1;
    listener.text({ type: 'steer', steer: true, pages: 1 });
    this.seek(this.status.from!);
    requestAnimationFrame(now => this.tick(now));
  }

  private tick(now: number): void {
    const status = this.status;
    if (status.state === 'running') {
      const unit = this.model?.time?.seconds ?? 1;
      const time = status.time! + Math.min(now - this.last, 250) * 1e-3 * status.speed * unit;
      if (time >= status.to!) {
        status.state = 'ended';
        this.seek(status.to!);
      } else {
        this.show(time);
        if (now - this.told > STATUS_EVERY_MS) this.tell(now);
      }
    }
    this.last = now;
    requestAnimationFrame(next => this.tick(next));
  }

  private tell(now: number): void {
    this.told = now;
    this.listener!.text({ ...this.status, plots: [...this.status.plots] });
    if (this.selected !== null) this.tellSelected(this.selected);
    this.tellMeasures();
  }

  private seek(time: number): void {
    this.show(Math.min(Math.max(time, this.status.from!), this.status.to!));
    this.tell(performance.now());
  }

  private show(time: number): void {
    this.status.time = time;
    for (const track of this.tracks) {
      if (!track || track.frames.length === 0) continue;
      const i = indexAt(track.times, time);
      const a = track.frames[i]!;
      const b = track.frames[Math.min(i + 1, track.frames.length - 1)]!;
      const shown = (track.shown ??= { ...a, poses: new Float32Array(a.poses) });
      if (shown.poses.length !== a.poses.length) shown.poses = new Float32Array(a.poses);
      const span = b.time - a.time;
      const part = span > 0 ? Math.min(Math.max((time - a.time) / span, 0), 1) : 0;
      interpolatePoses(a.poses, b.poses, part, shown.poses);
      Object.assign(shown, { time, bodies: a.bodies, values: a.values, marks: a.marks, markInts: a.markInts, text: a.text });
      shown.markFloats = a.markFloats;
      this.listener!.frame(shown);
    }
  }

  curve(run: number, series: number): Curve | null {
    const track = this.tracks[run];
    const at = this.status.plots.indexOf(series);
    if (!track || at < 0) return null;
    return track.curves[at] ??= curveOf(track.times, Float64Array.from(track.frames, frame => frame.values[at] ?? NaN));
  }

  recorded(): boolean {
    return true;
  }

  offers(series: number): boolean {
    return this.status.plots.includes(series);
  }

  // Of the first run, as far as the frames have them.
  private tellMeasures(): void {
    const frame = this.tracks[0]?.shown;
    if (!frame || !this.model) return;
    const of = this.model.series.flatMap(({ group }, i) => (group === 'measures' ? [i] : []));
    const measures = of.map(i => frame.values[this.status.plots.indexOf(i)] ?? NaN).map(x => (Number.isFinite(x) ? x : null));
    this.listener!.text({ type: 'values', measures });
  }

  private tellSelected(body: number): void {
    const frame = this.tracks[0]?.shown;
    const about = this.model?.bodies[body];
    if (!frame || !about || body >= frame.bodies) return;
    const pose = frame.poses.subarray(7 * body, 7 * body + 7);
    const numbers = (from: number, n: number) => Array.from(pose.subarray(from, from + n), x => x.toPrecision(5)).join('  ');
    const parent = this.model!.bodies[about.parent];
    const lines = [{ label: 'mass', value: about.mass === null ? 'infinite' : `${Number(about.mass.toPrecision(6))} ${units().mass}` }];
    if (parent && body > 0) lines.push({ label: 'parent', value: parent.name });
    lines.push({ label: 'position (m)', value: numbers(0, 3) }, { label: 'quaternion', value: numbers(3, 4) });
    this.listener!.text({ type: 'selected', body, name: about.name, lines });
  }

  send(request: Request): void {
    const status = this.status;
    switch (request.type) {
      case 'run':
        if (status.time! >= status.to!) status.time = status.from;
        status.state = status.to! > status.from! ? 'running' : 'ended';
        break;
      case 'pause':
        status.state = 'paused';
        break;
      case 'reset':
        status.state = 'paused';
        this.seek(status.from!);
        return;
      case 'step': {
        status.state = 'paused';
        const times = this.tracks[0]?.times;
        if (!times) return;
        const i = indexAt(times, status.time!) + request.n;
        this.seek(times[Math.min(Math.max(i, 0), times.length - 1)]!);
        return;
      }
      case 'speed':
        if (request.value > 0) status.speed = request.value;
        else if (status.state === 'running') status.state = 'paused';
        break;
      case 'seek':
        if (status.state === 'ended') status.state = 'paused';
        this.seek(request.time);
        return;
      case 'layers':
        status.layers = request.mask;
        break;
      case 'select':
        this.selected = request.body;
        break;
      default:
        return;
    }
    this.tell(performance.now());
  }
}
