import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

const PAGE_CHARS = 64 << 10;
const PAGE_STRINGS = 1024;
/** How many pages stay in memory: enough for the strings of neighbouring rows. */
const PAGES_KEPT = 64;

/**
 * A million shared strings would take too much memory, so they are on the disk. Cells refer to them
 * by number.
 */
export class SharedStrings {
  readonly #path: string;
  readonly #file: number;
  readonly #pages: { readonly first: number; readonly at: number; readonly bytes: number }[] = [];
  readonly #kept = new Map<number, readonly string[]>();
  #writing: string[] = [];
  #chars = 0;
  #count = 0;
  #bytes = 0;
  #last = 0;

  /** @param path a new file; {@link close} removes it */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'wx+', 0o600);
  }

  static async read(zip: Zip, part: string, path: string): Promise<SharedStrings> {
    const strings = new SharedStrings(path);
    try {
      const text = new RichText();
      const pieces = readXml(zip.read(part), part, {
        open: (name) => text.open(name),
        text: (piece) => text.add(piece),
        close(name) {
          if (name === 'si') strings.#add(text.take());
          else text.close(name);
        },
      });
      for await (const _ of pieces);
      strings.#flush();
      return strings;
    } catch (thrown) {
      strings.close();
      throw thrown;
    }
  }

  #add(text: string): void {
    this.#writing.push(text);
    this.#count++;
    this.#chars += text.length;
    if (this.#chars >= PAGE_CHARS || this.#writing.length >= PAGE_STRINGS) this.#flush();
  }

  #flush(): void {
    if (this.#writing.length === 0) return;
    const page = Buffer.from(JSON.stringify(this.#writing));
    const first = this.#count - this.#writing.length;
    writeSync(this.#file, page, 0, page.length, this.#bytes);
    this.#pages.push({ first, at: this.#bytes, bytes: page.length });
    this.#bytes += page.length;
    this.#writing = [];
    this.#chars = 0;
  }

  at(index: number): string | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    const page = this.#pageOf(index);
    return this.#strings(page)[index - this.#pages[page]!.first];
  }

  #pageOf(index: number): number {
    const holds = (page: number) =>
      index >= this.#pages[page]!.first && index < (this.#pages[page + 1]?.first ?? this.#count);
    if (holds(this.#last)) return this.#last;
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#pages[middle]!.first <= index) low = middle;
      else high = middle - 1;
    }
    this.#last = low;
    return low;
  }

  #strings(page: number): readonly string[] {
    const known = this.#kept.get(page);
    if (known !== undefined) return known;
    const { at, bytes } = this.#pages[page]!;
    const buffer = Buffer.allocUnsafe(bytes);
    readSync(this.#file, buffer, 0, bytes, at);
    const strings = JSON.parse(buffer.toString()) as string[];
    if (this.#kept.size >= PAGES_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(page, strings);
    return strings;
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

/**
 * The text of a cell, which may consist of several formatted parts. Phonetic hints are left out.
 */
export class RichText {
  #text = '';
  #isText = false;
  #isPhonetic = false;

  open(name: string): void {
    if (name === 't') this.#isText = true;
    else if (name === 'rPh') this.#isPhonetic = true;
  }

  add(piece: string): void {
    if (this.#isText && !this.#isPhonetic) this.#text += piece;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    else if (name === 'rPh') this.#isPhonetic = false;
  }

  take(): string {
    const text = escapedText(this.#text);
    this.#text = '';
    return text;
  }
}

/** Decodes e.g. `_x000D_`, which is the character with the hexadecimal number 000D. */
export function escapedText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
