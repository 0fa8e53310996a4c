import { Parser } from 'saxen';
import { WorkbookError } from './zip.ts';

/** Names come without their namespace. */
export interface XmlListener {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** A tag or text is held in memory until it ends. Valid workbooks have none longer than this. */
const MOST_WAITING = 8 << 20;

/**
 * Parses a document as it arrives.
 *
 * @yields after each piece, so that the caller can use what the listener has received
 * @throws WorkbookError
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
  parser.on('attention', (text) => {
    // No spreadsheet program writes one. It can define entities that expand to any size.
    if (/^<!doctype/i.test(text))
      throw new WorkbookError(`its part ${part} has a document type (DOCTYPE)`);
  });
  parser.on('error', (error) => {
    throw error instanceof WorkbookError ? error : new WorkbookError(`its part ${part} is damaged`);
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of pieces) {
    const text = decode(decoder, piece, part);
    waiting += text.length;
    parser.write(text);
    if (waiting > MOST_WAITING)
      throw new WorkbookError(`its part ${part} contains a tag or text longer than 8 MiB`);
    yield;
  }
  parser.end();
  yield;
}

function decode(decoder: InstanceType<typeof TextDecoder>, piece: Buffer, part: string): string {
  try {
    return decoder.decode(piece, { stream: true });
  } catch {
    throw new WorkbookError(`its part ${part} is not UTF-8 text`);
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** Finds `r:id` by `id`: each program chooses its own prefix. */
function prefixed(all: Readonly<Record<string, string>>, key: string): string | undefined {
  const name = Object.keys(all).find((one) => one.endsWith(`:${key}`) && !one.startsWith('xmlns:'));
  return name === undefined ? undefined : all[name];
}
