// The texts of docs/wire.md, version 1, as types. Infinite numbers are null.

export const WIRE_VERSION = 1;

export type Mode = 'live' | 'replay' | 'shown';
export type Vector = [number, number, number];
export type Pose = [number, number, number, number, number, number, number];
export type Rgba = [number, number, number, number];
export type RunState = 'running' | 'paused' | 'failed' | 'ended';

export interface Hello {
  type: 'hello';
  wire: number;
  cardan: string;
  mode: Mode;
}

export interface Steer {
  type: 'steer';
  steer: boolean;
  pages: number;
}

export interface Body {
  name: string;
  parent: number;
  mass: number | null;
  com?: Vector; // centre of mass on the body
}

export type Shape = 'sphere' | 'capsule' | 'cylinder' | 'box' | 'ellipsoid' | 'plane' | 'mesh';

// Of a plane: rectangles in turn of two colours, or a gradient from the middle of each tile to its border.
export interface Pattern {
  kind: 'checker' | 'gradient';
  rgb: Vector; // the other colour
  tile: [number, number];
}

export interface Visual {
  name: string;
  body: number;
  shape: Shape;
  size: (number | null)[];
  mesh: number;
  pose: Pose;
  rgba: Rgba;
  pattern?: Pattern;
  texture?: number; // its colours are multiplied by rgba's
  place?: number[]; // of a plane: its places in the texture, two rows that multiply (x, y, z, 1)
  specular?: number; // 0.5, if it is not there
  shininess?: number; // likewise
  emission?: number; // 0, if it is not there
  reflectance?: number; // likewise
  group: number;
  collision: boolean;
  skeleton: boolean;
}

export interface Camera {
  name: string;
  body: number;
  pose: Pose;
  fovy: number;
  mode?: 'fixed' | 'track' | 'track-com' | 'target' | 'target-com';
  target: number;
}

export interface Light {
  body: number;
  position: Vector;
  direction: Vector;
  directional: boolean;
  rgb: Vector;
  cutoff?: number; // rad; on all sides, if it is not there
  exponent?: number;
  attenuation?: Vector;
  castshadow?: boolean;
}

// What is seen where nothing else is: a cube about the camera.
export interface Sky {
  mesh: number;
  texture: number;
}

export interface Quantity {
  name: string;
  unit: string;
  lower: number | null;
  upper: number | null;
  value: number | null;
  fixed: boolean;
}

export interface Coordinate extends Quantity {
  body: number;
}

export interface Element {
  element_type: string;
  element: number;
  name: string;
  kind: string;
}

export interface Series {
  name: string;
  unit: string;
  group: string;
}

export interface Layer {
  name: string;
  bit: number;
}

// What lengths, masses and energies are called where the page names them.
export interface Units {
  length: string;
  mass: string;
  energy: string;
}

// What a time is told in: so many of the State's seconds are one.
export interface TimeUnit {
  unit: string;
  seconds: number;
}

export interface Run {
  name: string;
  rgba: Rgba;
  from: number | null;
  to: number | null;
  rows: number | null;
}

export interface Model {
  type: 'model';
  name: string;
  source: string;
  center: Vector;
  radius: number;
  up: Vector;
  time?: TimeUnit; // seconds, if it is not there
  units?: Units; // those of the SI, if they are not there
  bodies: Body[];
  visuals: Visual[];
  sky?: Sky;
  cameras: Camera[];
  lights: Light[];
  coordinates: Coordinate[];
  controls: Quantity[];
  elements: Element[];
  series: Series[];
  keyframes: string[];
  methods: string[];
  contacts: string[];
  layers: Layer[];
  runs: Run[];
}

export interface Status {
  type: 'status';
  time: number | null;
  state: RunState;
  speed: number;
  reached: number | null;
  accuracy: number | null;
  method: string | null;
  contact: string | null;
  layers: number;
  plots: number[];
  step: number | null;
  steps: number | null;
  evaluations: number | null;
  energy: number | null;
  estimate: number | null;
  verdict: string | null;
  delivered?: boolean | null; // whether the run delivers its accuracy; null: unknown, or nothing has been run
  companion?: boolean | null; // whether one goes along; null: there is no run
  from: number | null;
  to: number | null;
  recording: string | null;
  note: string | null;
  offers?: string | null; // a preset that would be faster
}

export interface Line {
  label: string;
  value: string;
}

export interface Selected {
  type: 'selected';
  body: number;
  name: string;
  lines: Line[];
}

export interface Parameter {
  index: number;
  name: string;
  unit: string;
  value: number | null;
  lower: number | null;
  upper: number | null;
}

export interface Parameters {
  type: 'parameters';
  element_type: string;
  element: number;
  list: Parameter[];
}

export interface Event {
  type: 'event';
  time: number | null;
  kind: 'event' | 'warning' | 'error';
  text: string;
}

export interface Values {
  type: 'values';
  coordinates?: (number | null)[];
  controls?: (number | null)[];
  measures?: (number | null)[]; // of all of them, one after another
}

// Curves of a whole run, in a replay.
export interface Curves {
  type: 'curves';
  run: number;
  series: number[];
  times: (number | null)[];
  values: (number | null)[][];
}

export interface Reply {
  type: 'reply';
  to: number | null; // null: the request had no id
  error: string | null;
}

export interface Bye {
  type: 'bye';
  text: string;
}

export type Text = Hello | Steer | Model | Status | Selected | Parameters | Event | Values | Curves | Reply | Bye;

export type Request =
  | { type: 'run' | 'pause' | 'reset' | 'steer' | 'release' | 'drawn' }
  | { type: 'step'; n: number }
  | { type: 'speed' | 'accuracy'; value: number }
  | { type: 'method' | 'contact' | 'keyframe' | 'preset'; name: string }
  | { type: 'layers'; mask: number }
  | { type: 'select'; body: number | null }
  | { type: 'plots'; series: number[] }
  | { type: 'coordinate' | 'control'; index: number; value: number }
  | { type: 'parameters'; element_type: string; element: number }
  | { type: 'parameter'; element_type: string; element: number; index: number; value: number }
  | { type: 'perturb'; body: number; station: Vector; target: Vector }
  | { type: 'seek'; time: number }
  | { type: 'record' | 'companion'; on: boolean };

const listsOfModel = ['bodies', 'visuals', 'cameras', 'lights', 'coordinates', 'controls', 'elements', 'series', 'keyframes',
  'methods', 'contacts', 'layers', 'runs'] as const;

// A text as an object, or null for what is none. A model without some of its lists is read as if they were empty.
export function parseText(text: string): Text | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null || typeof (message as { type?: unknown }).type !== 'string') return null;
  const known = message as Text;
  if (known.type === 'model') {
    const lists = known as unknown as Record<string, unknown>;
    for (const name of listsOfModel) if (!Array.isArray(lists[name])) lists[name] = [];
  }
  if (known.type === 'curves' && ![known.series, known.times, known.values].every(Array.isArray)) return null;
  if (known.type === 'status' && !Array.isArray(known.plots)) known.plots = [];
  return known;
}
