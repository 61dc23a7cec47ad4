// Expressions of what can be plotted: `knee.q * 57.3`, `norm(v_hand)`, `energy - first(energy)`. Names of series stand as they are,
// with their spaces; the longest one counts. A name without its [0], [1], ... is all of them, where a function takes several numbers.

import type { Curve } from '../wire/source';
import { inTimeUnits } from './format';

// `at`, `length`: the place in the text
export class ExpressionError extends Error {
  constructor(message: string, readonly at: number, readonly length: number) {
    super(message);
  }
}

export interface Expression {
  series: number[]; // that it reads
  isName: boolean; // it is one series and nothing else
  // Its curve from theirs; null as long as one of them is not there.
  curve(of: (series: number) => Curve | null): Curve | null;
}

// The numbers of a row
interface Row {
  time: number;
  value(series: number): number;
  first(term: Term): number;
}
type Term = (row: Row) => number;
type Part = { terms: Term[]; at: number; length: number; name?: string };

const functions: Record<string, { least: number; most: number; of: (...x: number[]) => number }> = {
  sin: { least: 1, most: 1, of: Math.sin },
  cos: { least: 1, most: 1, of: Math.cos },
  tan: { least: 1, most: 1, of: Math.tan },
  asin: { least: 1, most: 1, of: Math.asin },
  acos: { least: 1, most: 1, of: Math.acos },
  atan: { least: 1, most: 1, of: Math.atan },
  atan2: { least: 2, most: 2, of: Math.atan2 },
  sqrt: { least: 1, most: 1, of: Math.sqrt },
  exp: { least: 1, most: 1, of: Math.exp },
  log: { least: 1, most: 1, of: Math.log },
  abs: { least: 1, most: 1, of: Math.abs },
  deg: { least: 1, most: 1, of: x => (x * 180) / Math.PI },
  norm: { least: 1, most: Infinity, of: Math.hypot },
  min: { least: 1, most: Infinity, of: Math.min },
  max: { least: 1, most: Infinity, of: Math.max },
};
const constants: Record<string, Term> = { pi: () => Math.PI, t: row => row.time };

export const WORDS = [...Object.keys(functions), 'first', ...Object.keys(constants)];

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);

export class Names {
  private readonly byLength: { name: string; series: number }[];
  private readonly groups = new Map<string, number[]>();

  constructor(series: { name: string }[], usable: (i: number) => boolean) {
    const known = series.map(({ name }, i) => ({ name, series: i })).filter(({ series: i }) => usable(i));
    for (const { name, series: i } of known) {
      const group = /^(.*)\[\d+\]$/.exec(name)?.[1];
      if (group) this.groups.set(group, [...(this.groups.get(group) ?? []), i]);
    }
    this.byLength = known.sort((a, b) => b.name.length - a.name.length);
  }

  // The longest name that begins there, whole.
  at(text: string, at: number): { name: string; series: number[] } | null {
    const fits = (name: string) => text.startsWith(name, at) && !(isWord(name[name.length - 1]) && isWord(text[at + name.length]));
    const one = this.byLength.find(({ name }) => fits(name));
    let found = one ? { name: one.name, series: [one.series] } : null;
    for (const [name, series] of this.groups) if (fits(name) && name.length > (found?.name.length ?? 0)) found = { name, series };
    return found;
  }

  like(part: string, most: number): string[] {
    const wanted = part.toLowerCase(), all = this.byLength.map(({ name }) => name).sort();
    const near = all.filter(name => name.toLowerCase().includes(wanted));
    return (near.length > 0 ? near : all).slice(0, most);
  }
}

class Parser {
  private at = 0;
  readonly series: number[] = [];

  constructor(private readonly text: string, private readonly names: Names) {}

  all(): Part {
    const part = this.sum();
    if (this.peek() !== '') this.fail(`after ${this.text.slice(part.at, part.at + part.length)} one of + - * / ^ or the end is expected`);
    return part;
  }

  private fail(message: string, at = this.at, length = 1): never {
    throw new ExpressionError(message, at, length);
  }

  private peek(): string {
    while (this.text[this.at] === ' ') this.at++;
    return this.text[this.at] ?? '';
  }

  private take(characters: string): string | null {
    const next = this.peek();
    if (next === '' || !characters.includes(next)) return null;
    this.at++;
    return next;
  }

  // One number: several have no sum and no sine.
  one(part: Part): Term {
    if (part.terms.length === 1) return part.terms[0]!;
    return this.fail(`${part.name} has ${part.terms.length} numbers: take one, as in ${part.name}[0], or norm(${part.name})`, part.at, part.length);
  }

  private chain(operators: Record<string, (a: number, b: number) => number>, next: () => Part): Part {
    let left = next();
    for (let sign: string | null; (sign = this.take(Object.keys(operators).join(''))); ) {
      const a = this.one(left), b = this.one(next()), of = operators[sign]!;
      left = { terms: [row => of(a(row), b(row))], at: left.at, length: this.at - left.at };
    }
    return left;
  }

  private sum(): Part {
    return this.chain({ '+': (a, b) => a + b, '-': (a, b) => a - b }, () => this.product());
  }

  private product(): Part {
    return this.chain({ '*': (a, b) => a * b, '/': (a, b) => a / b }, () => this.signed());
  }

  private signed(): Part {
    this.peek();
    const at = this.at, sign = this.take('+-');
    if (!sign) return this.power();
    const a = this.one(this.signed());
    return { terms: [sign === '-' ? row => -a(row) : a], at, length: this.at - at };
  }

  private power(): Part {
    const base = this.atom();
    if (!this.take('^')) return base;
    const a = this.one(base), b = this.one(this.signed()); // 2^-1; and 2^3^2 is 2^9
    return { terms: [row => a(row) ** b(row)], at: base.at, length: this.at - base.at };
  }

  private atom(): Part {
    this.peek();
    const at = this.at, rest = this.text.slice(at);
    const part = (terms: Term[], name?: string): Part => ({ terms, at, length: this.at - at, ...(name ? { name } : {}) });
    if (this.take('(')) {
      const inside = this.sum();
      this.close(at);
      return part([this.one(inside)]);
    }
    const found = this.names.at(this.text, at);
    if (found) {
      this.at += found.name.length;
      for (const i of found.series) if (!this.series.includes(i)) this.series.push(i);
      return part(found.series.map(i => row => row.value(i)), found.name);
    }
    const number = /^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/.exec(rest)?.[0];
    if (number && !isWord(rest[number.length])) {
      this.at += number.length;
      const value = Number(number);
      return part([() => value]);
    }
    const word = /^[\p{L}\p{N}_.[\]]+/u.exec(rest)?.[0] ?? '';
    const isCall = /^\s*\(/.test(rest.slice(word.length));
    if (isCall && (word === 'first' || Object.hasOwn(functions, word))) return this.call(word);
    if (Object.hasOwn(constants, word)) {
      this.at += word.length;
      return part([constants[word]!]);
    }
    if (Object.hasOwn(functions, word) || word === 'first') return this.fail(`${word} is a function: ${word}(\u2026)`, at, word.length);
    if (word !== '') return this.fail(isCall ? `no function is called ${word}; there are ${WORDS.slice(0, -2).join(', ')}`
      : `nothing is called ${word}; there are ${this.names.like(word, 6).join(', ')} \u2026`, at, word.length);
    return this.fail(rest === '' ? 'here a name or a number is missing' : `here ${rest[0]} is not expected: a name, a number or ( is`, at);
  }

  private close(open: number): void {
    if (!this.take(')')) this.fail(this.peek() === '' ? 'this ( is not closed' : 'here one of + - * / ^ or ) is expected', this.peek() === '' ? open : this.at);
  }

  private call(name: string): Part {
    const at = this.at;
    this.at += name.length;
    this.peek();
    const open = this.at++, terms: Term[] = [];
    do {
      const part = this.sum();
      if (name === 'first') terms.push(this.one(part));
      else terms.push(...part.terms);
    } while (this.take(','));
    this.close(open);
    const { least, most, of } = functions[name] ?? { least: 1, most: 1, of: undefined };
    const n = terms.length, x = terms[0]!, y = terms[1]!;
    const expected = most === Infinity ? `${least} or more` : String(most);
    if (n < least || n > most) this.fail(`${name} takes ${expected} number${most === 1 ? '' : 's'}, not ${n}`, at, this.at - at);
    const term: Term = !of ? row => row.first(x) : n === 1 ? row => of(x(row)) : n === 2 ? row => of(x(row), y(row)) : row => of(...terms.map(term_ => term_(row)));
    return { terms: [term], at, length: this.at - at };
  }
}

// A series by itself
export function seriesAlone(series: number): Expression {
  return { series: [series], isName: true, curve: of => of(series) };
}

// Throws an ExpressionError, which says where and what is known.
export function readExpression(text: string, names: Names): Expression {
  const parser = new Parser(text, names), whole = parser.all();
  const term = parser.one(whole), { series } = parser;
  if (series.length === 0) throw new ExpressionError(`this has no series in it; there are ${names.like('', 6).join(', ')} \u2026`, 0, text.length);
  if (whole.name !== undefined && whole.length === text.trim().length) return seriesAlone(series[0]!);
  const curve: Expression['curve'] = of => {
    const curves = new Map<number, Curve>();
    for (const i of series) {
      const one = of(i);
      if (!one) return null;
      curves.set(i, one);
    }
    const own = curves.get(series[0]!)!, n = Math.min(...[...curves.values()].map(one => one.times.length));
    const starts = new Map<Term, number>();
    let k = 0;
    const begin: Row = { time: own.times[0]!, value: i => curves.get(i)!.first, first: inner => inner(begin) };
    const row: Row = {
      time: 0,
      value: i => curves.get(i)!.values[k]!,
      first: inner => {
        if (!starts.has(inner)) starts.set(inner, inner(begin));
        return starts.get(inner)!;
      },
    };
    const values = new Float64Array(n);
    for (; k < n; k++) {
      row.time = inTimeUnits(own.times[k]!);
      values[k] = term(row);
    }
    return { times: own.times.subarray(0, n), values, first: term(begin) };
  };
  return { series, isName: false, curve };
}
