// Poses as 3 x 4 matrices (three columns of the rotation, then the position), in arrays that are used again.

export const WORDS = 12;

// The matrix of a pose (x y z, quaternion w x y z).
export function expandPose(pose: ArrayLike<number>, from: number, out: Float32Array, to: number): void {
  const w = pose[from + 3]!, x = pose[from + 4]!, y = pose[from + 5]!, z = pose[from + 6]!;
  out[to] = 1 - 2 * (y * y + z * z);
  out[to + 1] = 2 * (x * y + w * z);
  out[to + 2] = 2 * (x * z - w * y);
  out[to + 3] = 2 * (x * y - w * z);
  out[to + 4] = 1 - 2 * (x * x + z * z);
  out[to + 5] = 2 * (y * z + w * x);
  out[to + 6] = 2 * (x * z + w * y);
  out[to + 7] = 2 * (y * z - w * x);
  out[to + 8] = 1 - 2 * (x * x + y * y);
  out[to + 9] = pose[from]!;
  out[to + 10] = pose[from + 1]!;
  out[to + 11] = pose[from + 2]!;
}

export function expandPoses(poses: Float32Array, bodies: number, out: Float32Array): void {
  for (let i = 0; i < bodies; i++) expandPose(poses, 7 * i, out, WORDS * i);
}

// Multiplies a body's matrix by a local one, and writes a 4 x 4 matrix by columns.
export function placeOnBody(body: Float32Array, b: number, local: Float32Array, l: number, out: Float32Array, o: number): void {
  for (let column = 0; column < 4; column++) {
    const x = local[l + 3 * column]!, y = local[l + 3 * column + 1]!, z = local[l + 3 * column + 2]!;
    const point = column === 3 ? 1 : 0;
    out[o + 4 * column] = body[b]! * x + body[b + 3]! * y + body[b + 6]! * z + point * body[b + 9]!;
    out[o + 4 * column + 1] = body[b + 1]! * x + body[b + 4]! * y + body[b + 7]! * z + point * body[b + 10]!;
    out[o + 4 * column + 2] = body[b + 2]! * x + body[b + 5]! * y + body[b + 8]! * z + point * body[b + 11]!;
    out[o + 4 * column + 3] = point;
  }
}
