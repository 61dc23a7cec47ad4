// The messages of a server, by a WebSocket beside the page. A lost connection is tried again each second.

import { KIND_FRAME, KIND_MESH, KIND_TEXTURE, kindOf, readFrame, readMesh, readTexture } from './frame';
import { parseText, type Curves, type Request } from './messages';
import { curveOf, type Curve, type Listener, type Source } from './source';

const RETRY_MS = 1000;

export class LiveSource implements Source {
  private socket: WebSocket | null = null;
  private listener: Listener | null = null;
  private next = 1;
  private bye = '';
  private replays = false;
  private readonly curves = new Map<string, Curve>(); // of a replay, by run and series

  start(listener: Listener): void {
    this.listener = listener;
    this.connect();
  }

  send(request: Request): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ ...request, id: this.next++ }));
  }

  curve(run: number, series: number): Curve | null {
    return this.curves.get(`${run} ${series}`) ?? null;
  }

  recorded(): boolean {
    return this.replays;
  }

  offers(): boolean {
    return true;
  }

  private keep({ run, series, times, values }: Curves): void {
    const numbers = (list: (number | null)[]) => Float64Array.from(list, x => x ?? NaN);
    const all = numbers(times);
    series.forEach((number, i) => this.curves.set(`${run} ${number}`, curveOf(all, numbers(values[i] ?? []))));
  }

  private connect(): void {
    const listener = this.listener!;
    const address = new URL('./live', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address, 'cardan-view-1');
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.bye = '';
      listener.connection({ state: 'open', text: '' });
    };
    socket.onmessage = event => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = () => {
      this.socket = null;
      if (this.bye) listener.connection({ state: 'ended', text: this.bye });
      else listener.connection({ state: 'lost', text: opened ? 'The connection was lost.' : 'The server does not answer.' });
      setTimeout(() => this.connect(), RETRY_MS);
    };
  }

  private receive(data: string | ArrayBuffer): void {
    const listener = this.listener!;
    if (typeof data === 'string') {
      const text = parseText(data);
      if (!text) return;
      if (text.type === 'hello') {
        this.replays = text.mode === 'replay';
        this.curves.clear();
      }
      if (text.type === 'curves') this.keep(text);
      if (text.type === 'bye') this.bye = text.text || 'The server ended.';
      listener.text(text);
    } else if (kindOf(data) === KIND_FRAME) {
      const frame = readFrame(data, 0, data.byteLength);
      if (frame) listener.frame(frame);
    } else if (kindOf(data) === KIND_MESH) {
      const mesh = readMesh(data, 0, data.byteLength);
      if (mesh) listener.mesh(mesh);
    } else if (kindOf(data) === KIND_TEXTURE) {
      const texture = readTexture(data, 0, data.byteLength);
      if (texture) listener.texture(texture);
    }
  }
}
