// A newer MuJoCo as a peer: npm's package @mujoco/mujoco (WebAssembly) loads files and answers for them.
//
//     node newer_mujoco.mjs FOLDER
//
// FOLDER has node_modules/@mujoco/mujoco. Each line of the input is answered by a line, in failure by "failed REASON";
// numbers are separated by blanks:
//
//     open FILE                       from then on it is about this file                                 -> the model in JSON
//     axes QUATERNION... MOMENTS...   principal axes (w x y z) and moments of all bodies take the place of its own  -> "done"
//     untouched                       contact is switched off                                                       -> "done"
//     state QPOS... QVEL... CTRL... ACT...                                                                          -> qacc
//     sensors                                                                                      -> sensordata at that state
//     step CTRL...                    a step from there                     -> sensordata at its beginning, then qpos and qvel after
//     go                              a step from there, by the same controls                      -> time and qpos after it
//
// Soft rows are solved to the end: Newton, tolerance 0, many iterations, no warm start, no noslip.
//
// Who draws the states (tests/peers/test_mujoco_collections.c): the generator is x <- 6364136223846793005 x + 1442695040888963407
// modulo 2^64, and random_uniform of random_mjcf.c. This script knows nothing of it.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
const root = path.resolve(folder, 'node_modules/@mujoco/mujoco/mujoco.js');
const load = (await import(pathToFileURL(root))).default;
const silent = () => {};
const mj = await load({ print: silent, printErr: silent });
const say = (text) => fs.writeSync(1, `${text}\n`);

// The files that a model names are put where they are on the disk: under each of the folders that its texts name.
let seen = new Set();
const is_file = (name) => fs.existsSync(name) && fs.statSync(name).isFile();
function put(name) {
  if (seen.has(name) || !is_file(name)) return false;
  seen.add(name);
  mj.FS.mkdirTree(path.dirname(name));
  mj.FS.writeFile(name, fs.readFileSync(name));
  return true;
}
const words = (text, attribute) => [...text.matchAll(new RegExp(`\\b${attribute}\\s*=\\s*["']([^"']*)["']`, 'g'))].map((m) => m[1]);

// Directories of one text hold in others as well, so that all texts come first.
function put_all(start) {
  const bases = [path.dirname(start)];
  const dirs = [''];
  const files = [];
  const texts = [start];
  for (const name of texts) {
    if (!put(name)) continue;
    const text = fs.readFileSync(name, 'utf8');
    if (!bases.includes(path.dirname(name))) bases.push(path.dirname(name));
    dirs.push(...words(text, '(?:mesh|texture|asset)dir'));
    for (const file of words(text, 'file(?:\\w*)')) {
      if (file.endsWith('.xml')) texts.push(...bases.map((base) => path.resolve(base, file)));
      else files.push(file);
    }
  }
  for (const file of files)
    for (const base of bases)
      for (const dir of dirs)
        for (const part of [file, path.basename(file)]) put(path.resolve(base, dir, part));
}

let m = null;
let d = null;
function close() {
  d?.delete();
  m?.delete();
  d = m = null;
  for (const name of seen) mj.FS.unlink(name);
  seen = new Set();
}
// What has no name is given the text at address 0.
function names(type, count) {
  const none = mj.mj_id2name(m, type.value, -1);
  return Array.from({ length: count }, (_, i) => mj.mj_id2name(m, type.value, i)).map((name) => (name === none ? '' : name));
}
const off = mj.mjtDisableBit;
const list = (values) => Array.from(values, Number);

function open(name) {
  close();
  const start = path.resolve(name);
  put_all(start);
  m = mj.MjModel.from_xml_path(start);
  m.opt.tolerance = 0;
  m.opt.ls_tolerance = 1e-10;
  m.opt.iterations = 300;
  m.opt.ls_iterations = 100;
  m.opt.noslip_iterations = 0;
  m.opt.solver = mj.mjtSolver.mjSOL_NEWTON.value;
  m.opt.disableflags |= off.mjDSBL_WARMSTART.value;
  d = new mj.MjData(m);
  return JSON.stringify(description());
}
const description = () => ({
  version: mj.mj_versionString(), nq: m.nq, nv: m.nv, nu: m.nu, na: m.na, nbody: m.nbody, njnt: m.njnt,
  jnt_type: list(m.jnt_type), jnt_qposadr: list(m.jnt_qposadr), jnt_dofadr: list(m.jnt_dofadr),
  jnt_range: list(m.jnt_range), qpos0: list(m.qpos0),
  body_mass: list(m.body_mass), body_inertia: list(m.body_inertia), body_iquat: list(m.body_iquat),
  body_sameframe: list(m.body_sameframe),
  ctrlrange: list(m.actuator_ctrlrange), actadr: list(m.actuator_actadr),
  nkey: m.nkey, key_qpos: list(m.key_qpos), key_qvel: list(m.key_qvel), key_ctrl: list(m.key_ctrl),
  keys: names(mj.mjtObj.mjOBJ_KEY, m.nkey), sensors: names(mj.mjtObj.mjOBJ_SENSOR, m.nsensor),
  bodies: names(mj.mjtObj.mjOBJ_BODY, m.nbody), actuators: names(mj.mjtObj.mjOBJ_ACTUATOR, m.nu),
});

function axes(numbers) {
  m.body_iquat.set(numbers.slice(0, 4 * m.nbody));
  m.body_inertia.set(numbers.slice(4 * m.nbody));
  m.geom_sameframe.fill(0);
  m.site_sameframe.fill(0);
  mj.mj_setConst(m, d);
  return 'done';
}
function untouched() {
  m.opt.disableflags |= off.mjDSBL_CONTACT.value;
  return 'done';
}
function state(numbers) {
  mj.mj_resetData(m, d);
  let at = 0;
  for (const [to, n] of [[d.qpos, m.nq], [d.qvel, m.nv], [d.ctrl, m.nu], [d.act, m.na]]) {
    to.set(numbers.slice(at, at + n));
    at += n;
  }
  mj.mj_forward(m, d);
  return list(d.qacc).join(' ');
}
const sensors = () => list(d.sensordata).join(' ');
function step(numbers) {
  d.ctrl.set(numbers);
  mj.mj_step(m, d);
  return [...list(d.sensordata), ...list(d.qpos), ...list(d.qvel)].join(' ');
}
function go() {
  mj.mj_step(m, d);
  return [d.time, ...list(d.qpos)].join(' ');
}
const answers = { axes, untouched, state, sensors, step, go };
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [word, ...numbers] = line.trim().split(/\s+/);
  try {
    say(word === 'open' ? open(line.trim().slice(5)) : answers[word](numbers.map(Number)));
  } catch (error) {
    say(`failed ${String(error.message ?? error).replace(/\s+/g, ' ')}`);
    if (error instanceof WebAssembly.RuntimeError) process.exit(1); // its memory is not to be trusted
  }
}
