// What `cardan export` writes passes the Khronos validator: no error, no warning, no hint, but for the sizes of
// pictures, which are those of the model's files.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cardan, run } from './program.mjs';

const root = process.env.CARDAN_SOURCE_ROOT ?? new URL('../..', import.meta.url).pathname;
const { validateBytes } = createRequire(join(root, 'apps/viewer/package.json'))('gltf-validator');
const models = join(root, 'examples/models');
const shared = join(process.env.CARDAN_SHARED ?? join(root, '../shared'), 'models/mjcf/humanoid.xml');
const told = issues => issues.messages.filter(({ code }) => code !== 'IMAGE_NPOT_DIMENSIONS');
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
        assert.deepEqual(told(issues), []);
        assert.equal(info.version, '2.0');
        assert.equal(info.animationCount, of.length, 'a run is an animation');
        assert.ok(info.totalTriangleCount > 0);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

const painted = `<mujoco><asset>
<texture name="c" type="2d" builtin="checker" mark="edge" markrgb="1 0 0" rgb1="1 1 1" rgb2="0 0 1" width="16" height="16"/>
<texture name="plain" type="2d" builtin="checker" rgb1="1 1 1" rgb2="0 0 1"/><texture name="cube" builtin="flat" mark="cross" width="9" height="54"/>
<material name="c" texture="c"/><material name="plain" texture="plain" texuniform="true"/><material name="cube" texture="cube" emission="0.2"/>
</asset><worldbody><geom type="plane" size="1 1 1" material="plain"/><geom type="box" size="1 1 1" pos="0 0 1" material="c"/>
<geom size="0.5" pos="0 0 3" material="cube"/><geom size="0.5" pos="0 0 3" material="cube"/></worldbody></mujoco>`;

test('textures as glTF', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardan-gltf-'));
  try {
    const model = join(folder, 'painted.xml'), file = join(folder, 'model.glb');
    writeFileSync(model, painted);
    run('export', model, '-o', file, '--quiet');
    const bytes = readFileSync(file);
    const { issues, info } = await validateBytes(new Uint8Array(bytes));
    assert.deepEqual(told(issues), []);
    const text = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
    assert.equal(text.images.length, 3);
    assert.equal(info.resources.filter(({ image }) => image).map(({ image }) => `${image.width} x ${image.height}`).sort().join(), '16 x 16,2 x 2,9 x 54');
    assert.equal(text.meshes.length, 3, 'equal shapes with equal looks are one mesh');
    for (const mesh of text.meshes) assert.ok('TEXCOORD_0' in mesh.primitives[0].attributes);
    assert.ok(text.materials.some(({ emissiveFactor }) => emissiveFactor));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
