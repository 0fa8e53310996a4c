import { Parser } from 'saxen';
import { BookError } from './book-error.ts';

/** Told of what a document holds, in order. Names come without their namespace. */
export interface XmlListener {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** No tag or text of a workbook is longer: it is held until its end is seen. */
const MOST_WAITING = 8 << 20;

/**
 * Reads a document as it comes. Only what begins in one piece and ends in a later one is kept.
 *
 * @returns after each piece, so that its listener can hand on what it has
 * @throws BookError
 */
export async function* readXml(
  pieces: AsyncIterable<Buffer>,
  part: string,
  listener: XmlListener,
): AsyncGenerator<void, void> {
  let waiting = 0;
  const parser = new Parser();
  parser.on('openTag', (name, attributes, decode) => {
    waiting = 0;
    let all: Record<string, string> | undefined;
    listener.open(localName(name), (key) => {
      all ??= attributes();
      const value = all[key] ?? prefixed(all, key);
      return value === undefined ? undefined : decode(value);
    });
  });
  parser.on('closeTag', (name) => {
    waiting = 0;
    listener.close?.(localName(name));
  });
  if (listener.text !== undefined) {
    parser.on('text', (text, decode) => listener.text!(decode(text)));
    parser.on('cdata', (text) => listener.text!(text));
  }
  parser.on('error', (error) => {
    throw error instanceof BookError ? error : new BookError(`its part ${part} is damaged`);
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of pieces) {
    const text = decode(decoder, piece, part);
    waiting += text.length;
    parser.write(text);
    if (waiting > MOST_WAITING) throw new BookError(`its part ${part} holds endless text`);
    yield;
  }
  parser.end();
  yield;
}

function decode(decoder: InstanceType<typeof TextDecoder>, piece: Buffer, part: string): string {
  try {
    return decoder.decode(piece, { stream: true });
  } catch {
    throw new BookError(`its part ${part} is no text in UTF-8`);
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** `id` stands as `r:id`, and the prefix is the writer's choice. */
function prefixed(all: Readonly<Record<string, string>>, key: string): string | undefined {
  const name = Object.keys(all).find((one) => one.endsWith(`:${key}`) && !one.startsWith('xmlns:'));
  return name === undefined ? undefined : all[name];
}
