// What is selected: its name, and what the server tells about it.

import { clear, h, setText } from '../base/dom';
import type { Picture } from '../scene/picture';
import type { Model, Text } from '../wire/messages';
import { fold, type Page, type Panel } from './panel';

export class SelectionPanel implements Panel {
  readonly element: HTMLDetailsElement;
  private readonly choose: HTMLInputElement;
  private readonly names = h('datalist', { id: 'body-names' });
  private readonly lines = h('dl', { class: 'lines' });
  private readonly hint = h('p', { class: 'muted' }, {}, 'Click a body, or type its name.');
  private readonly follow: HTMLButtonElement;
  private model: Model | null = null;

  constructor(page: Page, private readonly picture: Picture) {
    this.choose = h('input', { type: 'search', list: 'body-names', placeholder: 'No body', 'aria-label': 'Selected body', class: 'search' }, {
      change: () => {
        const body = this.model?.bodies.findIndex(b => b.name === this.choose.value) ?? -1;
        page.select(body >= 0 ? body : null);
      },
    });
    this.follow = h('button', { type: 'button', 'aria-pressed': 'false' }, {
      click: () => {
        picture.toggleFollow();
        this.show();
      },
    }, 'Follow');
    this.element = fold('selection', 'Selection', true, h('div', { class: 'line' }, {}, this.choose, this.follow), this.names,
      this.hint, this.lines);
  }

  open(model: Model): void {
    this.model = model;
    clear(this.lines); // they were of another server, or another model
    this.names.replaceChildren(...model.bodies.slice(0, 2000).map(body => h('option', { value: body.name })));
    this.show();
  }

  // After the selection changed.
  show(): void {
    const body = this.picture.selected;
    this.choose.value = body === null ? '' : this.model?.bodies[body]?.name ?? '';
    this.hint.hidden = body !== null;
    this.follow.disabled = body === null;
    this.follow.setAttribute('aria-pressed', String(this.picture.following));
    if (body === null) clear(this.lines);
  }

  text(text: Text): void {
    if (text.type !== 'selected' || text.body !== this.picture.selected) return;
    const wanted = 2 * text.lines.length;
    while (this.lines.childElementCount > wanted) this.lines.lastElementChild!.remove();
    while (this.lines.childElementCount < wanted) this.lines.append(h(this.lines.childElementCount % 2 ? 'dd' : 'dt'));
    text.lines.forEach((line, i) => {
      setText(this.lines.children[2 * i]!, line.label);
      setText(this.lines.children[2 * i + 1]!, line.value);
    });
  }
}
