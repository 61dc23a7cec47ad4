// Numbers for people: a few digits, a true minus, powers of ten where many zeros would stand.

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

export function formatTime(seconds: number | null | undefined): string {
  return seconds === null || seconds === undefined || !Number.isFinite(seconds) ? '\u2013' : `${dress(seconds.toFixed(3))} s`;
}

export function formatSpeed(speed: number): string {
  return speed === 0 ? 'as fast as it goes' : `${formatNumber(speed, 3)}\u00d7`;
}

export function withUnit(text: string, unit: string): string {
  return unit ? `${text} ${unit}` : text;
}
