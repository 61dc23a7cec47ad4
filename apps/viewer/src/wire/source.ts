// Where the messages come from: a server, or the data in the page. Panels know only this.

import type { Frame, Mesh, Texture } from './frame';
import type { Request, Text } from './messages';

export interface Listener {
  frame(frame: Frame): void;
  mesh(mesh: Mesh): void;
  texture(texture: Texture): void;
  text(text: Text): void;
  connection(connection: Connection): void;
}

// 'lost': the source tries again by itself. 'ended': the server said that it ends; it may still come back.
export interface Connection {
  state: 'open' | 'connecting' | 'lost' | 'ended' | 'broken';
  text: string;
}

export interface Curve {
  times: Float64Array;
  values: Float64Array;
  first: number; // the earliest value that is known, though its row may be forgotten
}

export function curveOf(times: Float64Array, values: Float64Array): Curve {
  return { times, values, first: values[0] ?? NaN };
}

export interface Source {
  start(listener: Listener): void;
  send(request: Request): void;
  // The whole curve of a series, where the source has it.
  curve(run: number, series: number): Curve | null;
  // Whether the run is over, so that curves are whole.
  recorded(): boolean;
  // Whether a series can be had.
  offers(series: number): boolean;
}
