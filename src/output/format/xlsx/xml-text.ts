/** Text without any of these needs no escapes. */
const SPECIAL = /[&<>"_\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/;

/**
 * Characters that XML 1.0 cannot contain, and CR, which XML readers replace. Workbooks write CR as
 * `_x000D_`, and the others in the same way.
 */
const FORBIDDEN =
  /[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The first underscore of text such as `_x000D_`: a reader would decode this text. */
const LOOKS_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g;
/**
 * The underscore of text such as `_x000D` directly before a forbidden character. If that is U+0001,
 * the file would contain `_x000D_x0001_`, and a reader would decode its `_x000D_`.
 */
const WOULD_LOOK_ESCAPED =
  /_(?=x[0-9A-Fa-f]{4}(?:[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|[\udc00-\udfff]))/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export function xmlText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text
    .replace(LOOKS_ESCAPED, '_x005F_')
    .replace(WOULD_LOOK_ESCAPED, '_x005F_')
    .replace(FORBIDDEN, escaped)
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}

function escaped(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
