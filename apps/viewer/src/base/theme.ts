// Light or dark: as the system says, until the reader says otherwise.

import { readSetting, writeSetting } from './settings';

export interface ThemeColors {
  background: number;
  ground: number;
  grid: number;
  accent: number;
  dark: boolean;
}

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];

function apply(): void {
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

export function isDark(): boolean {
  const chosen = readSetting('theme');
  return chosen === 'dark' || (chosen !== 'light' && dark.matches);
}

export function toggleTheme(): void {
  const wanted = !isDark();
  // What the system says anyway is not written down: the page then follows it again.
  writeSetting('theme', wanted === dark.matches ? 'system' : wanted ? 'dark' : 'light');
  apply();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
  listener();
}

export function startTheme(): void {
  dark.addEventListener('change', apply);
  apply();
}

const darkColors: ThemeColors = { background: 0x15181d, ground: 0x2a3038, grid: 0x59636f, accent: 0x6cb2ff, dark: true };
const lightColors: ThemeColors = { background: 0xe9edf2, ground: 0xdfe4ea, grid: 0x97a3b1, accent: 0x0b66c3, dark: false };

export function themeColors(): ThemeColors {
  return document.documentElement.dataset['theme'] === 'dark' ? darkColors : lightColors;
}

// A colour of the style sheet, for what is drawn on a canvas.
export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
