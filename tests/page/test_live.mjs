// The page with cardan view: what the program computes is what is seen, and what people do in the page moves the model.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { frame, openBrowser, openPage, rest, until } from './browser.mjs';
import { project, shareOf } from './pictures.mjs';
import { canView, run, view } from './program.mjs';

const page_file = process.env.CARDAN_PAGE;
const root = process.env.CARDAN_SOURCE_ROOT ?? new URL('../..', import.meta.url).pathname;
const models = join(root, 'examples/models');
const humanoid = [join(process.env.CARDAN_SHARED ?? join(root, '../shared'), 'models/mjcf/humanoid.xml'), join(models, 'walker.xml')].find(existsSync);
const why = canView() ?? false;
if (why) console.log(`skipped: ${why}`);
let browser, folder;
before(async () => {
  if (why) return;
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), 'cardan-live-'));
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function withView(model, options, act) {
  const server = await view(model, page_file, options);
  const opened = await openPage(browser, server.address);
  try {
    await act(opened.page, opened, server);
    assert.deepEqual(opened.errors, [], 'errors in the console');
    assert.deepEqual(opened.outside, [], 'requests to other addresses');
  } finally {
    await opened.close();
    await server.close();
  }
}

const click = (page, label) => page.click(`button[aria-label="${label}"]`);
const slide = (page, selector, share) => page.$eval(selector, (input, part) => {
  input.value = String(Math.round(part * input.max));
  input.dispatchEvent(new Event('input'));
  input.dispatchEvent(new Event('change'));
}, share);

// All bodies that `cardan eval` knows are where it says, in the frame and on the page.
async function comparePoses(page, model) {
  const { bodies } = JSON.parse(run('eval', model, '--json', '--quiet'));
  const seen = await page.evaluate(`(() => ({ frame: window.cardan.frame(), names: window.cardan.model().bodies.map(body => body.name),
    camera: window.cardan.camera(), said: window.cardan.model().bodies.map((_, i) => window.cardan.project(i)),
    box: document.querySelector('.stage canvas').getBoundingClientRect().toJSON() }))()`);
  let compared = 0;
  for (const { name, X_GB: { p } } of bodies) {
    const i = seen.names.indexOf(name);
    if (i < 0) continue;
    for (let k = 0; k < 3; k++) assert.ok(Math.abs(seen.frame.poses[7 * i + k] - p[k]) < 1e-5, `${name} is at ${p}`);
    const expected = project(seen.camera, seen.box, p);
    assert.ok(Math.hypot(seen.said[i].x - expected.x, seen.said[i].y - expected.y) < 2, `${name} projects to ${expected.x} ${expected.y}`);
    compared++;
  }
  assert.ok(compared >= bodies.length / 2, `only ${compared} of ${bodies.length} bodies are known`);
}

// A point of a body in Ground, from the numbers of a frame.
function pointOf({ poses }, body, [x, y, z]) {
  const [px, py, pz, w, i, j, k] = poses.slice(7 * body, 7 * body + 7);
  const tx = 2 * (j * z - k * y), ty = 2 * (k * x - i * z), tz = 2 * (i * y - j * x);
  return [px + x + w * tx + j * tz - k * ty, py + y + w * ty + k * tx - i * tz, pz + z + w * tz + i * ty - j * tx];
}

test('a loop: poses, a coordinate that is dragged assembles the rest, run, pause, scrub', { skip: why }, async () => {
  const model = join(models, 'five_bar.xml');
  await withView(model, ['--paused'], async page => {
    await comparePoses(page, model);
    const share = await shareOf(page);
    assert.ok(share >= 0, 'the picture can be read');
    const names = await page.evaluate('window.cardan.model().bodies.map(body => body.name)');
    const before = await frame(page);
    await slide(page, '[aria-label^="left_motor"][type=range]', 0.54);
    await until(page, `Math.abs(window.cardan.frame().poses[7 * ${names.indexOf('left_rod')}] - ${before.poses[7 * names.indexOf('left_rod')]}) > 0.01`, 'the left arm turns');
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 300))');
    const now = await frame(page);
    const left = pointOf(now, names.indexOf('left_rod'), [0.25, 0, 0.12]), right = pointOf(now, names.indexOf('right_rod'), [-0.25, 0, 0.12]);
    assert.ok(Math.hypot(...left.map((x, i) => x - right[i])) < 1e-5, `the loop is open: ${left} and ${right}`);
    await click(page, 'Run');
    await until(page, 'window.cardan.frame().time > 0.3', 'time goes on', 20000);
    const verdict = page => page.$eval('.verdict', line => line.textContent);
    await page.$eval('.check[title^="A second run"] input', box => box.click());
    await until(page, 'window.cardan.state().status.companion === false', 'the companion leaves');
    assert.doesNotMatch(await verdict(page), /delivered about/);
    await page.$eval('.check[title^="A second run"] input', box => box.click());
    await until(page, 'window.cardan.state().status.companion && window.cardan.state().status.estimate !== null', 'it comes back');
    await click(page, 'Pause');
    await until(page, 'window.cardan.state().status.state === "paused"', 'it pauses');
    await slide(page, '.timeline', 0.5);
    await until(page, 'Math.abs(window.cardan.frame().time - window.cardan.state().status.to / 2) < 0.1', 'it scrubs back');
    await click(page, 'Back to the start');
    await until(page, 'window.cardan.frame().time === 0', 'it is reset');
  });
});

test('contact: bodies fall, forces are drawn, the certificate speaks', { skip: why }, async () => {
  await withView(join(models, 'stairs.xml'), ['--accuracy', '1e-2', '--no-companion'], async page => {
    await until(page, 'window.cardan.frame().time > 0.05 && window.cardan.frame().marks > 0', 'a contact is marked', 40000);
    const share = await shareOf(page);
    assert.ok(share > 0.01, `${share} of the picture is coloured`);
    assert.ok((await page.$eval('.statusline', line => line.textContent)).length > 10);
  });
});

// A layer of marks is switched on by its digit; the picture has more to show then.
test('soft contact: forces, cones and rows are shown; the panel names rows', { skip: why }, async () => {
  const model = join(folder, 'soft.xml');
  writeFileSync(model, `<mujoco><worldbody><geom name="floor" type="plane" size="2 2 .1"/>
    <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" limited="true" range="-30 30" frictionloss="0.5"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".05"/></body>
    <body name="box" pos="-.6 0 .199"><freejoint/><geom type="box" size=".3 .2 .2"/></body></worldbody>
    <keyframe><key name="pushed" qpos="0.7 -.6 0 .199 1 0 0 0" qvel="0 1 0 0 0 0 0"/></keyframe></mujoco>`);
  await withView(model, ['--paused', '--contact', 'soft', '--key', 'pushed'], async page => {
    const layers = await page.evaluate('window.cardan.model().layers');
    const bit = name => layers.find(layer => layer.name === name).bit;
    const marks = async mask => {
      await until(page, `(window.cardan.state().status.layers | 0) === ${mask}`, `layers ${mask}`);
      await rest(page);
      return (await frame(page)).marks;
    };
    const at_first = bit('contacts') | bit('forces') | bit('own') | bit('rows') | bit('paths') | bit('rays') | bit('statuses');
    const before = await marks(at_first);
    assert.ok(before >= 4 + 4 + 1, `4 points, 4 arrows and a moment are shown, not ${before}`);
    await page.keyboard.press('0');
    const with_cones = await marks(at_first | bit('cones'));
    assert.equal(with_cones - before, 4 * (1 + 8), 'a normal and a pyramid at each corner');
    await page.$eval('[aria-label="Selected body"]', input => {
      input.value = 'arm';
      input.dispatchEvent(new Event('change'));
    });
    await until(page, '/row hinge limit[\\s\\S]*row hinge friction/.test(document.querySelector(".lines").textContent)', 'the panel names rows');
    await page.$eval('[aria-label="Selected body"]', input => {
      input.value = 'box';
      input.dispatchEvent(new Event('change'));
    });
    await until(page, '/contact with floor\\s*[1-9]/.test(document.querySelector(".lines").textContent)', 'the panel tells forces');
  });
});

test('the humanoid runs; what is selected tells its forces; a plot follows', { skip: why }, async () => {
  await withView(humanoid, ['--paused'], async page => {
    await comparePoses(page, humanoid);
    await page.keyboard.press('p');
    await page.type('.plots [role=combobox]', 'energy');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await click(page, 'Run');
    await until(page, 'window.cardan.frame().time > 0.1 && window.cardan.frame().values.length === 1', 'time goes on', 30000);
    const values = (await frame(page)).values;
    assert.ok(Number.isFinite(values[0]), `the energy is ${values[0]}`);
    const last = (await page.evaluate('window.cardan.model().bodies.length')) - 1;
    await page.$eval('[aria-label="Selected body"]', (input, name) => {
      input.value = name;
      input.dispatchEvent(new Event('change'));
    }, await page.evaluate(`window.cardan.model().bodies[${last}].name`));
    await until(page, '/mass[\\s\\S]*velocity/.test(document.querySelector(".lines").textContent)', 'the panel tells');
  });
});

// The corners of a binary STL file.
function cornersOf(file) {
  const bytes = readFileSync(file), corners = [];
  for (let i = 0; i < bytes.readUInt32LE(80); i++) {
    for (let k = 1; k < 4; k++) corners.push([0, 4, 8].map(at => bytes.readFloatLE(84 + 50 * i + 12 * k + at)));
  }
  return corners;
}

test('meshes of files are where their bodies are, as large as they are, in their colours', { skip: why }, async () => {
  await withView(join(models, 'lamp/lamp.xml'), ['--paused'], async page => {
    await comparePoses(page, join(models, 'lamp/lamp.xml'));
    const { names, shapes } = await page.evaluate(`({ names: window.cardan.model().bodies.map(body => body.name),
      shapes: window.cardan.model().visuals.filter(visual => !visual.collision).map(visual => visual.shape) })`);
    assert.deepEqual(shapes.sort(), ['mesh', 'mesh', 'mesh', 'mesh', 'mesh', 'plane']);
    await rest(page);
    // The shade is the only thing that is yellow. Its upper end is behind the fork of the arm.
    const seen = await page.evaluate(`(() => {
      const { width, height, rgba } = window.cardan.pixels(), camera = window.cardan.camera();
      const box = document.querySelector('.stage canvas').getBoundingClientRect().toJSON();
      const seen = { left: Infinity, right: -Infinity, bottom: -Infinity };
      for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
          const at = 4 * (row * width + column);
          if (rgba[at] - rgba[at + 2] < 60 || rgba[at + 1] - rgba[at + 2] < 45) continue;
          seen.left = Math.min(seen.left, column);
          seen.right = Math.max(seen.right, column + 1);
          seen.bottom = Math.max(seen.bottom, height - row);
        }
      }
      for (const side in seen) seen[side] *= box.width / width;
      return { camera, box, left: seen.left + box.left, right: seen.right + box.left, bottom: seen.bottom + box.top };
    })()`);
    const now = await frame(page), head = names.indexOf('head');
    const corners = cornersOf(join(models, 'lamp/shade.stl')).map(corner => project(seen.camera, seen.box, pointOf(now, head, corner)));
    const expected = {
      left: Math.min(...corners.map(({ x }) => x)), right: Math.max(...corners.map(({ x }) => x)), bottom: Math.max(...corners.map(({ y }) => y)),
    };
    for (const side of ['left', 'right', 'bottom']) {
      assert.ok(Math.abs(seen[side] - expected[side]) < 2.5, `the shade ends ${side} at ${seen[side]}, and its mesh at ${expected[side]}`);
    }
  });
});

test('a pull puts momentum in', { skip: why }, async () => {
  const file = join(folder, 'free.xml');
  writeFileSync(file, `<mujoco model="free"><option gravity="0 0 0"/><worldbody><body name="ball"><freejoint/>
    <geom type="sphere" size="0.1" mass="1" rgba="0.9 0.2 0.1 1"/></body></worldbody></mujoco>`);
  await withView(file, [], async page => {
    const at = await page.evaluate('window.cardan.project(1)');
    const still = (await frame(page)).poses.slice(7, 10);
    assert.ok(Math.hypot(...still) < 1e-9, 'nothing moves it');
    await page.keyboard.down('Control');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 80, at.y, { steps: 4 });
    await until(page, 'Math.hypot(...window.cardan.frame().poses.slice(7, 10)) > 0.008', 'the ball follows the pointer');
    await page.mouse.up();
    await page.keyboard.up('Control');
    await until(page, '!window.cardan.state().pulling', 'it is let go');
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 400))');
    const a = await frame(page);
    await until(page, `window.cardan.frame().time > ${a.time + 0.3}`, 'time goes on');
    const b = await frame(page);
    const speed = (x, y) => [7, 8, 9].map(i => (y.poses[i] - x.poses[i]) / (y.time - x.time));
    await until(page, `window.cardan.frame().time > ${b.time + 0.3}`, 'time goes on');
    const c = await frame(page);
    const first = speed(a, b), second = speed(b, c);
    assert.ok(Math.hypot(...first) > 1e-3, `it moves with ${first}`);
    assert.ok(Math.hypot(...first.map((x, i) => x - second[i])) < 0.02 * Math.hypot(...first), `without a force it keeps ${first}, now ${second}`);
  });
});

// What the panel of sensors has beside a name.
const sensed = name => `[...document.querySelectorAll('.sensors dt')].find(x => x.textContent === '${name}')?.nextSibling.textContent`;
const openSensors = page => page.$eval('details[data-fold=sensors]', fold => { fold.open = true; });

// A rangefinder looks along x at a ball of radius 0.2 m on a mocap body at 1 m; a slider goes up by itself.
test('sensors have their values beside them, rays are drawn, a mocap body goes where the mouse puts it', { skip: why }, async () => {
  const model = join(folder, 'sensors.xml'), rows = join(folder, 'sensors.csv');
  writeFileSync(model, `<mujoco><option gravity="0 0 0"/><worldbody><site name="eye" pos="0 0 .5" zaxis="1 0 0"/>
    <body name="target" mocap="true" pos="1 0 .5"><geom type="sphere" size=".2" rgba=".2 .3 .9 1"/></body>
    <body name="lift" pos="0 1 0"><joint name="up" type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body></worldbody>
    <sensor><rangefinder name="range" site="eye"/><jointpos name="height" joint="up"/><framepos name="place" objtype="body" objname="lift"/></sensor>
    <keyframe><key name="rises" qvel="0.5"/></keyframe></mujoco>`);
  await withView(model, ['--paused', '--contact', 'soft', '--key', 'rises'], async page => {
    await openSensors(page);
    await until(page, `${sensed('range')} === '0.800'`, 'the panel tells the distance');
    assert.match(await page.evaluate(sensed('place')), /^0(\.0*)? {2}1\.000 {2}0(\.0*)?$/);
    assert.equal((await frame(page)).marks, 2, 'a ray and its end');
    const at = await page.evaluate('window.cardan.project(1)');
    const drag = async dy => {
      await page.keyboard.down('Control');
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      await page.mouse.move(at.x, at.y + dy, { steps: 4 });
      await page.mouse.up();
      await page.keyboard.up('Control');
    };
    await drag(-90);
    await until(page, 'window.cardan.frame().poses[9] > 0.75', 'the target goes up');
    await until(page, `/^.?1\\.000$/.test(${sensed('range')})`, 'the ray meets nothing');
    await page.evaluate(`[...document.querySelectorAll('.sensors button')].find(x => x.textContent === 'height').click()`);
    await until(page, 'window.cardan.state().status.plots.length === 1', 'a click plots it');
    await click(page, 'Run');
    await until(page, `Number(${sensed('height')}) > 0.05`, 'the panel follows the run');
  });
  run('simulate', model, '--contact', 'soft', '--key', 'rises', '--duration', '2', '--report', '0.01', '-o', rows, '--quiet');
  await withView([model, rows], ['--paused', '--contact', 'soft'], async page => {
    await openSensors(page);
    await until(page, `${sensed('range')} === '0.800'`, 'replays have the panel, too');
    await slide(page, '.timeline', 0.5);
    await until(page, `${sensed('height')} === '0.500'`, 'and it follows the time');
  });
});

test('two runs over each other are replayed', { skip: why }, async () => {
  const model = join(models, 'pendulum.xml'), runs = [1e-2, 1e-6].map(accuracy => {
    const rows = join(folder, `${accuracy}.csv`);
    run('simulate', model, '--duration', '2', '--report', '0.01', '--accuracy', String(accuracy), '-o', rows, '--quiet');
    return rows;
  });
  await withView([model, ...runs], ['--paused'], async page => {
    await until(page, 'window.cardan.model().runs.length === 2 && window.cardan.state().status.to === 2', 'both runs are there');
    assert.equal(await page.$$eval('.runs li', all => all.length), 2);
    await slide(page, '.timeline', 0.75);
    await until(page, 'Math.abs(window.cardan.frame().time - 1.5) < 0.02', 'it scrubs');
    const { poses } = await frame(page);
    const q = readFileSync(runs[0], 'utf8').trim().split('\n').map(line => line.split(','));
    const time = q[0].indexOf('time'), row = q.findIndex(words => Math.abs(Number(words[time]) - 1.5) < 1e-9);
    assert.ok(row > 0, 'the trajectory has a row at 1.5 s');
    const state = join(folder, 'state.json');
    const columns = ['shoulder', 'elbow'].map(joint => q[0].findIndex(name => name.startsWith(joint) && /q$/.test(name)));
    writeFileSync(state, JSON.stringify({ q: columns.map(column => Number(q[row][column])) }));
    const { bodies } = JSON.parse(run('eval', model, '--state', state, '--json', '--quiet'));
    bodies.forEach(({ name, X_GB: { p } }, i) => p.forEach((x, k) => assert.ok(Math.abs(poses[7 * (i + 1) + k] - x) < 1e-5, `${name} is at ${p}`)));
    // A plot has the whole run, though none of it was played before.
    await page.keyboard.press('p');
    await page.type('.plots [role=combobox]', 'shoulder');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    const series = await page.evaluate('window.cardan.model().series.findIndex(({ name }) => /shoulder.*q$/.test(name))');
    await until(page, `window.cardan.curve(1, ${series}) !== null`, 'the curves come');
    for (const k of [0, 1]) {
      const rows = readFileSync(runs[k], 'utf8').trim().split('\n').slice(1).map(line => line.split(',').map(Number));
      const curve = await page.evaluate(`window.cardan.curve(${k}, ${series})`);
      assert.equal(curve.times.length, rows.length);
      rows.forEach((numbers, i) => assert.ok(Math.abs(curve.times[i] - numbers[time]) < 1e-9 && Math.abs(curve.values[i] - numbers[columns[0]]) < 1e-8));
    }
    // and so has an expression
    await page.type('.plots [role=combobox]', 'deg(shoulder.q) - 1');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    for (const k of [0, 1]) {
      const { values } = await page.evaluate(`window.cardan.curve(${k}, ${series})`), { values: degrees } = await page.evaluate(`window.cardan.plotted(${k}, 1)`);
      assert.equal(degrees.length, values.length);
      degrees.forEach((x, i) => assert.ok(Math.abs(x - ((values[i] * 180) / Math.PI - 1)) < 1e-9));
    }
    await click(page, 'Run');
    await until(page, 'window.cardan.frame().time > 1.6', 'it plays');
  });
});

test('the server ends, and the page says so', { skip: why }, async () => {
  const server = await view(join(models, 'pendulum.xml'), page_file);
  const opened = await openPage(browser, server.address);
  server.stop();
  await until(opened.page, '["lost", "ended"].includes(window.cardan.state().connection) && !document.querySelector(".banner").hidden', 'the page says so');
  assert.deepEqual(opened.errors.filter(text => !/WebSocket connection to/.test(text)), []);
  await opened.close();
  await server.close();
});

test('a server that comes back at its old address gets its pages back', { skip: why }, async () => {
  const options = ['--token', join(folder, 'token'), '--paused'];
  const first = await view(join(models, 'pendulum.xml'), page_file, options);
  const port = new URL(first.address).port;
  const opened = await openPage(browser, first.address);
  await first.close();
  await until(opened.page, 'window.cardan.state().connection !== "open"', 'the page says so');
  const second = await view(join(models, 'five_bar.xml'), page_file, [...options, '--port', port]);
  assert.equal(second.address, first.address);
  await until(opened.page, 'window.cardan.state().connection === "open" && /five/.test(window.cardan.model().source)', 'the page comes back');
  await until(opened.page, 'window.cardan.frame() && document.querySelector(".banner").hidden', 'it shows the new model');
  await opened.close();
  await second.close();
});

for (const name of ['pendulum.xml', 'five_bar.xml', 'top.xml', 'walker.xml', 'gymnast.xml', 'arm.urdf', 'lamp/lamp.xml']) {
  test(`a page of ${name} in a file`, { skip: why }, async () => {
    const model = join(models, name), rows = join(folder, `${basename(name)}.csv`), file = join(folder, `${basename(name)}.html`);
    run('simulate', model, '--duration', '0.5', '--report', '0.01', '--accuracy', '1e-3', '-o', rows, '--quiet');
    run('view', model, rows, '--html', file);
    assert.ok(statSync(file).size < 2e6, `${statSync(file).size} bytes`);
    const opened = await openPage(browser, pathToFileURL(file).href);
    // energies first, then what joints do, then what they bear; numbers of the stepper are not known any more
    const { all, had } = await opened.page.evaluate(`({ all: window.cardan.model().series, had: window.cardan.state().status.plots })`);
    const names = had.map(i => all[i].name), groups = had.map(i => all[i].group);
    for (const one of ['energy', 'contact force', 'constraint error']) assert.ok(names.includes(one), one);
    assert.ok(groups.includes('speeds') && !names.includes('step size'));
    assert.ok(had.length === 64 || names.some(one => one.endsWith('moment of reaction')));
    await click(opened.page, 'Run');
    await until(opened.page, 'window.cardan.frame().time > 0.1', 'it plays');
    const share = await shareOf(opened.page);
    assert.ok(share >= 0);
    assert.deepEqual(opened.errors, []);
    assert.deepEqual(opened.outside, []);
    await opened.close();
  });
}
