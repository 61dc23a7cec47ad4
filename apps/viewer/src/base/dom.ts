// Elements are made here and nowhere from HTML: texts of a server or a file can never become markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;
type Handlers = { [name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[name]) => void };

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, handlers: Handlers = {},
  ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const [name, handler] of Object.entries(handlers)) element.addEventListener(name, handler as EventListener);
  add(element, ...children);
  return element;
}

export function add(parent: Element, ...children: Child[]): void {
  for (const child of children) if (child) parent.append(child);
}

export function clear(parent: Element): void {
  parent.replaceChildren();
}

// Writes a text only where it changes, so that nothing is laid out anew for nothing.
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const paths = {
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  step: 'M3 3v10l6.5-5zM11 3h2.2v10H11z',
  reset: 'M3 3h2v10H3zM13 3v10L6 8z',
  record: 'M8 3.2a4.8 4.8 0 1 0 0 9.6a4.8 4.8 0 1 0 0-9.6z',
  stop: 'M4 4h8v8H4z',
  hand: 'M5.2 8V3.6a1 1 0 0 1 2 0V2.5a1 1 0 0 1 2 0v1.1a1 1 0 0 1 2 0v1.3a1 1 0 0 1 2 0V10c0 2.800-1.900 4.500-4.500 4.500c-2 0-3-.8-4-2.400L2.300 8.800c-.5-.9.700-1.700 1.400-.9z',
  fit: 'M2 2h4v1.600H3.600V6H2zM10 2h4v4h-1.600V3.600H10zM2 10h1.600v2.400H6V14H2zM12.400 10H14v4h-4v-1.600h2.400z',
  panels: 'M2 3h12v10H2zM9.500 4.500v7h3v-7z',
  plots: 'M2 2h1.500v10.500H14V14H2zM4.500 10.500l2.700-4 2.500 2.200L13 4l.9 1-4 5.400-2.500-2.100-2 3z',
  moon: 'M6.500 2.200a5.800 5.800 0 1 0 7.300 7.300a5 5 0 0 1-7.300-7.300z',
  help: 'M8 1.500a6.500 6.500 0 1 0 0 13a6.500 6.500 0 1 0 0-13zM7.300 10.800h1.500v1.500H7.300zM8.800 9.600H7.300c0-2 1.900-1.900 1.900-3.300c0-.7-.5-1.100-1.200-1.100s-1.200.5-1.200 1.300H5.300C5.300 4.800 6.500 3.800 8 3.800s2.700.9 2.700 2.400c0 2-1.900 2-1.900 3.400z',
  close: 'M3.600 2.500 8 6.900l4.400-4.400 1.100 1.100L9.100 8l4.400 4.400-1.100 1.100L8 9.100l-4.400 4.400-1.100-1.100L6.900 8 2.500 3.600z',
} as const;

export type IconName = keyof typeof paths;

export function icon(name: IconName): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

// A button with an icon; `title` says what it does, and its key.
export function iconButton(name: IconName, label: string, key: string, click: () => void): HTMLButtonElement {
  return h('button', { type: 'button', class: 'tool', 'aria-label': label, title: key ? `${label} (${key})` : label },
    { click }, icon(name));
}

export function setIcon(button: HTMLButtonElement, name: IconName): void {
  if (button.dataset['icon'] === name) return;
  button.dataset['icon'] = name;
  button.replaceChildren(icon(name));
}
