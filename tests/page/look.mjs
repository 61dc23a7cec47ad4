// Writes pictures of the page to look at. usage: node tests/page/look.mjs VIEWER.html FOLDER
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { openBrowser, openPage } from './browser.mjs';
import { dataText, pageWithData } from './messages.mjs';
import { Mock } from './mock.mjs';
import { cloud, fourBar, hopping } from './worlds.mjs';

const [file, folder] = process.argv.slice(2);
const html = readFileSync(file, 'utf8');
mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
const wait = ms => new Promise(resolve => setTimeout(resolve, ms));

async function shoot(name, world, options, act = async () => {}) {
  const mock = await new Mock(html, world).open();
  const opened = await openPage(browser, mock.address, options);
  await act(opened.page, mock);
  await wait(500);
  await opened.page.screenshot({ path: `${folder}/${name}.png` });
  const about = await opened.page.evaluate('(({ drawMs, updateMs, detail, drawn }) => ({ drawMs, updateMs, detail, drawn }))(window.cardan.state())');
  console.log(name, about, opened.errors, opened.outside);
  await opened.close();
  await mock.close();
}

const busy = async page => {
  await page.keyboard.press('p');
  await page.focus('.plots input');
  for (const text of ['energy', 'angle', 'rate']) {
    await page.$eval('.plots input', (input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }, text);
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Escape');
  await page.evaluate('document.activeElement.blur()');
  for (const key of ['1', '2', '3', '4', '6', '8']) await page.keyboard.press(key);
  await page.keyboard.press(' ');
  const at = await page.evaluate('window.cardan.project(2)');
  await page.mouse.click(at.x, at.y);
  await wait(3000);
};
await shoot('loop', fourBar, { width: 1280, height: 800 }, busy);
await shoot('loop-dark', fourBar, { width: 1280, height: 800, dark: true }, busy);
await shoot('contact', hopping, { width: 1280, height: 800 }, async page => {
  await page.keyboard.press(' ');
  await wait(1000);
});
await shoot('cloud', cloud(1000), { width: 1280, height: 800 }, async page => {
  await page.keyboard.press(' ');
  await wait(4000);
});
await shoot('narrow', fourBar, { width: 400, height: 780, touch: true }, async page => {
  await page.keyboard.press('b');
});
await shoot('narrow-plots', fourBar, { width: 400, height: 780, touch: true }, busy);
await shoot('help', fourBar, { width: 1000, height: 800 }, async page => {
  await page.keyboard.press('?');
});
await shoot('lost', fourBar, { width: 1000, height: 640 }, async (page, mock) => {
  for (const socket of mock.sockets.clients) socket.terminate();
  mock.http.close();
  await wait(1500);
});
await browser.close();
