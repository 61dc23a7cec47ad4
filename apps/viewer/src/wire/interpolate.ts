// What lies between two frames. Poses: positions on the line, quaternions on the shorter arc (normalized; frames are close).

export function interpolatePoses(a: Float32Array, b: Float32Array, part: number, out: Float32Array): void {
  if (part === 0 || a.length !== b.length) {
    out.set(a);
    return;
  }
  for (let i = 0; i < a.length; i += 7) {
    for (let k = 0; k < 3; k++) out[i + k] = a[i + k]! + part * (b[i + k]! - a[i + k]!);
    let dot = 0;
    for (let k = 3; k < 7; k++) dot += a[i + k]! * b[i + k]!;
    const sign = dot < 0 ? -1 : 1;
    let square = 0;
    for (let k = 3; k < 7; k++) {
      const x = a[i + k]! + part * (sign * b[i + k]! - a[i + k]!);
      out[i + k] = x;
      square += x * x;
    }
    const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let k = 3; k < 7; k++) out[i + k]! *= scale;
  }
}

// The number of the last time at or before t; 0 if all are later.
export function indexAt(times: Float64Array, t: number): number {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
