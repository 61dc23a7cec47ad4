// Numbers for people: a few digits, a true minus, powers of ten where many zeros would stand.
import type { Units } from '../wire/messages';

function dress(text: string): string {
  const [digits, power] = text.split('e');
  const shown = digits!.replace('-', '\u2212');
  if (power === undefined) return shown;
  return `${shown}e${power.replace('+', '').replace('-', '\u2212')}`;
}

export function formatNumber(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
  if (!Number.isFinite(value)) return value > 0 ? '\u221e' : '\u2212\u221e';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) return dress(value.toExponential(Math.max(digits - 2, 1)).replace(/\.?0+e/, 'e'));
  return dress(String(Number(value.toPrecision(digits))));
}

// A number with a fixed width, so that a value that changes does not jump about.
export function formatSteady(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return formatNumber(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return dress(value.toExponential(digits - 2));
  const whole = size < 1 ? 1 : Math.floor(Math.log10(size)) + 1;
  return dress(value.toFixed(Math.max(digits - whole, 0)));
}

// Numbers beside the lines of a diagram, `distance` apart: as many digits as tell them from each other.
export function formatTicks(values: readonly (number | null)[], distance: number): string[] {
  const most = Math.max(...values.map(value => Math.abs(value ?? 0)), 0);
  const fine = distance > 0 ? Math.max(0, -Math.floor(Math.log10(distance) + 1e-9)) : 0;
  const plain = most < 1e5 && fine <= 6;
  const digits = distance > 0 && most > 0 ? Math.max(0, Math.floor(Math.log10(most)) - Math.floor(Math.log10(distance) + 1e-9)) : 0;
  return values.map(value => (value === null ? '' : value === 0 ? '0' : dress(plain ? value.toFixed(fine) : value.toExponential(Math.min(digits, 12)))));
}

// The unit of times, which the model says.
const clock = { unit: 's', seconds: 1 };

export function setTimeUnit(unit: string, seconds: number): void {
  Object.assign(clock, seconds > 0 ? { unit, seconds } : { unit: 's', seconds: 1 });
}

// What the model calls the other units that pages name themselves.
const SI: Units = { length: 'm', mass: 'kg', energy: 'J' };
let names = SI;

export function setUnits(given: Units | undefined): void {
  names = given ?? SI;
}

export function units(): Units {
  return names;
}

export function timeUnit(): string {
  return clock.unit;
}

export function inTimeUnits(seconds: number): number {
  return seconds / clock.seconds;
}

export function formatTime(seconds: number | null | undefined): string {
  return seconds === null || seconds === undefined || !Number.isFinite(seconds) ? '\u2013' : `${dress(inTimeUnits(seconds).toFixed(3))} ${clock.unit}`;
}

// Units of time a second: in seconds, how many times real time.
export function formatSpeed(speed: number): string {
  if (speed === 0) return 'as fast as it goes';
  return clock.unit === 's' ? `${formatNumber(speed, 3)}\u00d7` : `${formatNumber(speed, 3)} ${clock.unit}/s`;
}

export function formatReached(speed: number): string {
  return clock.unit === 's' ? `${formatSteady(speed, 3)}\u00d7 real time` : `${formatSteady(speed, 3)} ${clock.unit} a second`;
}

export function withUnit(text: string, unit: string): string {
  return unit ? `${text} ${unit}` : text;
}
