// Starts the cardan command: a live view of a model, or a page in a file.
import { spawn, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export const cardan = process.env.CARDAN_BIN;

// A view of a model (or of a model and runs) on a port of its own; `address` is its page, `close` ends it.
export async function view(model, page, options = []) {
  const child = spawn(cardan, ['view', ...[model].flat(), '--no-browser', '--quiet', ...options],
    { env: { ...process.env, CARDAN_PAGE: page }, stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '', wrong = '';
  child.stderr.on('data', bytes => { wrong += bytes; });
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', bytes => {
      told += bytes;
      const match = /http:\/\/\S+/.exec(told);
      if (match) resolve(match[0]);
    });
    child.on('exit', code => reject(new Error(`cardan view ${model} ended with ${code}: ${wrong}`)));
  });
  return {
    address,
    stop: () => child.kill('SIGTERM'),
    close: () => new Promise(resolve => {
      child.removeAllListeners('exit');
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.on('exit', resolve);
      child.kill('SIGTERM');
    }),
  };
}

export function run(...args) {
  return execFileSync(cardan, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

// Whether this cardan can serve a view, and why not.
export function canView() {
  if (!cardan || !existsSync(cardan)) return 'there is no cardan command (CARDAN_BIN)';
  try {
    return run('view', '--help').includes('view') ? null : 'cardan has no view';
  } catch (error) {
    return `cardan view does not run: ${String(error.stderr ?? error).trim()}`;
  }
}
