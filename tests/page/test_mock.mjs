// The page with a small server, and with data of its own: what it shows is where it should be, and what people do arrives.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { frame, openBrowser, openPage, rest, state, until } from './browser.mjs';
import { dataText, pageWithData } from './messages.mjs';
import { Mock } from './mock.mjs';
import { contrasts, look, project, shareOf } from './pictures.mjs';
import { cloth, cloud, colours, fourBar, fourBarAngles, hopping, lit, painted, spot } from './worlds.mjs';

const html = readFileSync(process.env.CARDAN_PAGE, 'utf8');
let browser, folder;
before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), 'cardan-page-'));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// One page on one server; afterwards nothing may have gone wrong or outside.
async function withPage(world, options, act) {
  const mock = await new Mock(html, world, options).open();
  const opened = await openPage(browser, mock.address, options);
  try {
    await act(opened.page, mock, opened);
    assert.deepEqual(opened.errors, [], 'errors in the console');
    assert.deepEqual(opened.outside, [], 'requests to other addresses');
    assert.deepEqual(mock.strangers, [], 'requests for other files');
  } finally {
    await opened.close();
    await mock.close();
  }
}

const asked = (mock, type) => mock.requests.filter(request => request.type === type);
async function answered(mock, type, what, enough = () => true) {
  const end = Date.now() + 30000;
  while (Date.now() < end) {
    const found = asked(mock, type).filter(enough);
    if (found.length > 0) return found.at(-1);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  throw new Error(`no request ${type}: ${what}; there were ${mock.requests.map(request => request.type)}`);
}

const click = (page, label) => page.click(`button[aria-label="${label}"]`);

test('only the script of the page runs, and only its style counts', async () => {
  assert.doesNotMatch(/Content-Security-Policy" content="([^"]*)"/.exec(html)[1], /unsafe|\*|http/);
  const mock = await new Mock(html, spot, {}).open(), opened = await openPage(browser, mock.address, {});
  await opened.page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.strange = true';
    const style = document.createElement('style');
    style.textContent = 'body { border-top: 7px solid red }';
    const button = document.createElement('button');
    button.setAttribute('onclick', 'window.strange = true');
    document.body.append(script, style, button);
    button.click();
  });
  assert.equal(await opened.page.evaluate('window.strange'), undefined);
  assert.equal(await opened.page.evaluate('getComputedStyle(document.body).borderTopWidth'), '0px');
  assert.equal(opened.errors.filter(text => /Content Security Policy/.test(text)).length, opened.errors.length);
  assert.ok(opened.errors.length >= 3, `the browser says so: ${opened.errors}`);
  await opened.close();
  await mock.close();
});

test('a body is drawn where its pose says, from several sides', async () => {
  await withPage(spot, {}, async (page, mock) => {
    for (const time of [0, 0.7, 1.9]) {
      mock.time = time;
      mock.sendFrame();
      await until(page, `Math.abs(window.cardan.frame().time - ${time}) < 1e-12`, 'the frame arrives');
      const from = await page.evaluate('window.cardan.project(0)');
      await page.mouse.move(from.x, from.y + 60);
      await page.mouse.down();
      await page.mouse.move(from.x + 40, from.y + 50, { steps: 3 });
      await page.mouse.up();
      await rest(page);
      const { camera, box, said, seen } = await look(page, 1, (r, g, b) => r > 60 && r > 2.2 * g && r > 2.2 * b);
      const expected = project(camera, box, spot.poses(time)[1]);
      assert.ok(Math.hypot(said.x - expected.x, said.y - expected.y) < 0.5, `project() says ${said.x} ${said.y}, not ${expected.x} ${expected.y}`);
      const ratio = seen.width / box.width;
      assert.ok(seen.count > 40, `${seen.count} pixels are red`);
      const at = { x: box.left + seen.x / ratio, y: box.top + seen.y / ratio };
      assert.ok(Math.hypot(at.x - expected.x, at.y - expected.y) < 2, `drawn at ${at.x} ${at.y}, expected at ${expected.x} ${expected.y}`);
    }
  });
});

// The middle of a pixel's colour at places of the plane z = 0, seen by the camera of `cloth`.
function coloursAt(page, places) {
  return page.evaluate(places => {
    const { width, height, rgba } = window.cardan.pixels(), scale = height / 2 / (3 * Math.tan(0.4));
    return places.map(([x, y]) => {
      const at = 4 * (Math.round(height / 2 + scale * y) * width + Math.round(width / 2 + scale * x));
      return [rgba[at], rgba[at + 1], rgba[at + 2]];
    });
  }, places);
}

test('planes have their patterns and their ends', async () => {
  const red = ([r, g, b]) => r > 1.5 * g && r > 1.5 * b, blue = ([r, g, b]) => b > 1.5 * g && b > 1.5 * r;
  const pattern = { kind: 'checker', rgb: [0.1, 0.1, 0.9], tile: [0.4, 0.2] };
  await withPage(cloth(pattern), {}, async page => {
    await page.select('[aria-label="Camera"]', '0');
    await until(page, 'Math.abs(window.cardan.camera().position[2] - 3) < 1e-6', 'the camera is above');
    const places = [[0.2, 0.1], [0.6, 0.1], [0.2, 0.3], [0.6, 0.3], [-0.2, 0.1], [-0.2, -0.1], [0.2, -0.1], [-0.7, -0.35]];
    const seen = await coloursAt(page, places);
    const odd = ([x, y]) => (Math.floor(x / 0.4) + Math.floor(y / 0.2)) & 1;
    places.forEach((place, i) => assert.ok(odd(place) ? blue(seen[i]) : red(seen[i]), `${place} has ${seen[i]}`));
    // Sharp borders: two pixels beside one, on both sides.
    const [left, right] = await coloursAt(page, [[0.385, 0.1], [0.415, 0.1]]);
    assert.ok(red(left) && blue(right), `${left} and ${right}`);
    for (const colour of await coloursAt(page, [[0.85, 0], [-0.85, 0.2], [0, 0.45], [0.3, -0.45]])) {
      assert.ok(!red(colour) && !blue(colour), `beyond the plane there is ${colour}`);
    }
  });
  await withPage(cloth({ ...pattern, kind: 'gradient', tile: [1.6, 0.8] }), {}, async page => {
    await page.select('[aria-label="Camera"]', '0');
    await until(page, 'Math.abs(window.cardan.camera().position[2] - 3) < 1e-6', 'the camera is above');
    // Tiles begin at the origin, as squares do.
    const [corner, middle, part] = await coloursAt(page, [[0.02, 0.02], [0.79, 0.39], [0.5, 0.25]]);
    assert.ok(blue(corner) && red(middle), `${corner} and ${middle}`);
    assert.ok(part[0] > corner[0] && part[0] < middle[0], `between ${corner} and ${middle}: ${part}`);
  });
});

const fromAbove = async page => {
  await page.select('[aria-label="Camera"]', '0');
  await until(page, 'Math.abs(window.cardan.camera().position[2] - 3) < 1e-6', 'the camera is above');
};

test('planes and meshes have their textures, and the sky is behind them', async () => {
  // The strongest channels say which of the four colours it is.
  const kind = ([r, g, b]) => (b > 1.5 * r ? 2 : g > 1.5 * r ? 1 : g > 0.6 * r ? 3 : 0);
  await withPage(painted, {}, async page => {
    await fromAbove(page);
    for (const [x, half] of [[-0.5, 0.4], [0.5, 0.2]]) {
      const places = [[-1, 1], [1, 1], [-1, -1], [1, -1]].map(([i, j]) => [x + (i * half) / 2, (j * half) / 2]);
      const seen = await coloursAt(page, places);
      seen.forEach((colour, i) => assert.equal(kind(colour), i, `${places[i]} has ${colour}, not ${colours[i]}`));
    }
    for (const colour of await coloursAt(page, [[0, 0.6], [0.2, 0], [0.9, -0.8]])) {
      [120, 0, 160].forEach((x, k) => assert.ok(Math.abs(colour[k] - x) <= 2, `the sky is ${colour}`));
    }
  });
});

test('a spot ends at its angle, and a mirror shows what is above it', async () => {
  await withPage(lit, {}, async page => {
    await fromAbove(page);
    const [under, beside, mirrored, outside] = await coloursAt(page, [[0.4, 0], [0.7, 0], [-0.4, 0], [0, 1.1]]);
    // Half of the plane's colour, and half of the background, or of what is above.
    const encoded = x => 255 * (1.055 * x ** (1 / 2.4) - 0.055), plane = ((0.3 + 0.055) / 1.055) ** 2.4;
    const near = (colour, x, what) => assert.ok(Math.abs(colour - x) <= 3, `${what}: ${colour}, not ${x}`);
    near(beside[0], (encoded((plane * 2.1) / Math.PI) + outside[0]) / 2, 'beside the spot');
    near(under[0], (encoded((plane * (2.1 + 2.4 / 0.7)) / Math.PI) + outside[0]) / 2, 'under the spot');
    near(mirrored[0], (encoded((plane * 2.1) / Math.PI) + 255) / 2, 'what glows, in the mirror');
    assert.ok(mirrored[1] < beside[1] - 20, `it is red: ${mirrored}`);
  });
});

test('a model that falls away stays in view, and comes back', async () => {
  const falling = { ...spot, poses: t => [spot.poses(0)[0], [0, 0, 0.5 - 40 * t * t, 1, 0, 0, 0]] };
  await withPage(falling, {}, async (page, mock) => {
    for (const time of [0, 0.4, 5, 0]) {
      mock.time = time;
      mock.sendFrame();
      await until(page, `Math.abs(window.cardan.frame().time - ${time}) < 1e-12`, 'the frame arrives');
      await until(page, 'window.cardan.project(1).visible', `the ball is in view at ${time} s`);
    }
    await until(page, 'Math.abs(window.cardan.camera().target[2] - 0.5) < 0.6', 'the camera is back');
  });
});

test('all shapes and marks are drawn', async () => {
  await withPage(hopping, {}, async page => {
    const share = await shareOf(page);
    assert.ok(share > 0.02, `${share} of the picture is coloured`);
    // Shadows are off where the processor draws; with them a part of the floor gets darker.
    await page.evaluate('window.before = window.cardan.pixels().rgba');
    await page.select('[aria-label="Detail"]', '0');
    const shaded = await page.evaluate(`(() => {
      const after = window.cardan.pixels().rgba;
      let n = 0;
      for (let i = 0; i < after.length; i += 4) n += window.before[i] - after[i] > 15;
      return n / (after.length / 4);
    })()`);
    assert.ok(shaded > 0.003 && shaded < 0.3, `${shaded} of the picture is in the shade`);
  });
  await withPage(fourBar, {}, async (page, mock) => {
    await page.evaluate('window.before = window.cardan.pixels().rgba');
    for (const key of ['1', '2', '3', '4', '6', '8']) await page.keyboard.press(key);
    await answered(mock, 'layers', 'marks are switched on', request => (request.mask & 0b10101111) === 0b10101111);
    await until(page, 'window.cardan.frame().marks >= 8', 'marks arrive');
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    const changed = await page.evaluate(`(() => {
      const after = window.cardan.pixels().rgba;
      let n = 0;
      for (let i = 0; i < after.length; i += 4) n += Math.abs(after[i] - window.before[i]) > 40;
      return n;
    })()`);
    assert.ok(changed > 300, `marks changed ${changed} pixels`);
  });
});

test('run, pause, step, reset, speed, accuracy, method, keyframe', async () => {
  await withPage(fourBar, {}, async (page, mock) => {
    await click(page, 'Run');
    await answered(mock, 'run', 'the button');
    await until(page, 'window.cardan.frame().time > 0.2', 'time goes on');
    await page.focus('.stage canvas');
    await page.keyboard.press(' ');
    await answered(mock, 'pause', 'the space bar');
    const time = mock.time;
    await page.keyboard.press('ArrowRight');
    assert.equal((await answered(mock, 'step', 'the arrow')).n, 1);
    await until(page, `Math.abs(window.cardan.frame().time - ${time + 0.01}) < 1e-9`, 'one step');
    await page.keyboard.press('-');
    assert.equal((await answered(mock, 'speed', 'slower')).value, 0.5);
    await page.keyboard.press('r');
    await answered(mock, 'reset', 'the key');
    await until(page, 'window.cardan.frame().time === 0', 'back to the start');
    await page.select('[aria-label="Accuracy"]', '1e-8');
    assert.equal((await answered(mock, 'accuracy', 'the list')).value, 1e-8);
    await page.select('[aria-label="Method"]', 'dop853');
    assert.equal((await answered(mock, 'method', 'the list')).name, 'dop853');
    await page.select('[aria-label="Keyframe"]', 'folded');
    assert.equal((await answered(mock, 'keyframe', 'the list')).name, 'folded');
    await page.focus('.stage canvas');
    await page.keyboard.down('Shift');
    await page.keyboard.press('R');
    await page.keyboard.up('Shift');
    assert.equal((await answered(mock, 'record', 'the key')).on, true);
    const line = await page.$eval('.statusline', element => element.textContent);
    assert.match(line, /delivers the accuracy/);
    // the colour follows the verdict, whatever the estimate is
    for (const [delivered, estimate, colour] of [[true, 3e-4, 'good'], [false, 1e-9, 'bad'], [null, 1e-9, 'unknown']]) {
      mock.says = { accuracy: 1e-4, delivered, estimate, verdict: `colour ${colour}` };
      mock.text(mock.status());
      await until(page, `document.querySelector('.verdict').textContent === 'colour ${colour}'`, 'the status comes');
      assert.equal(await page.$eval('.verdict', element => element.dataset.verdict), colour);
    }
  });
});

test('what is missing, long verdicts and notes are seen without a search', async () => {
  await withPage(fourBar, { width: 1280, height: 720 }, async (page, mock) => {
    await answered(mock, 'drawn', 'the page tells that it has drawn the model');
    assert.equal(asked(mock, 'drawn').length, 1);
    assert.equal(await page.$eval('.badge', badge => badge.hidden), true);
    mock.text({ type: 'event', time: 0, kind: 'warning', text: 'not simulated: 2 x tendon/spatial (line 7)' });
    await until(page, '!document.querySelector("header .badge").hidden', 'a badge in the header');
    assert.match(await page.$eval('.badge', badge => badge.textContent), /not.*simulated/i);
    assert.match(await page.$eval('.badge', badge => badge.title), /tendon\/spatial \(line 7\)/);
    mock.text({ type: 'event', time: 0, kind: 'warning', text: 'arm.urdf: not shown: \'trunk.dae\'; the first: it is not found' });
    await until(page, '/not.*shown.*simulated/i.test(document.querySelector(".badge").textContent)', 'what is not seen');
    assert.match(await page.$eval('.badge', badge => badge.title), /^arm\.urdf: not shown: 'trunk\.dae'/);
    // before the first step nothing is known of errors
    assert.match(await page.$eval('.verdict', verdict => verdict.textContent), /error|accuracy/);
    mock.says = { verdict: '', estimate: 0, steps: 0, delivered: null };
    mock.text(mock.status());
    await until(page, 'document.querySelector(".verdict").textContent === ""', 'no error without a step');
    await page.$eval('[data-fold="events"]', fold => { fold.open = false; });
    await page.click('.badge');
    assert.ok(await page.$eval('[data-fold="events"]', fold => fold.open), 'it leads to the list');
    const verdict = 'accuracy of each step: asked 1e-4, delivered about 2.3e-3, the largest at t = 1.234567 s in the coordinate left_knee_flexion; ' +
      'that is 23 times what was asked: ask for less, or take another method';
    const note = 'the machine reaches 0.0213 times real time, and 1 times was asked: take a looser accuracy, another method, or other steps';
    mock.says = { verdict, note, delivered: false };
    mock.text(mock.status());
    await until(page, 'document.querySelector(".verdict").textContent.startsWith("accuracy")', 'the verdict');
    for (const [name, text] of [['.verdict', verdict], ['.note', note]]) {
      const seen = await page.$eval(name, element => ({ text: element.textContent, title: element.title,
        whole: element.scrollWidth <= element.clientWidth + 1 && element.getBoundingClientRect().right <= innerWidth && element.getBoundingClientRect().bottom <= innerHeight }));
      assert.equal(seen.text, text);
      assert.ok(seen.title.includes(text), `${name} has a tooltip`);
      assert.ok(seen.whole, `${name} is cut off`);
    }
  });
});

test('a run that is slow is offered another way', async () => {
  await withPage(fourBar, {}, async (page, mock) => {
    const accuracy = () => page.$eval('[aria-label="Accuracy"]', select => select.selectedOptions[0]?.text);
    await until(page, 'document.querySelector("[aria-label=Accuracy]").value !== ""', 'an accuracy is shown');
    assert.match(await accuracy(), /^1e/);
    mock.says = { accuracy: null };
    for (let visit = 0; visit < 2; visit++) {
      await until(page, '/equal steps/.test(document.querySelector("[aria-label=Accuracy]").selectedOptions[0]?.text)', 'steps without an accuracy');
      await page.reload(); // and so it is at first sight
    }
    assert.equal(await page.$eval('.faster', button => button.hidden), true);
    mock.says = { offers: 'interactive' };
    mock.text(mock.status());
    await until(page, '!document.querySelector(".faster").hidden', 'the offer');
    assert.match(await page.$eval('.faster', button => button.textContent + button.title), /errors.*unknown/i);
    await page.click('.faster');
    assert.equal((await answered(mock, 'preset', 'the button')).name, 'interactive');
  });
});

test('the plane that a model does not have goes down for what hangs lower; what falls away is said', async () => {
  const drop = t => (t > 5 ? 40 * t : t);
  const hanging = { ...spot, poses: t => [spot.poses(0)[0], [0, 0, 0.5 - drop(t), 1, 0, 0, 0]] };
  await withPage(hanging, {}, async (page, mock) => {
    const bottom = 0.5 - 1.02 * 1.2; // below the ball about the model
    await until(page, `Math.abs(window.cardan.groundHeight() - ${bottom}) < 1e-9`, 'the plane at the start');
    mock.time = 1.8;
    mock.sendFrame();
    await until(page, `Math.abs(window.cardan.groundHeight() - ${0.5 - 1.8 - spot.radius}) < 1e-6`, 'it goes down to the ball');
    assert.ok(await page.$eval('.gone', note => note.hidden));
    mock.time = 6;
    mock.sendFrame();
    await until(page, '!document.querySelector(".gone").hidden', 'it is said that the model falls');
    assert.match(await page.$eval('.gone', note => note.textContent), /^The model is 240 m below where it began$/);
    mock.time = 0;
    mock.sendFrame();
    await until(page, 'document.querySelector(".gone").hidden', 'it is back');
  });
});

test('a checkered floor has no grid besides', async () => {
  // Far larger tiles than the distance of the grid's lines: within one tile all is of one colour.
  await withPage(cloth({ kind: 'checker', rgb: [0.1, 0.1, 0.9], tile: [0.8, 0.4] }), {}, async page => {
    await page.select('[aria-label="Camera"]', '0');
    await until(page, 'Math.abs(window.cardan.camera().position[2] - 3) < 1e-6', 'the camera is above');
    const cell = await page.evaluate('Number(document.querySelector("[data-fold=view]").textContent.match(/Grid: ([0-9.]+)/)[1])');
    assert.ok(cell <= 0.3, `the grid has lines every ${cell} m`);
    const seen = await coloursAt(page, Array.from({ length: 61 }, (_, i) => [0.06 + 0.01 * i, 0.1]));
    for (const colour of seen) assert.ok(colour.every((x, k) => Math.abs(x - seen[0][k]) <= 3), `${colour} beside ${seen[0]}`);
  });
});

test('numbers beside the lines of a diagram differ from each other', async () => {
  await withPage(fourBar, {}, async page => {
    const ticks = (values, distance) => page.evaluate(`window.cardan.ticks(${JSON.stringify(values)}, ${distance})`);
    assert.deepEqual(await ticks([0.7071, 0.70711, 0.70712], 1e-5), ['0.70710', '0.70711', '0.70712']);
    assert.deepEqual(await ticks([-2, 0, 2], 2), ['\u22122', '0', '2']);
    assert.deepEqual(await ticks([1234567.1, 1234567.2], 0.1), ['1.2345671e6', '1.2345672e6']);
    assert.deepEqual(await ticks([2e-9, 4e-9], 2e-9), ['2e\u22129', '4e\u22129']);
    assert.deepEqual(await ticks([1e5, 1.5e5], 5e4), ['1.0e5', '1.5e5']);
    // what was found is not sought again
    await page.keyboard.press('p');
    await page.type('.plots [role=combobox]', 'ang');
    await page.keyboard.press('Enter');
    assert.equal(await page.$eval('.plots [role=combobox]', input => input.value), '');
  });
});

test('a model of molecules has picoseconds', async () => {
  const tiny = { ...spot, model: { ...spot.model, time: { unit: 'ps', seconds: 1e-12 } } };
  await withPage(tiny, {}, async (page, mock) => {
    mock.time = 2.5e-13;
    mock.says = { step: 1e-14, reached: 0.5, state: 'running', speed: 1, to: 4e-13 };
    mock.text(mock.status());
    mock.sendFrame();
    await until(page, 'document.querySelector(".time").textContent === "0.250 ps"', 'the time');
    assert.equal(await page.$eval('.last', last => last.textContent), '0.400 ps');
    assert.match(await page.$eval('.statusline', line => line.textContent), /0\.50 ps a second, 1 ps\/s asked.*step 0\.01 ps/);
    assert.equal(await page.$eval('[aria-label="Speed"]', select => select.selectedOptions[0].text), '1 ps/s');
  });
});

test('a click selects, a drag with Ctrl pulls, and letting go releases', async () => {
  await withPage(spot, {}, async (page, mock) => {
    const at = await page.evaluate('window.cardan.project(1)');
    await page.mouse.click(at.x, at.y);
    assert.equal((await answered(mock, 'select', 'a click')).body, 1);
    await until(page, 'document.querySelector(".lines").textContent.includes("mass")', 'the panel tells about the body');
    assert.equal(await page.$eval('[aria-label="Selected body"]', input => input.value), 'spot');
    await page.keyboard.down('Control');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 60, at.y - 30, { steps: 5 });
    const camera = await page.evaluate('window.cardan.camera()');
    const pull = await answered(mock, 'perturb', 'the drag', request => Math.hypot(...request.target.map((x, i) => x - spot.poses(0)[1][i])) > 0.1);
    assert.equal(pull.body, 1);
    const radius = Math.hypot(...pull.station);
    assert.ok(Math.abs(radius - spot.radius) < 0.03 * spot.radius, `the station is ${radius} from the middle of the ball`);
    const box = await page.$eval('.stage canvas', canvas => canvas.getBoundingClientRect().toJSON());
    const target = project(camera, box, asked(mock, 'perturb').at(-1).target);
    assert.ok(Math.hypot(target.x - at.x - 60, target.y - at.y + 30) < 2, 'the target is under the pointer');
    // each frame turns the place into angles and back: some roundings of a few metres
    const place = (await page.evaluate('window.cardan.camera()')).position;
    assert.ok(place.every((x, i) => Math.abs(x - camera.position[i]) < 1e-12), 'the camera stays');
    await page.mouse.up();
    await page.keyboard.up('Control');
    await answered(mock, 'release', 'the button was let go');
    await page.keyboard.press('Escape');
    assert.equal((await answered(mock, 'select', 'Escape', request => request.body === null)).body, null);
  });
});

test('the camera is turned by keys, takes the model\u2019s place, and finds all again', async () => {
  await withPage(fourBar, {}, async page => {
    await page.focus('.stage canvas');
    await page.keyboard.press('f');
    const first = await page.evaluate('window.cardan.camera()');
    await page.keyboard.down('Alt');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.up('Alt');
    await page.keyboard.press('PageUp');
    const turned = await page.evaluate('window.cardan.camera()');
    const away = ({ position, target }) => position.map((x, i) => x - target[i]);
    const [a, b] = [away(first), away(turned)];
    assert.ok(Math.abs(Math.hypot(...b) / Math.hypot(...a) - 0.85) < 1e-6, 'nearer by a factor of 0.85');
    const height = v => Math.asin(v[2] / Math.hypot(...v)), side = v => Math.atan2(v[1], v[0]);
    assert.ok(Math.abs(height(b) - height(a) - Math.PI / 24) < 1e-6, 'higher by 7.5 degrees');
    assert.ok(Math.abs(side(b) - side(a) - Math.PI / 24) < 1e-6, 'to the right by 7.5 degrees');
    await page.select('[aria-label="Camera"]', '0');
    await until(page, 'Math.abs(window.cardan.camera().position[1] + 3) < 1e-6', 'the camera "side" of the model');
    const { x, y } = await page.evaluate('window.cardan.project(3)');
    const box = await page.$eval('.stage canvas', canvas => canvas.getBoundingClientRect().toJSON());
    // The rocker's origin (1, 0, 0) seen from (0.5, -3, 0.4) along y, 0.8 rad from top to bottom.
    const scale = box.height / 2 / Math.tan(0.4) / 3;
    assert.ok(Math.hypot(x - (box.left + box.width / 2 + 0.5 * scale), y - (box.top + box.height / 2 + 0.4 * scale)) < 1, `${x} ${y}`);
    await page.keyboard.press('f');
    const home = await page.evaluate('window.cardan.camera()');
    assert.ok(Math.hypot(...home.position.map((p, i) => p - first.position[i])) < 1e-6, 'as before');
    for (let body = 1; body < 4; body++) assert.ok((await page.evaluate(`window.cardan.project(${body})`)).visible, `body ${body} is in view`);
    assert.equal(await page.$eval('[aria-label="Camera"]', select => select.value), '-1');
  });
});

test('sliders and numbers set coordinates, controls and parameters', async () => {
  await withPage(fourBar, {}, async (page, mock) => {
    await page.$eval('[aria-label="crank angle, rad: slider"]', input => {
      input.value = '750';
      input.dispatchEvent(new Event('input'));
      input.dispatchEvent(new Event('change'));
    });
    const set = await answered(mock, 'coordinate', 'the slider');
    assert.equal(set.index, 0);
    assert.ok(Math.abs(set.value - Math.PI / 2) < 1e-9, `three quarters from -pi to pi is pi / 2, not ${set.value}`);
    const { az } = fourBarAngles(Math.PI / 2);
    await until(page, `Math.abs(window.cardan.frame().poses[7 * 2 + 2] - ${az}) < 1e-5`, 'the coupler goes with the crank');
    await page.$eval('[data-fold="controls"]', fold => { fold.open = true; });
    await page.$eval('[aria-label="motor, N m"]', input => {
      input.value = '2.5';
      input.dispatchEvent(new Event('change'));
    });
    assert.deepEqual((({ index, value }) => [index, value])(await answered(mock, 'control', 'the number')), [0, 2.5]);
    await page.$eval('[data-fold="parameters"]', fold => { fold.open = true; });
    assert.equal((await answered(mock, 'parameters', 'the panel is opened')).element, 1);
    await page.waitForSelector('[aria-label="mass, kg"]');
    await page.$eval('[aria-label="mass, kg"]', input => {
      input.value = '3';
      input.dispatchEvent(new Event('change'));
    });
    const parameter = await answered(mock, 'parameter', 'the number');
    assert.deepEqual([parameter.element_type, parameter.element, parameter.index, parameter.value], ['body', 1, 0, 3]);
    mock.refused.add('control');
    await page.$eval('[aria-label="motor, N m"]', input => {
      input.value = '3';
      input.dispatchEvent(new Event('change'));
    });
    await until(page, 'document.querySelector(".toasts").textContent.includes("refused by this test")', 'a refusal is said');
  });
});

test('plots scroll, and the time line scrubs', async () => {
  await withPage(fourBar, { width: 1100, height: 700 }, async (page, mock) => {
    await page.keyboard.press('p');
    await page.type('.plots [role=combobox]', 'ang');
    await page.keyboard.press('Enter');
    assert.deepEqual((await answered(mock, 'plots', 'a series', request => request.series.length === 1)).series, [2]);
    await page.keyboard.press('Escape');
    await click(page, 'Run');
    await until(page, 'window.cardan.frame().time > 1', 'time goes on');
    await click(page, 'Pause');
    await answered(mock, 'pause', 'the button');
    const time = mock.time;
    await until(page, `Math.abs(Number(document.querySelector(".legend output").textContent) - ${time}) < 2e-3`, 'the value beside the name');
    const inked = await page.$eval('.chart canvas', canvas => {
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let n = 0;
      for (let i = 0; i < data.length; i += 4) n += data[i + 3] > 128 && data[i + 2] > data[i] + 60;
      return n;
    });
    assert.ok(inked > 100, `the curve has ${inked} pixels`);
    await page.$eval('.timeline', input => {
      input.value = String(input.max / 2);
      input.dispatchEvent(new Event('input'));
      input.dispatchEvent(new Event('change'));
    });
    const seek = await answered(mock, 'seek', 'the time line');
    assert.ok(Math.abs(seek.time - time / 2) < 0.02 * time, `the middle of ${time} is not ${seek.time}`);
    await until(page, `Math.abs(window.cardan.frame().time - ${seek.time}) < 1e-9`, 'what was is shown');
  });
});

const typed = async (page, text) => {
  await page.$eval('.plots [role=combobox]', input => { input.value = ''; });
  await page.type('.plots [role=combobox]', text);
};
const legend = page => page.$$eval('.legend li', all => Object.fromEntries(all.map(item =>
  [item.querySelector('.name').textContent, Number(item.querySelector('output').textContent.replaceAll('\u2212', '-'))])));

test('expressions of series are plotted; a wrong one says where and what is known', async () => {
  const model = { ...fourBar.model, series: [...fourBar.model.series,
    ...[0, 1, 2].map(k => ({ name: `v_hand[${k}]`, unit: 'm/s', group: 'measures' })), { name: 'left-knee.q', unit: 'rad', group: 'coordinates' }] };
  await withPage({ ...fourBar, model }, { width: 1100, height: 700 }, async (page, mock) => {
    const names = model.series.map(({ name }) => name), energy = 'energy', angle = names[2];
    mock.numbers = time => [9.81 * Math.sin(time), 0.003, time, 1, 2, 3, 6, 0.5 + time];
    await page.keyboard.press('p');
    const expected = {
      [`${angle} * 57.3 - 1`]: t => 57.3 * t - 1,
      [`-${angle}^2^0.5 / -2`]: t => t ** Math.SQRT2 / 2,
      [`2^-1 + 8 - 4 - 2*(${angle} + .5e1)`]: t => 4.5 - 2 * (t + 5),
      'norm(v_hand)': () => 7,
      [`max(v_hand, ${angle}) - min(v_hand[1], 9)`]: t => Math.max(6, t) - 3,
      'deg(atan2(1, -1)) + deg(asin(0.5))': null, // no series in it
      [`deg(left-knee.q) + abs(-exp(log(sqrt(pi * pi)))) + cos(left-knee.q - ${angle}) * tan(acos(1)) + t`]: t => ((0.5 + t) * 180) / Math.PI + Math.PI + t,
      [`${energy} - first(${energy})`]: t => 9.81 * Math.sin(t),
    };
    for (const text in expected) {
      await typed(page, text);
      await page.keyboard.press('Enter');
    }
    assert.match(await page.$eval('.offers', list => list.textContent), /./);
    await page.keyboard.press('Escape');
    // one request has all series that they read, each once
    const request = await answered(mock, 'plots', 'series of expressions', ({ series }) => series.length === 6);
    assert.deepEqual([...request.series].sort((a, b) => a - b), [0, 2, 4, 5, 6, 7]);
    await click(page, 'Run');
    await until(page, 'window.cardan.frame().time > 1', 'time goes on');
    await click(page, 'Pause');
    await answered(mock, 'pause', 'the button');
    const wanted = Object.entries(expected).filter(([, of]) => of);
    const { time } = mock, [first, of_first] = wanted[0];
    await until(page, `window.cardan.frame().time === ${time} && Math.abs(Number([...document.querySelectorAll(".legend li")].find(item =>
      item.querySelector(".name").textContent === ${JSON.stringify(first)}).querySelector("output").textContent) - ${of_first(time)}) < 0.06`, 'the last values');
    const shown = await legend(page);
    assert.deepEqual(Object.keys(shown).sort(), wanted.map(([text]) => text).sort());
    for (const [text, of] of wanted) assert.ok(Math.abs(shown[text] - of(time)) < 2e-3 * (1 + Math.abs(of(time))), `${text} is ${of(time)}, not ${shown[text]}`);
    // each has a diagram of its own, and its curve is as long as the run
    assert.deepEqual(await page.$$eval('.chart-title', all => all.map(title => title.textContent).sort()), wanted.map(([text]) => text).sort());
    const curve = await page.evaluate('window.cardan.plotted(0, 0)');
    assert.ok(curve.times.length > 10);
    curve.times.forEach((t, i) => assert.ok(Math.abs(curve.values[i] - (57.3 * t - 1)) < 1e-9, `at ${t}: ${curve.values[i]}`));

    for (const [text, mark, message] of [
      [`${angle} * kne.q`, 'kne.q', /nothing is called kne\.q; there are .*left-knee\.q/],
      [`sin(${angle}`, '(', /this \( is not closed/],
      [`${angle} +`, '\u2423', /a name or a number is missing/],
      ['2 * v_hand', 'v_hand', /v_hand has 3 numbers: take one, as in v_hand\[0\], or norm\(v_hand\)/],
      [`sine(${angle})`, 'sine', /no function is called sine; there are sin, cos/],
      [`atan2(${angle})`, `atan2(${angle})`, /atan2 takes 2 numbers, not 1/],
      [`${angle} (2)`, '(', /one of \+ - \* \/ \^ or the end/],
      ['1 + 1', '1 + 1', /no series in it/],
    ]) {
      await typed(page, text);
      await until(page, 'document.querySelector(".offer-error")', `${text} is wrong`);
      const said = await page.$eval('.offer-error', box => ({ mark: box.querySelector('mark').textContent, text: box.textContent }));
      assert.equal(said.mark, mark, text);
      assert.match(said.text, message);
    }
    // a name that is half written is completed
    await typed(page, '2 * lef');
    await page.keyboard.press('Enter');
    assert.equal(await page.$eval('.plots [role=combobox]', input => input.value), '2 * left-knee.q');
    await page.keyboard.press('Enter');
    assert.ok('2 * left-knee.q' in await legend(page));
    await page.keyboard.press('Escape');
    // they come back with the page
    await page.reload();
    await until(page, 'document.querySelectorAll(".legend li").length === 8', 'the expressions come back');
  });
});

test('resizing, 400 pixels, touch, dark and light, contrast of texts, names of all controls', async () => {
  await withPage(fourBar, { dark: true, width: 1100, height: 700 }, async page => {
    await page.keyboard.press('p');
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    assert.deepEqual(await page.evaluate(contrasts), [], 'dark texts of little contrast');
    await page.keyboard.press('d');
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light');
    assert.deepEqual(await page.evaluate(contrasts), [], 'light texts of little contrast');
    const nameless = await page.$$eval('button, input, select, summary', all => all.filter(element =>
      !element.getAttribute('aria-label') && !element.textContent.trim() && !element.closest('label')).map(element => element.outerHTML));
    assert.deepEqual(nameless, [], 'controls without a name');
    for (const [width, height] of [[1400, 900], [700, 600], [400, 740]]) {
      await page.setViewport({ width, height });
      await until(page, `document.querySelector(".stage canvas").clientWidth <= ${width}`, 'the picture follows');
      await page.evaluate('new Promise(resolve => setTimeout(resolve, 300))');
      const share = await shareOf(page);
      assert.ok(share > 0.003, `at ${width} pixels ${share} of the picture is coloured`);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `the page is ${wide} wide on ${width}`);
      const outside = await page.$$eval('header button, .transport button, .transport select, .timeline', (all, most) => all
        .filter(element => element.offsetParent && (element.getBoundingClientRect().right > most + 0.5 || element.getBoundingClientRect().left < -0.5))
        .map(element => element.outerHTML), width);
      assert.deepEqual(outside, [], `beyond the page at ${width}`);
    }
  });
  await withPage(spot, { width: 400, height: 740, touch: true }, async (page, mock) => {
    const at = await page.evaluate('window.cardan.project(1)');
    await page.touchscreen.tap(at.x, at.y);
    assert.equal((await answered(mock, 'select', 'a tap')).body, 1);
    const before = await page.evaluate('window.cardan.camera()');
    const finger = await page.touchscreen.touchStart(60, 300);
    await finger.move(160, 320);
    await finger.move(200, 330);
    await finger.end();
    await until(page, `window.cardan.camera().position.some((x, i) => Math.abs(x - ${JSON.stringify(before.position)}[i]) > 0.05)`, 'a finger turns the camera');
  });
});

test('a lost connection is said, and mended', async () => {
  const mock = await new Mock(html, fourBar).open();
  const opened = await openPage(browser, mock.address);
  const { page } = opened;
  await mock.close();
  await until(page, 'document.querySelector(".banner:not([hidden])")?.textContent.includes("lost")', 'the page says that the connection is lost');
  assert.equal((await state(page)).connection, 'lost');
  assert.ok(await page.$eval('button[aria-label="Run"]', button => button.disabled), 'nothing can be asked for meanwhile');
  const again = new Mock(html, fourBar);
  again.time = 5;
  again.status = () => ({ type: 'nothing' }); // of this server the page has no numbers yet
  await again.open(mock.port);
  await until(page, 'window.cardan.state().connection === "open" && window.cardan.frame()?.time === 5', 'the page returns with the server');
  assert.equal(await page.$eval('.banner', banner => banner.hidden), true);
  assert.equal(await page.$eval('.statusline', line => line.textContent.replace('Go on faster, errors unknown', '')), '', 'the numbers of the first server are gone');
  await again.close('the test is over');
  await until(page, 'document.querySelector(".banner:not([hidden])")?.textContent.includes("the test is over")', 'the farewell is shown');
  // The browser itself reports each attempt that finds nobody.
  assert.deepEqual(opened.errors.filter(text => !/WebSocket connection to/.test(text)), []);
  await opened.close();
});

test('two pages look at one run, and one of them steers', async () => {
  await withPage(fourBar, {}, async (first, mock) => {
    const second = await openPage(browser, mock.address, { width: 700, height: 500 });
    await until(second.page, 'window.cardan.state().steer.steer === false', 'the second page watches');
    assert.ok(await second.page.$eval('button[aria-label="Run"]', button => button.disabled));
    // it selects and plots for itself
    await second.page.keyboard.press('p');
    await second.page.type('.plots [role=combobox]', 'angle');
    await second.page.keyboard.press('Enter');
    await answered(mock, 'plots', 'the watching page', request => request.series.length === 1);
    await until(second.page, 'window.cardan.state().status.plots.length === 1', 'it is plotted');
    await typed(second.page, 'deg(angle)');
    await second.page.keyboard.press('Enter');
    await until(second.page, 'document.querySelectorAll(".legend li").length === 2 && Number.isFinite(window.cardan.plotted(0, 1)?.values[0])', 'and an expression');
    assert.equal(await second.page.$eval('.toasts', toasts => toasts.textContent), '', 'nothing is refused');
    await second.page.click('.watch button');
    await until(second.page, 'window.cardan.state().steer.steer', 'the second page steers');
    await until(first, '!window.cardan.state().steer.steer && !document.querySelector(".watch").hidden', 'the first page watches, and says so');
    assert.deepEqual(second.errors, []);
    await second.close();
  });
});

test('texts of the server are texts, and odd messages do no harm', async () => {
  const evil = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';
  const world = structuredClone({ model: fourBar.model });
  Object.assign(world, { poses: fourBar.poses, marks: angle => [...fourBar.marks(angle), { kind: 8, layer: 128, text: evil }] });
  Object.assign(world.model, { name: evil, source: evil, keyframes: [evil], methods: [evil] });
  world.model.bodies[1].name = world.model.coordinates[0].name = world.model.series[0].name = world.model.elements[0].name = evil;
  await withPage(world, {}, async (page, mock) => {
    mock.text({ type: 'event', time: 1, kind: 'error', text: evil });
    mock.text({ type: 'selected', body: 0, name: evil, lines: [{ label: evil, value: evil }] });
    mock.text({ type: 'status', ...mock.status(), verdict: evil, note: evil });
    for (const socket of mock.sockets.clients) {
      for (const text of ['{', '[]', 'null', '{"type":5}', '{"type":"unknown"}']) socket.send(text);
      for (const bytes of [Buffer.alloc(0), Buffer.from([1, 0, 0, 0]), Buffer.alloc(40, 255), Buffer.from([9, 0, 0, 0, 1, 2, 3, 4])]) socket.send(bytes);
      const long = Buffer.alloc(48);
      long.writeUInt32LE(1, 0);
      long.writeUInt32LE(1e9, 20); // bodies that are not there
      socket.send(long);
      const mesh = Buffer.alloc(16 + 24 + 12);
      [2, 3, 1, 1].forEach((x, i) => mesh.writeUInt32LE(x, 4 * i));
      mesh.writeUInt32LE(77, 40); // a vertex that is not there
      socket.send(mesh);
    }
    await page.keyboard.press('p');
    await page.type('.plots [role=combobox]', 'i');
    await page.keyboard.press('Escape');
    await page.focus('.stage canvas');
    await page.keyboard.press('8');
    await click(page, 'Run');
    await until(page, 'window.cardan.frame().time > 0.1', 'the page lives');
    assert.equal(await page.evaluate('window.hurt'), undefined);
    assert.equal((await page.$$('#app img, #app script')).length, 0);
    assert.match(await page.$eval('.events', list => list.textContent), /onerror/);
  });
});

test('1000 bodies: 60 poses a second are taken', async () => {
  await withPage(cloud(1000), { width: 480, height: 360 }, async (page, mock) => {
    await click(page, 'Run');
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 2500))'); // the detail settles
    const before = await state(page), sent = mock.sent;
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 3000))');
    const after = await state(page);
    const taken = (after.received - before.received) / (mock.sent - sent);
    assert.ok(taken > 0.9, `the page took ${taken} of the frames`);
    assert.ok(after.drawn > before.drawn, 'the picture goes on');
    // What taking a frame costs the page. The picture itself is drawn by a graphics card, where there is one.
    const costs = await page.evaluate(`(async () => {
      const costs = [];
      for (let i = 0; i < 30; i++) {
        await new Promise(resolve => requestAnimationFrame(resolve));
        const { updateMs, drawMs } = window.cardan.state();
        costs.push({ updateMs, drawMs });
      }
      return ['updateMs', 'drawMs'].map(name => costs.map(cost => cost[name]).sort((a, b) => a - b)[15]);
    })()`);
    assert.ok(costs[0] + costs[1] < 1000 / 60, `a frame of 1000 bodies costs ${costs[0]} ms, and its picture ${costs[1]} ms`);
    // Balls, boxes, tubes and caps of capsules, the floor: one call each, and once more for shadows.
    assert.ok(after.calls <= 10, `${after.calls} calls draw 1000 bodies`);
  });
});

for (const packed of [false, true]) test(`a page with data plays without server and network, frames ${packed ? 'packed' : 'whole'}`, async () => {
  const frames = [];
  const colors = [[0.2, 0.5, 0.9, 1], [0.9, 0.5, 0.1, 1]];
  for (let i = 0; i <= 200; i++) {
    for (const run of [0, 1]) {
      const time = i / 100;
      frames.push({ run, time, number: frames.length, values: [time * time, 1 + run], poses: fourBar.poses(time + 0.2 * run), marks: fourBar.marks(time) });
    }
  }
  const model = { ...fourBar.model, runs: [0, 1].map(run => ({ name: `run ${run}`, rgba: colors[run], from: 0, to: 2, rows: 201 })) };
  const status = { type: 'status', time: 0, state: 'paused', speed: 1, layers: 16, plots: [0, 2], estimate: null, verdict: 'replayed', from: 0, to: 2, note: null };
  const data = dataText({ hello: { type: 'hello', wire: 1, cardan: '0', mode: 'replay' }, model, frames, status, packed,
    events: [{ type: 'event', time: 0.5, kind: 'event', text: 'latched' }] });
  const file = join(folder, 'page.html');
  writeFileSync(file, pageWithData(html, data));
  const opened = await openPage(browser, pathToFileURL(file).href, { width: 1000, height: 640 });
  const { page } = opened;
  await click(page, 'Run');
  await until(page, 'window.cardan.frame().time > 0.4', 'it plays');
  await click(page, 'Pause');
  await page.$eval('.timeline', input => {
    input.value = String(input.max / 4);
    input.dispatchEvent(new Event('input'));
    input.dispatchEvent(new Event('change'));
  });
  await until(page, 'Math.abs(window.cardan.frame().time - 0.5) < 1e-9', 'it scrubs');
  const { poses } = await frame(page);
  fourBar.poses(0.5).flat().forEach((x, i) => assert.ok(Math.abs(poses[i] - x) < 1e-6, `word ${i} of the poses is ${poses[i]}, not ${x}`));
  // Between two rows: poses on the arc.
  await page.$eval('.timeline', input => {
    input.value = '2525';
    input.dispatchEvent(new Event('input'));
    input.dispatchEvent(new Event('change'));
  });
  await until(page, 'Math.abs(window.cardan.frame().time - 0.505) < 1e-9', 'between rows');
  const between = await frame(page);
  fourBar.poses(0.505).flat().forEach((x, i) => assert.ok(Math.abs(between.poses[i] - x) < 2e-5, `word ${i} between rows`));
  await page.keyboard.press('p');
  await page.type('.plots [role=combobox]', 'energy');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await until(page, 'Math.abs(Number(document.querySelector(".legend output")?.textContent) - 0.25) < 0.02', 'values of the record');
  // an expression of what the page has, over both runs; what it does not have is unknown
  await typed(page, 'energy - first(energy) + 3');
  await page.keyboard.press('Enter');
  for (const run of [0, 1]) {
    const { times, values } = await page.evaluate(`window.cardan.plotted(${run}, 1)`);
    assert.equal(times.length, 201);
    times.forEach((t, i) => assert.ok(Math.abs(values[i] - (t * t + 3)) < 1e-9));
  }
  await typed(page, '2 * step size');
  await until(page, '/nothing is called step/.test(document.querySelector(".offer-error")?.textContent)', 'what is not in the page is unknown');
  await page.keyboard.press('Escape');
  const share = await shareOf(page);
  assert.ok(share > 0.003, `${share} of the picture is coloured`);
  assert.match(await page.$eval('.events', list => list.textContent), /latched/);
  assert.equal(await page.$$eval('.runs li', all => all.length), 2);
  assert.deepEqual(opened.errors, []);
  assert.deepEqual(opened.outside, []);
  await opened.close();
});

test('broken data are said', async () => {
  const file = join(folder, 'broken.html');
  writeFileSync(file, pageWithData(html, 'bm90IGd6aXA='));
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  await until(page, 'document.querySelector(".banner:not([hidden])")?.textContent.includes("cannot be read")', 'the page says so');
  await context.close();
});
