import fc from 'fast-check';

/**
 * Any code point, halves of pairs too: the `unit` of an `fc.string`. fast-check's own `binary` is slower, because it
 * first makes a table of all of them, which takes a second in each process.
 */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xffff }),
    fc.integer({ min: 0x10000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));
