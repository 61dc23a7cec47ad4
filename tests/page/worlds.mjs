import { squareBytes, textureBytes } from './messages.mjs';

// Models whose motion is known in closed form. Each has a model message and poses at a time.

const turnY = angle => [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];
const at = (x, y, z, q = [1, 0, 0, 0]) => [x, y, z, ...q];
const visual = (name, body, shape, size, rgba, more = {}) => ({
  name, body, shape, size, mesh: -1, pose: at(0, 0, 0), rgba, group: 0, collision: false, skeleton: false, ...more,
});
const layers = ['joints', 'frames', 'masses', 'constraints', 'contacts', 'forces', 'points', 'labels', 'own', 'cones', 'rows']
  .map((name, i) => ({ name, bit: 1 << i }));

function model(name, center, radius, bodies, visuals, more = {}) {
  return {
    type: 'model', name, source: `models/${name}.xml`, center, radius, up: [0, 0, 1],
    bodies: [{ name: 'ground', parent: -1, mass: null }, ...bodies], visuals,
    cameras: [], lights: [], coordinates: [], controls: [], elements: [],
    series: [{ name: 'energy', unit: 'J', group: 'run' }, { name: 'step size', unit: 's', group: 'run' },
      { name: 'angle', unit: 'rad', group: 'coordinates' }, { name: 'rate', unit: 'rad/s', group: 'coordinates' }],
    keyframes: ['home', 'folded'], methods: ['rkmk', 'dop853', 'companion'], contacts: ['compliant', 'none'], layers,
    runs: [{ name: 'run', rgba: [0.2, 0.5, 0.9, 1], from: 0, to: null, rows: null }], ...more,
  };
}

// A four-bar with links of 1 (ground), 0.4, 1.1 and 0.8 m in the plane y = 0; the crank turns evenly.
const bar = { ground: 1, crank: 0.4, coupler: 1.1, rocker: 0.8 };

export function fourBarAngles(crank) {
  const ax = bar.crank * Math.cos(crank), az = bar.crank * Math.sin(crank);
  const dx = bar.ground - ax, dz = -az, d = Math.hypot(dx, dz);
  const inside = Math.acos((d * d + bar.coupler ** 2 - bar.rocker ** 2) / (2 * d * bar.coupler));
  const coupler = Math.atan2(dz, dx) + inside;
  const bx = ax + bar.coupler * Math.cos(coupler), bz = az + bar.coupler * Math.sin(coupler);
  return { coupler, rocker: Math.atan2(bz, bx - bar.ground), ax, az };
}

export const fourBar = {
  model: model('four bar', [0.5, 0, 0.35], 1, [
    { name: 'crank', parent: 0, mass: 0.4 }, { name: 'coupler', parent: 1, mass: 1.1 }, { name: 'rocker', parent: 0, mass: 0.8 },
  ], ['crank', 'coupler', 'rocker'].flatMap((name, i) => {
    const half = bar[name] / 2;
    const along = { pose: at(half, 0, 0, [Math.SQRT1_2, 0, Math.SQRT1_2, 0]) }; // z of the capsule along x of the link
    return [
      visual(name, i + 1, 'capsule', [0.035, half], [[0.85, 0.35, 0.25, 1], [0.3, 0.55, 0.8, 1], [0.45, 0.7, 0.4, 1]][i], along),
      visual(`${name} collision`, i + 1, 'box', [half, 0.05, 0.05], [0.9, 0.8, 0.2, 1], { pose: at(half, 0, 0), collision: true, group: 3 }),
    ];
  }).concat([visual('base', 0, 'box', [0.6, 0.12, 0.03], [0.5, 0.52, 0.55, 1], { pose: at(0.5, 0, -0.12) })]), {
    coordinates: [{ name: 'crank angle', body: 1, unit: 'rad', lower: null, upper: null, value: 0.6, fixed: false },
      { name: 'coupler angle', body: 2, unit: 'rad', lower: -2.5, upper: 2.5, value: 0, fixed: false },
      { name: 'rocker angle', body: 3, unit: 'rad', lower: 0, upper: 3.2, value: 0, fixed: false }],
    controls: [{ name: 'motor', unit: 'N m', lower: -10, upper: 10, value: 0, fixed: false }],
    elements: [{ element_type: 'body', element: 1, name: 'crank', kind: 'rigid' }, { element_type: 'force', element: 0, name: 'gravity', kind: 'gravity' }],
    cameras: [{ name: 'side', body: 0, pose: at(0.5, -3, 0.4, [Math.SQRT1_2, Math.SQRT1_2, 0, 0]), fovy: 0.8, target: 0 }],
  }),
  poses(crank) {
    const { coupler, rocker, ax, az } = fourBarAngles(crank);
    return [at(0, 0, 0), at(0, 0, 0, turnY(-crank)), at(ax, 0, az, turnY(-coupler)), at(bar.ground, 0, 0, turnY(-rocker))];
  },
  marks(crank) {
    const { ax, az } = fourBarAngles(crank);
    return [
      { kind: 2, layer: 8, body: 1, pose: at(ax, 0, az), size: [0.4, 0, 0], rgba: [0.95, 0.5, 0.1, 1] },
      { kind: 4, layer: 2, body: 1, pose: at(ax, 0, az), size: [0.2, 0, 0] },
      { kind: 8, layer: 128, body: 1, pose: at(ax, 0, az), text: 'coupler \u03b2', rgba: [0.1, 0.1, 0.1, 1] },
      { kind: 7, layer: 1, body: 1, pose: at(0, -0.1, 0, [Math.SQRT1_2, Math.SQRT1_2, 0, 0]), size: [0, crank, 0.2], rgba: [0.7, 0.2, 0.7, 1] },
      { kind: 5, layer: 4, body: 2, pose: at(ax / 2, 0, az / 2), size: [0.1, 0.05, 0.03], rgba: [0.2, 0.7, 0.6, 0.5] },
      { kind: 0, layer: 4, body: 2, pose: at(ax, 0, az), size: [0.02, 0, 0], rgba: [0.9, 0.8, 0.1, 1] },
      { kind: 6, layer: 16, body: 2, pose: at(0.5, 0, -0.08), size: [0.2, 0.1, 0], rgba: [0.9, 0.3, 0.3, 0.8] },
      { kind: 3, layer: 32, body: 3, pose: at(1, 0, 0, [Math.SQRT1_2, Math.SQRT1_2, 0, 0]), size: [0.3, 0, 0], rgba: [0.2, 0.4, 0.9, 1] },
      { kind: 1, layer: 1, body: 3, pose: at(1, -0.2, 0, [Math.SQRT1_2, -Math.SQRT1_2, 0, 0]), size: [0.4, 0, 0], rgba: [0.2, 0.4, 0.9, 1] },
    ];
  },
};

// Balls and other shapes that hop on a floor, with a contact's force under each that touches.
const shapes = ['sphere', 'box', 'ellipsoid', 'cylinder', 'capsule', 'mesh'];
export const hopping = {
  model: model('contact', [0, 0, 0.5], 2, shapes.map((name, i) => ({ name: `${name} ${i}`, parent: 0, mass: 1 + i })), [
    visual('floor', 0, 'plane', [null], [0.75, 0.78, 0.8, 1]),
    ...shapes.map((shape, i) => visual(shape, i + 1, shape, [[0.2], [0.2, 0.15, 0.1], [0.25, 0.15, 0.2], [0.15, 0.2], [0.12, 0.15], []][i],
      [[0.8, 0.3, 0.3, 1], [0.3, 0.6, 0.8, 1], [0.5, 0.7, 0.3, 1], [0.8, 0.6, 0.2, 1], [0.6, 0.4, 0.8, 1], [0.3, 0.7, 0.6, 0.6]][i], { mesh: i === 5 ? 7 : -1 })),
  ], { lights: [{ body: 0, position: [0, 0, 4], direction: [0, 0, -1], directional: true, rgb: [1, 1, 1] }] }),
  height: (t, i) => 0.25 + 0.6 * Math.abs(Math.sin(2 * t + i)),
  poses(t) {
    return [at(0, 0, 0), ...shapes.map((_, i) => at(-1.25 + 0.5 * i, 0.3 * (i % 2), hopping.height(t, i), turnY(t + i)))];
  },
  marks(t) {
    return shapes.map((_, i) => ({
      kind: 2, layer: 16, body: i + 1, pose: at(-1.25 + 0.5 * i, 0.3 * (i % 2), 0), size: [0.5, 0, 0], rgba: [0.95, 0.45, 0.1, 1],
    })).filter((_, i) => hopping.height(t, i) < 0.4);
  },
};

// n bodies in a slowly turning cloud.
export function cloud(n) {
  const side = Math.ceil(Math.cbrt(n));
  const kinds = [['sphere', [0.3]], ['box', [0.3, 0.2, 0.25]], ['capsule', [0.15, 0.2]]];
  return {
    model: model('cloud', [0, 0, side / 2], side, Array.from({ length: n }, (_, i) => ({ name: `b${i}`, parent: 0, mass: 1 })), [
      visual('floor', 0, 'plane', [null], [0.7, 0.72, 0.75, 1]),
      ...Array.from({ length: n }, (_, i) => visual(`b${i}`, i + 1, ...kinds[i % 3], [0.3 + 0.5 * ((i * 7) % 10) / 10, 0.5, 0.4 + 0.05 * (i % 11), 1])),
    ]),
    poses(t) {
      const poses = [at(0, 0, 0)];
      for (let i = 0; i < n; i++) {
        const x = i % side, y = Math.floor(i / side) % side, z = Math.floor(i / side / side);
        poses.push(at(x - side / 2 + 0.2 * Math.sin(t + i), y - side / 2, z + 0.6, turnY(t + i)));
      }
      return poses;
    },
    marks: () => [],
  };
}

// A plane with a pattern, seen from straight above: two squares of each colour about the origin, and nothing beyond.
export function cloth(pattern) {
  return {
    model: model('cloth', [0, 0, 0], 1, [{ name: 'speck', parent: 0, mass: 1 }], [
      visual('cloth', 0, 'plane', [0.8, 0.4], [0.9, 0.1, 0.1, 1], { pattern }),
      visual('speck', 1, 'sphere', [0.01], [0, 0, 0, 1]),
    ], { cameras: [{ name: 'above', body: 0, pose: at(0, 0, 3), fovy: 0.8, target: 0 }] }),
    poses: () => [at(0, 0, 0), at(0.001, 0.001, -1)],
    marks: () => [],
  };
}

const above = { cameras: [{ name: 'above', body: 0, pose: at(0, 0, 3), fovy: 0.8, target: 0 }] };

// A plane and a square above it with the same four colours, before a sky of one colour.
export const colours = [[200, 20, 20], [20, 180, 20], [20, 20, 200], [200, 200, 20]];
export const painted = {
  looks: [textureBytes(0, 2, colours), textureBytes(1, 1, Array(6).fill([120, 0, 160]), true), squareBytes(3, 0.2, 0), squareBytes(4, 5, -1)],
  model: model('painted', [0, 0, 0], 1, [{ name: 'square', parent: 0, mass: 1 }], [
    visual('plane', 0, 'plane', [0.4, 0.4], [1, 1, 1, 1], { pose: at(-0.5, 0, 0), texture: 0, place: [1.25, 0, 0, 0.5, 0, -1.25, 0, 0.5] }),
    visual('square', 1, 'box', [0.2, 0.2, 0], [1, 1, 1, 1], { texture: 0, mesh: 3 }),
  ], { ...above, sky: { mesh: 4, texture: 1 } }),
  poses: () => [at(0, 0, 0), at(0.5, 0, 0.01)],
  marks: () => [],
};

// A white plane below a spot with an angle of 0.2 rad at the height 2, and beside it one that mirrors a glowing square above the camera.
export const lit = {
  looks: [textureBytes(0, 1, [[255, 255, 255]]), squareBytes(3, 0.5, 0)],
  model: model('lit', [0, 0, 0], 4, [{ name: 'square', parent: 0, mass: 1 }], [
    visual('plane', 0, 'plane', [0.9, 0.9], [0.3, 0.3, 0.3, 1], { texture: 0, place: [1, 0, 0, 0, 0, 1, 0, 0], reflectance: 0.5 }),
    visual('square', 1, 'box', [0.5, 0.5, 0], [1, 0, 0, 1], { texture: 0, mesh: 3, emission: 1 }),
  ], {
    ...above,
    lights: [{ body: 0, position: [0.4, 0, 2], direction: [0, 0, -1], directional: false, rgb: [1, 1, 1], cutoff: 0.1, exponent: 0, attenuation: [1, 0, 0], castshadow: false }],
  }),
  poses: () => [at(0, 0, 0), at(-0.4, 0, 3.5, [0, 1, 0, 0])],
  marks: () => [],
};

// One red ball on a known path, and nothing else that is red.
export const spot = {
  radius: 0.12,
  model: model('spot', [0, 0, 0.5], 1.2, [{ name: 'spot', parent: 0, mass: 1 }], [
    visual('spot', 1, 'sphere', [0.12], [0.9, 0.05, 0.05, 1]),
  ]),
  poses: t => [at(0, 0, 0), at(0.6 * Math.cos(2 * t), 0.6 * Math.sin(2 * t), 0.5 + 0.3 * Math.sin(3 * t))],
  marks: () => [],
};
