// A small server of docs/wire.md, for tests of the page without the program. Its time runs evenly, and it keeps the requests
// that came, so that tests can read them.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { frameBytes, meshBytes } from './messages.mjs';

const { WebSocketServer } = createRequire(new URL('../../apps/viewer/package.json', import.meta.url))('ws');

export const TOKEN = '0123456789abcdef0123456789abcdef';

export class Mock {
  constructor(page, world, { rate = 60 } = {}) {
    Object.assign(this, { page, world, rate, requests: [], refused: new Set(), sent: 0, strangers: [] });
    this.state = 'paused';
    this.time = 0;
    this.offset = 0; // what the slider of the crank added
    this.speed = 1;
    this.layers = 16;
    this.plots = [];
    this.recording = null;
    this.selected = null;
    this.accuracy = 1e-6;
    this.method = 'rkmk';
    this.jumped = false;
    this.number = 0;
  }

  async open(port = 0) {
    this.http = createServer((request, response) => {
      if (request.url === `/${TOKEN}/`) {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(this.page);
      } else {
        this.strangers.push(request.url);
        response.writeHead(404).end();
      }
    });
    this.sockets = new WebSocketServer({ server: this.http, path: `/${TOKEN}/live`, handleProtocols: () => 'cardan-view-1' });
    this.sockets.on('connection', socket => this.welcome(socket));
    await new Promise(resolve => this.http.listen(port, '127.0.0.1', resolve));
    this.port = this.http.address().port;
    this.address = `http://127.0.0.1:${this.port}/${TOKEN}/`;
    this.last = performance.now();
    this.clock = setInterval(() => this.tick(), 1000 / this.rate);
    return this;
  }

  async close(bye) {
    clearInterval(this.clock);
    for (const socket of this.sockets.clients) {
      if (bye) socket.send(JSON.stringify({ type: 'bye', text: bye }));
      socket.terminate();
    }
    this.sockets.close();
    this.http.closeAllConnections?.();
    await new Promise(resolve => this.http.close(resolve));
  }

  text(object, to = null) {
    const text = JSON.stringify(object);
    for (const socket of to ? [to] : this.sockets.clients) socket.send(text);
  }

  welcome(socket) {
    this.text({ type: 'hello', wire: 1, cardan: '0.0.0', mode: 'live' }, socket);
    for (const bytes of this.world.looks ?? []) socket.send(bytes);
    socket.send(meshBytes(7, 0.15));
    this.text(this.world.model, socket);
    this.steerer ??= socket;
    socket.on('close', () => {
      if (this.steerer === socket) this.steerer = null;
      this.tellSteer();
    });
    this.tellSteer();
    this.text(this.status(), socket);
    socket.on('message', data => this.hear(socket, JSON.parse(data.toString())));
    this.sendFrame();
  }

  tellSteer() {
    for (const socket of this.sockets.clients) {
      this.text({ type: 'steer', steer: socket === this.steerer, pages: this.sockets.clients.size }, socket);
    }
  }

  hear(socket, request) {
    this.requests.push(request);
    let error = null;
    if (request.type === 'steer') {
      this.steerer = socket;
      this.tellSteer();
    } else if (socket !== this.steerer && !['select', 'plots', 'drawn'].includes(request.type)) {
      error = 'another page steers';
    } else if (this.refused.has(request.type)) {
      error = `${request.type}: refused by this test`;
    } else {
      this.answer(request);
    }
    this.text({ type: 'reply', to: request.id, error }, socket);
    this.text(this.status());
  }

  answer(request) {
    switch (request.type) {
      case 'run': this.state = 'running'; break;
      case 'pause': this.state = 'paused'; break;
      case 'step': this.time += 0.01 * request.n; break;
      case 'reset': this.time = 0; this.offset = 0; this.state = 'paused'; this.jumped = true; break;
      case 'speed': this.speed = request.value; break;
      case 'accuracy': this.accuracy = request.value; break;
      case 'method': this.method = request.name; break;
      case 'layers': this.layers = request.mask; break;
      case 'plots': this.plots = request.series; break;
      case 'seek': this.time = request.time; this.jumped = true; break;
      case 'record': this.recording = request.on ? 'run-1.csv' : null; break;
      case 'select': this.selected = request.body; break;
      case 'coordinate': if (request.index === 0) this.offset = request.value - this.time; break;
      case 'parameters':
        this.text({ type: 'parameters', element_type: request.element_type, element: request.element, list: [
          { index: 0, name: 'mass', unit: 'kg', value: 0.4, lower: 0, upper: null }] });
        break;
      default:
    }
    this.sendFrame();
  }

  angle() {
    return this.time + this.offset;
  }

  // `says`: what a test has it say instead
  status() {
    const angle = this.angle();
    return {
      type: 'status', time: this.time, state: this.state, speed: this.speed, reached: this.state === 'running' ? 0.998 * this.speed : null,
      accuracy: this.accuracy, method: this.method, contact: 'compliant', layers: this.layers, plots: this.plots, step: 0.0031,
      steps: Math.round(this.time / 0.0031), evaluations: 1234, energy: 9.81 * Math.sin(angle), estimate: 3.2e-7,
      verdict: 'The run delivers the accuracy that was asked for.', delivered: true, from: 0, to: Math.max(this.time, 0.001, this.reachedTime ?? 0),
      recording: this.recording, note: null, ...this.says,
    };
  }

  sendFrame() {
    const angle = this.angle();
    const all = this.numbers?.(angle) ?? [9.81 * Math.sin(angle), 0.003 + 0.001 * Math.cos(7 * angle), angle, 1];
    const bytes = frameBytes({
      time: this.time, number: this.number++, jumped: this.jumped, values: this.plots.map(i => all[i] ?? NaN),
      poses: this.world.poses(angle), marks: this.world.marks(angle).filter(mark => mark.layer & this.layers),
    });
    this.jumped = false;
    for (const socket of this.sockets.clients) if (socket.bufferedAmount === 0) socket.send(bytes);
    this.sent++;
  }

  tick() {
    const now = performance.now(), passed = (now - this.last) / 1000;
    this.last = now;
    if (this.state === 'running') {
      this.time += passed * (this.speed || 1);
      this.reachedTime = Math.max(this.time, this.reachedTime ?? 0);
      this.sendFrame();
    }
    if (this.number % 6 === 0 || now - (this.told ?? 0) > 200) {
      this.told = now;
      this.text(this.status());
      this.text({ type: 'values', coordinates: [this.angle(), 0.1, 0.2], controls: [0] });
      if (this.selected !== null) {
        const body = this.world.model.bodies[this.selected];
        this.text({ type: 'selected', body: this.selected, name: body.name, lines: [
          { label: 'mass', value: `${body.mass} kg` }, { label: 'position', value: '0.1  0.2  0.3 m' }, { label: 'velocity', value: '0  0  1.2 m/s' },
          { label: 'reaction force', value: '12.3  0  4.5 N' }] });
      }
    }
  }
}
