// Values that were plotted, of one run, in the order of time. The oldest half is dropped when it is full.

import type { Curve } from '../wire/source';

const MOST = 16384;

export class History {
  private readonly times = new Float64Array(MOST);
  private values: Float64Array[] = [];
  private count = 0;
  private series: number[] = [];
  private firsts: number[] = [];

  // Which series the values of the frames to come belong to. Those that were there keep their past.
  follow(series: number[]): void {
    if (series.length === this.series.length && series.every((s, i) => s === this.series[i])) return;
    this.values = series.map(s => {
      const before = this.series.indexOf(s);
      return before >= 0 ? this.values[before]! : new Float64Array(MOST).fill(NaN);
    });
    this.firsts = series.map(s => this.firsts[this.series.indexOf(s)] ?? NaN);
    this.series = [...series];
  }

  clear(): void {
    this.count = 0;
    this.firsts.fill(NaN);
  }

  add(time: number, values: Float64Array): void {
    if (values.length !== this.values.length) return; // asked for something else meanwhile
    if (this.count > 0 && time <= this.times[this.count - 1]!) {
      if (time === this.times[this.count - 1]) this.count--;
      else this.clear();
    }
    if (this.count === MOST) {
      const half = MOST / 2;
      this.times.copyWithin(0, half);
      for (const array of this.values) array.copyWithin(0, half);
      this.count = half;
    }
    this.times[this.count] = time;
    this.values.forEach((array, k) => {
      array[this.count] = values[k]!;
      if (Number.isNaN(this.firsts[k]!)) this.firsts[k] = values[k]!;
    });
    this.count++;
  }

  curve(series: number): Curve | null {
    const at = this.series.indexOf(series);
    return at < 0 ? null : { times: this.times.subarray(0, this.count), values: this.values[at]!.subarray(0, this.count), first: this.firsts[at]! };
  }

  last(series: number): number | null {
    const at = this.series.indexOf(series);
    return at < 0 || this.count === 0 ? null : this.values[at]![this.count - 1]!;
  }
}
