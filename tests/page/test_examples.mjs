// Pages in files of all examples: each opens alone, shows something, and plays.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openBrowser, openPage, until } from './browser.mjs';

const programs = (process.env.CARDAN_EXAMPLES ?? '').split('\n').filter(Boolean);
if (programs.length === 0) console.log('skipped: no examples were named (CARDAN_EXAMPLES)');
let browser, folder;
before(async () => {
  if (programs.length === 0) return;
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), 'cardan-examples-'));
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

// How many pixels are not of the commonest colours: of background, ground and grid there are few.
const things = `(() => {
  const { rgba } = window.cardan.pixels(), counts = new Map();
  for (let i = 0; i < rgba.length; i += 4) {
    const key = (rgba[i] >> 3 << 10) | (rgba[i + 1] >> 3 << 5) | rgba[i + 2] >> 3;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts.size;
})()`;

for (const program of programs) {
  const name = basename(program).replace('paged_', '');
  test(`a page of the example ${name}`, async () => {
    const file = join(folder, `${name}.html`);
    execFileSync(program, { cwd: process.env.CARDAN_SOURCE_ROOT, env: { ...process.env, CARDAN_EXAMPLE_PAGE: file }, stdio: 'pipe' });
    assert.ok(existsSync(file), 'it makes a page');
    assert.ok(statSync(file).size < 2.5e6, `${statSync(file).size} bytes`);
    const opened = await openPage(browser, pathToFileURL(file).href, { width: 480, height: 360 });
    try {
      const { page } = opened;
      const { bodies, visuals } = await page.evaluate('({ bodies: window.cardan.model().bodies.length, visuals: window.cardan.model().visuals.length })');
      assert.ok(bodies > 1 && visuals > 0, `${bodies} bodies, ${visuals} visuals`);
      await until(page, `${things} > 20`, 'the picture has more than 20 colours');
      const { from, to } = await page.evaluate('window.cardan.state().status');
      if (to > from) {
        await page.click('button[aria-label="Run"]');
        await until(page, `window.cardan.frame().time > ${from}`, 'it plays');
      }
      assert.deepEqual(opened.errors, []);
      assert.deepEqual(opened.outside, []);
    } finally {
      await opened.close();
    }
  });
}
