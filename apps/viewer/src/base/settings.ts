// What the reader chose, kept from visit to visit. A browser may forbid that; then it lasts as long as the page.

const memory = new Map<string, string>();

export function readSetting(name: string): string | null {
  try {
    return localStorage.getItem(`cardan.${name}`);
  } catch {
    return memory.get(name) ?? null;
  }
}

export function writeSetting(name: string, value: string): void {
  try {
    localStorage.setItem(`cardan.${name}`, value);
  } catch {
    memory.set(name, value);
  }
}
