// The keyboard. Keys do nothing while the reader writes in a field.

import { toggleTheme } from './base/theme';
import type { App } from './app';

const TURN = Math.PI / 24;

function writes(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'range', 'button'].includes(target.type);
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

// A slider has the arrows for itself, and what is pressed by Space has Space.
function takes(target: EventTarget | null, key: string): boolean {
  if (target instanceof HTMLInputElement && target.type === 'range') return key.startsWith('Arrow');
  const pressed = target instanceof HTMLButtonElement || target instanceof HTMLInputElement ||
    (target instanceof HTMLElement && target.tagName === 'SUMMARY');
  return pressed && (key === ' ' || key === 'Enter');
}

export function listenToKeys(app: App): void {
  const { picture, transport, view } = app;
  const actions: Record<string, (event: KeyboardEvent) => void> = {
    ' ': () => transport.toggle(),
    ArrowRight: event => app.send({ type: 'step', n: event.shiftKey ? 10 : 1 }),
    ArrowLeft: event => transport.seekBy(event.shiftKey ? -0.1 : -0.01),
    r: () => app.send({ type: 'reset' }),
    R: () => transport.toggleRecord(),
    '+': () => transport.changeSpeed(1),
    '=': () => transport.changeSpeed(1),
    '-': () => transport.changeSpeed(-1),
    f: () => picture.home(),
    t: () => picture.toggleFollow(),
    c: () => view.nextCamera(),
    x: () => view.toggle('through'),
    g: () => view.toggle('collision'),
    u: () => app.togglePull(),
    p: () => app.togglePlots(),
    b: () => app.togglePanels(),
    d: () => toggleTheme(),
    PageUp: () => picture.approach(0.85),
    PageDown: () => picture.approach(1 / 0.85),
    Escape: () => app.select(null),
    '?': () => app.toggleHelp(),
  };
  for (let i = 1; i <= 10; i++) actions[String(i % 10)] = () => view.toggleLayer(i - 1);
  const turns: Record<string, () => void> = {
    ArrowLeft: () => picture.turn(-TURN, 0),
    ArrowRight: () => picture.turn(TURN, 0),
    ArrowUp: () => picture.turn(0, TURN),
    ArrowDown: () => picture.turn(0, -TURN),
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || writes(event.target) || takes(event.target, event.key)) return;
    if (app.help.open) return;
    const action = event.altKey ? turns[event.key] : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
