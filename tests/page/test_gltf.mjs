// What `cardan export` writes passes the Khronos validator: no error, no warning, no hint.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cardan, run } from './program.mjs';

const root = process.env.CARDAN_SOURCE_ROOT ?? new URL('../..', import.meta.url).pathname;
const { validateBytes } = createRequire(join(root, 'apps/viewer/package.json'))('gltf-validator');
const models = join(root, 'examples/models');
const shared = join(process.env.CARDAN_SHARED ?? join(root, '../shared'), 'models/mjcf/humanoid.xml');
const skip = cardan && existsSync(cardan) ? false : 'there is no cardan command (CARDAN_BIN)';

const names = ['pendulum.xml', 'five_bar.xml', 'top.xml', 'walker.xml', 'gymnast.xml', 'stairs.xml', 'arm.urdf'].map(name => join(models, name));
for (const model of existsSync(shared) ? [...names, shared] : names) {
  test(`${model.split('/').at(-1)}: a pose and a run as glTF`, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cardan-gltf-'));
    try {
      const motion = join(folder, 'motion.csv'), file = join(folder, 'model.glb');
      run('simulate', model, '--duration', '0.2', '--report', '0.05', '--no-companion', '-o', motion, '--quiet');
      for (const of of [[], [motion]]) {
        run('export', model, ...of, '-o', file, '--quiet');
        const { issues, info } = await validateBytes(new Uint8Array(readFileSync(file)));
        assert.deepEqual(issues.messages, []);
        assert.equal(info.version, '2.0');
        assert.equal(info.animationCount, of.length, 'a run is an animation');
        assert.ok(info.totalTriangleCount > 0);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
