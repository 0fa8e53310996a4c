/** What XML cannot hold or would read differently; text with none of it is written as it is. */
const SPECIAL = /[&<>"_\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/;

/**
 * What XML 1.0 cannot hold, and CR, which its readers replace: workbooks write it as `_x000D_`. A pair
 * of surrogates is one character; half of one is not a character at all.
 */
const FORBIDDEN =
  /[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** An underscore that a reader would take for the beginning of such an escape. */
const LOOKS_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g;
/** An escape is to follow just there, whose underscore would complete this one. */
const WOULD_LOOK_ESCAPED =
  /_(?=x[0-9A-Fa-f]{4}(?:[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|[\udc00-\udfff]))/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text for the content or an attribute of a workbook's part: its readers get it back unchanged. */
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
