// One diagram, drawn by uPlot: curves of one unit, or of one expression, over time, and a line at the time that is shown.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { cssColor, isDark } from '../base/theme';
import { formatTicks, inTimeUnits } from '../base/format';
import { indexAt } from '../wire/interpolate';
import type { Curve } from '../wire/source';

export interface ChartCurve {
  run: number;
  plot: number;
  color: number;
  name: string;
}

const light = ['#0b66c3', '#b8500b', '#0a7a5c', '#a3247e', '#7a5af0', '#8a6d00', '#c02f2f', '#3d6b7d'];
const dark = ['#6cb2ff', '#ff9d57', '#4fd1a5', '#f08bd0', '#b3a1ff', '#e3c34f', '#ff8080', '#8fc7d9'];

export function colorOf(i: number): string {
  return (isDark() ? dark : light)[i % light.length]!;
}

const HEIGHT_OF_TITLE = 18;
const LEAST_WIDTH = 58, WIDTH_OF_DIGIT = 7; // of the numbers beside the lines
const FLAT = 1e-6; // what varies by less of its size is flat: its noise is not drawn as a curve

// What is seen of a curve, and one row on each side. A value that there is not is null: uPlot's sums know no NaN.
function visiblePart(curve: Curve | null, min: number, max: number): [number[], (number | null)[]] {
  const times: number[] = [], values: (number | null)[] = [];
  if (!curve || curve.times.length === 0) return [times, values];
  for (let i = indexAt(curve.times, min); i < curve.times.length; i++) {
    const value = curve.values[i]!;
    times.push(curve.times[i]!);
    values.push(Number.isFinite(value) ? value : null);
    if (curve.times[i]! > max) break;
  }
  return [times, values];
}

export class Chart {
  private readonly plot: uPlot;
  private readonly box: HTMLElement;
  private time = 0;

  constructor(parent: HTMLElement, name: string, private readonly curves: ChartCurve[], seek: (time: number) => void) {
    this.box = document.createElement('div');
    this.box.className = 'chart';
    const title = document.createElement('div');
    title.className = 'chart-title';
    title.textContent = title.title = name;
    this.box.append(title);
    parent.append(this.box);
    const text = cssColor('--muted'), grid = cssColor('--line');
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 }, font: '11px system-ui, sans-serif' };
    const numbers = (_: uPlot, values: (number | null)[], _axis: number, _space: number, distance: number) => formatTicks(values, distance);
    const times = (plot: uPlot, values: (number | null)[], axis_: number, space: number, distance: number) =>
      numbers(plot, values.map(value => (value === null ? null : inTimeUnits(value))), axis_, space, inTimeUnits(distance));
    const width = (_: uPlot, values: string[] | null) =>
      Math.max(LEAST_WIDTH, 12 + WIDTH_OF_DIGIT * Math.max(...(values ?? []).map(value => value.length), 0));
    const range = (_: uPlot, min: number, max: number): uPlot.Range.MinMax => {
      const size = Math.max(Math.abs(min), Math.abs(max)), room = max - min > FLAT * size ? 0.05 * (max - min) : FLAT * size || 1;
      return [min - room, max + room];
    };
    this.plot = new uPlot({
      ...this.size(),
      legend: { show: false },
      scales: { x: { time: false }, y: { range } },
      cursor: { drag: { x: false, y: false }, points: { size: 6 }, y: false },
      padding: [6, 10, 0, 0],
      series: [{}, ...curves.map(curve => ({
        label: curve.name, stroke: colorOf(curve.color), width: 1.5, points: { show: false }, spanGaps: false,
        ...(curve.run > 0 ? { dash: curve.run % 2 ? [5, 4] : [2, 3] } : {}),
      }))],
      axes: [{ ...axis, size: 26, gap: 3, space: 60, values: times }, { ...axis, size: width, gap: 4, space: 26, values: numbers }],
      hooks: { draw: [plot => this.drawTime(plot)] },
    }, [[], ...curves.map(() => [])] as uPlot.AlignedData, this.box);
    this.plot.over.addEventListener('click', () => {
      const at = this.plot.cursor.left;
      if (at !== undefined && at >= 0) seek(this.plot.posToVal(at, 'x'));
    });
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(this.box.clientWidth, 120), height: Math.max(this.box.clientHeight - HEIGHT_OF_TITLE, 70) };
  }

  resize(): void {
    this.plot.setSize(this.size());
  }

  destroy(): void {
    this.plot.destroy();
    this.box.remove();
  }

  private drawTime(plot: uPlot): void {
    const x = plot.valToPos(this.time, 'x', true);
    const { left, top, width, height } = plot.bbox;
    if (!(x >= left && x <= left + width)) return;
    const pen = plot.ctx;
    pen.save();
    pen.strokeStyle = cssColor('--muted');
    pen.lineWidth = devicePixelRatio;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    pen.moveTo(x, top);
    pen.lineTo(x, top + height);
    pen.stroke();
    pen.restore();
  }

  // `width`: seconds that are seen, 0: all. `whole`: the times of a record, which stands still.
  draw(curveOf: (run: number, plot: number) => Curve | null, time: number, width: number, whole: [number, number] | null): void {
    this.time = time;
    const found = this.curves.map(curve => curveOf(curve.run, curve.plot));
    const times = found.find(curve => curve)?.times ?? new Float64Array(0);
    const first = whole ? whole[0] : times[0] ?? 0, last = whole ? whole[1] : times[times.length - 1] ?? 0;
    let min = first, max = last;
    if (width > 0) {
      max = whole ? Math.min(Math.max(time + 0.3 * width, first + width), Math.max(last, first + width)) : Math.max(last, first + 1e-9);
      min = max - width;
      if (!whole && min < first && last - first < width) min = first;
    }
    if (!(max > min)) max = min + 1;
    const parts = found.map(curve => visiblePart(curve, min, max));
    const several = new Set(this.curves.map(curve => curve.run)).size > 1;
    // Rows that another run has and this one has not are left out, and leave no gap.
    const data = several ? uPlot.join(parts) : [parts[0]?.[0] ?? [], ...parts.map(part => part[1])] as uPlot.AlignedData;
    this.plot.batch(() => {
      this.plot.setData(data, false);
      this.plot.setScale('x', { min, max });
    });
  }
}
