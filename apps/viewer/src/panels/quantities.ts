// Panels of sliders: coordinates, controls, and the parameters of one element.

import { h, setText } from '../base/dom';
import type { Element, Model, Text } from '../wire/messages';
import { fillSelect, fold, setCount, type Page, type Panel } from './panel';
import { Sliders } from './sliders';

export class CoordinatePanel implements Panel {
  private readonly sliders: Sliders;
  readonly element: HTMLDetailsElement;

  constructor(page: Page, private readonly of: 'coordinates' | 'controls') {
    const type = of === 'coordinates' ? 'coordinate' : 'control';
    this.sliders = new Sliders(of, (index, value) => page.send({ type, index, value }));
    this.element = fold(of, of === 'coordinates' ? 'Coordinates' : 'Controls', of === 'coordinates', this.sliders.element);
  }

  open(model: Model): void {
    const list = model[this.of];
    this.sliders.set(list.map((item, index) => ({ ...item, index })));
    this.element.hidden = list.length === 0;
    setCount(this.element, String(list.length));
  }

  text(text: Text): void {
    if (text.type === 'values' && this.element.open) this.sliders.values(text[this.of] ?? []);
  }

  enable(steer: boolean, mode: string): void {
    // What was cannot be set; and a program that shows its States moves them itself.
    const can = mode === 'live' || (mode === 'shown' && this.of === 'controls');
    this.sliders.enable(steer && can);
    if (!can) this.element.hidden = true;
  }
}

export class ParameterPanel implements Panel {
  private readonly choose = h('select', { 'aria-label': 'Element' }, { change: () => this.ask() });
  private readonly search = h('input', { type: 'search', class: 'search', placeholder: 'Find an element', 'aria-label': 'Find an element' },
    { input: () => this.list() });
  private readonly sliders: Sliders;
  private readonly kind = h('p', { class: 'muted' });
  readonly element: HTMLDetailsElement;
  private elements: Element[] = [];
  private current: Element | null = null;

  constructor(private readonly page: Page) {
    this.sliders = new Sliders('parameters', (index, value) => {
      if (!this.current) return;
      const { element_type, element } = this.current;
      page.send({ type: 'parameter', element_type, element, index, value });
    }, false);
    this.element = fold('parameters', 'Parameters', false, this.search, this.choose, this.kind, this.sliders.element);
    this.element.addEventListener('toggle', () => {
      if (this.element.open && !this.current) this.ask();
    });
  }

  open(model: Model): void {
    this.elements = model.elements;
    this.current = null;
    this.search.value = '';
    this.search.hidden = this.elements.length < 9;
    this.element.hidden = this.elements.length === 0;
    setCount(this.element, String(this.elements.length));
    this.sliders.set([]);
    this.list();
    if (this.element.open) this.ask();
  }

  private list(): void {
    const wanted = this.search.value.trim().toLowerCase();
    const fits = (e: Element) => `${e.name} ${e.kind} ${e.element_type}`.toLowerCase().includes(wanted);
    const found = this.elements.map((e, i) => ({ e, i })).filter(({ e }) => fits(e)).slice(0, 300);
    const before = this.choose.value;
    const chosen = found.some(({ i }) => String(i) === before) ? before : String(found[0]?.i ?? '');
    fillSelect(this.choose, found.map(({ e, i }) => ({ value: String(i), text: `${e.name} (${e.kind})` })), chosen);
    if (chosen !== before && this.element.open) this.ask();
  }

  private ask(): void {
    const chosen = this.elements[Number(this.choose.value)];
    if (!chosen || this.choose.value === '') return;
    this.current = chosen;
    setText(this.kind, `${chosen.element_type}: ${chosen.kind}`);
    this.page.send({ type: 'parameters', element_type: chosen.element_type, element: chosen.element });
  }

  text(text: Text): void {
    if (text.type !== 'parameters' || !this.current) return;
    if (text.element_type !== this.current.element_type || text.element !== this.current.element) return;
    this.sliders.set(text.list.map(item => ({ ...item, fixed: false })));
  }

  enable(steer: boolean, mode: string): void {
    this.sliders.enable(steer && mode !== 'replay');
    if (mode === 'replay') this.element.hidden = true;
  }
}
