/** A text in the encodings that services and frameworks use, to put into a response. */
export interface Spellings {
  /** For use inside a JSON string: plain, as PHP and .NET escape it, and with `\u` escapes only. */
  readonly json: string;
  /** For any response: in any case, encoded for a URL, as hex, and as base64 at each alignment. */
  readonly other: string;
  /** The base64 at each of the three alignments, without the characters that depend on neighbouring text. */
  readonly base64: readonly string[];
}

export function spellingsOf(text: string): Spellings {
  const characters = [...text];
  const hex = (character: string) => character.charCodeAt(0).toString(16);
  const each = (spell: (character: string) => string) => characters.map(spell).join('');
  const escaped = JSON.stringify(text).slice(1, -1);
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from(`${'x'.repeat(shift)}${text}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : shift + 1, -4),
  );
  return {
    json: [
      escaped,
      escaped.replaceAll('/', '\\/').replaceAll('+', '\\u002B'),
      each((character) => `\\u${hex(character).padStart(4, '0')}`),
      each((character) => `\\u${hex(character).padStart(4, '0').toUpperCase()}`),
    ].join(' '),
    other: [
      encodeURIComponent(text),
      each((character) => `%${hex(character)}`),
      text.toUpperCase(),
      text.toLowerCase(),
      Buffer.from(text).toString('hex'),
      Buffer.from(text).toString('hex').toUpperCase(),
      ...base64.map((_, shift) => Buffer.from(`${'x'.repeat(shift)}${text}`).toString('base64')),
      ...base64.map((_, shift) => Buffer.from(`${'x'.repeat(shift)}${text}`).toString('base64url')),
    ].join(' '),
    base64,
  };
}

/** The text itself, and the texts after decoding its JSON, URL and HTML escapes once or twice. */
export function decodings(text: string): readonly string[] {
  const steps = [
    (one: string) =>
      one.replace(/\\+u([0-9a-f]{4})/gi, (_, code) => fromHex(code)).replace(/\\/g, ''),
    (one: string) => one.replace(/%([0-9a-f]{2})/gi, (_, code) => fromHex(code)),
    (one: string) =>
      one
        .replace(/&#x([0-9a-f]{1,6});/gi, (_, code) => fromHex(code))
        .replace(/&#(\d{1,7});/g, (_, code) => String.fromCharCode(Number(code))),
  ];
  const undone = (texts: Iterable<string>) =>
    [...texts].flatMap((one) => steps.map((step) => step(one)));
  // The sets remove repetitions: most texts have few escapes or none.
  const once = new Set([text, ...undone([text])]);
  return [...new Set([...once, ...undone(once)])];
}

function fromHex(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16));
}
