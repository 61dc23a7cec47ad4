// What happened: events, warnings and errors, the newest first. A click goes to the time of one.

import { h } from '../base/dom';
import { formatTime } from '../base/format';
import type { Event, Text } from '../wire/messages';
import { fold, setCount, type Page, type Panel } from './panel';

const MOST = 300;

export class EventsPanel implements Panel {
  readonly element: HTMLDetailsElement;
  private readonly list = h('ol', { class: 'events', reversed: true });
  private readonly none = h('p', { class: 'muted' }, {}, 'Nothing yet.');
  private count = 0;

  constructor(private readonly page: Page) {
    this.element = fold('events', 'Events', true, this.none, this.list);
  }

  open(): void {
    this.list.replaceChildren();
    this.count = 0;
    this.none.hidden = false;
    setCount(this.element, '');
  }

  text(text: Text): void {
    if (text.type === 'event') this.add(text);
  }

  add(event: Event): void {
    this.none.hidden = true;
    setCount(this.element, String(++this.count));
    const time = event.time;
    const when = time === null ? null : h('button', { type: 'button', class: 'link', title: 'Go to this time' },
      { click: () => this.page.send({ type: 'seek', time }) }, formatTime(time));
    this.list.prepend(h('li', { class: event.kind }, {}, h('span', { class: 'kind' }, {}, event.kind), when,
      h('span', { class: 'what' }, {}, event.text)));
    while (this.list.childElementCount > MOST) this.list.lastElementChild!.remove();
  }
}
