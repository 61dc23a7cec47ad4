// Opens Debian's Chromium without a display, with WebGL in software, and collects what must not be: errors in the console,
// requests to anywhere else.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const puppeteer = createRequire(new URL('../../apps/viewer/package.json', import.meta.url))('puppeteer-core');

export function findChromium() {
  const known = [process.env.CARDAN_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return known.find(path => path && existsSync(path)) ?? null;
}

export async function openBrowser() {
  const args = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--hide-scrollbars'];
  if (process.getuid?.() === 0) args.push('--no-sandbox'); // Chromium refuses to sandbox root's processes
  return puppeteer.launch({ executablePath: findChromium(), headless: true, args, protocolTimeout: 180000 });
}

// A page with `errors` and `outside`; `allowed` may be asked for.
export async function openPage(browser, address, { width = 840, height = 560, dark = false, touch = false } = {}) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const errors = [], outside = [];
  page.on('console', message => {
    if (['error', 'warn'].includes(message.type())) errors.push(message.text());
  });
  page.on('pageerror', error => errors.push(String(error)));
  page.on('request', request => {
    const url = request.url();
    if (!url.startsWith('data:') && !url.startsWith('blob:') && !url.startsWith(address)) outside.push(url);
  });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.setViewport({ width, height, hasTouch: touch, isMobile: touch });
  await page.goto(address, { waitUntil: 'load' });
  await page.waitForFunction('window.cardan && window.cardan.frame() && window.cardan.state().drawn > 1', { timeout: 60000 });
  return { page, errors, outside, close: () => context.close() };
}

// Until the camera has come to rest: it turns on for a moment.
export async function rest(page) {
  for (let before = '', now = 'first'; before !== now; ) {
    before = now;
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 250))');
    now = await page.evaluate('String(window.cardan.camera().position)');
  }
}

export const state = page => page.evaluate('window.cardan.state()');
export const frame = page => page.evaluate('window.cardan.frame()');

export async function until(page, expression, what, timeout = 30000) {
  try {
    await page.waitForFunction(expression, { timeout, polling: 30 });
  } catch {
    throw new Error(`never: ${what}`);
  }
}
