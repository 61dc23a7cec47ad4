// Makes viewer.html, one file with script and style inside, and LICENSES of what is in it.
// usage: npm run build -- --out DIR
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync, existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const limit = 1 << 20;

function outputFolder() {
  const at = process.argv.indexOf('--out');
  if (at < 0) return join(here, 'dist');
  if (!process.argv[at + 1]) throw new Error('--out needs a folder');
  return resolve(process.env.INIT_CWD ?? process.cwd(), process.argv[at + 1]);
}

// The packages of node_modules of which something is in the bundle.
function packagesIn(metafile) {
  const names = new Set();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const match = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input);
      if (match && bytesInOutput > 0) names.add(match[1]);
    }
  }
  return [...names].sort();
}

function licenseOf(name) {
  const folder = join(here, 'node_modules', name);
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file`);
  const text = readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${about.version} (${about.license})\n\n${text}\n`;
}

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: ['es2022'],
    legalComments: 'none',
    charset: 'utf8',
    outdir: 'unused',
  });
  return result;
}

const { outputFiles, metafile } = await bundle('src/main.ts');
const text = ending => outputFiles.find(file => file.path.endsWith(ending)).text;
// An HTML parser would take these for the end of the element, or for the beginning of a comment.
const script = text('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = text('.css').replaceAll('</style', '<\\/style');
const names = packagesIn(metafile);
const licenses = `viewer.html contains Cardan's own page and these packages.\n\n${names.map(licenseOf).join('\n' + '-'.repeat(100) + '\n\n')}`;

const template = readFileSync(join(here, 'src/page.html'), 'utf8');
// The browser runs what has these hashes, and nothing else. The server repeats them in its header.
const hash = text => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
const page = template
  .replace('SCRIPT-HASH', hash(script))
  .replace('STYLE-HASH', hash(style))
  .replace('/*STYLE*/', () => style)
  .replace('/*SCRIPT*/', () => script);
const marks = page.split('<!--cardan-data-->').length - 1;
if (marks !== 1) throw new Error(`viewer.html has its place for data ${marks} times instead of once`);
const size = Buffer.byteLength(page);
if (size > limit) throw new Error(`viewer.html has ${size} bytes; at most ${limit} are allowed`);

const folder = outputFolder();
if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'viewer.html'), page);
writeFileSync(join(folder, 'LICENSES'), licenses);
console.log(`viewer.html: ${(size / 1000).toFixed(0)} kB, with ${names.join(', ')}`);
