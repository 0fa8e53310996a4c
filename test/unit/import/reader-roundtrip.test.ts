import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atNight } from '../../support/at-night.ts';
import { allOf, folder, open } from './reading.ts';

const FILES = atNight ? 600 : 60;

/** Long enough for all files on a busy machine, where each takes tens of milliseconds. */
const PATIENCE_MS = 300_000;

function reader(name: string): (content: string | Uint8Array) => Promise<unknown[]> {
  const file = join(folder, name);
  return async (content) => {
    writeFileSync(file, content);
    return (await allOf(await open(file))).map((record) => record.fields ?? record.problem);
  };
}

/** Text that a file may contain: no NUL and no unpaired surrogates. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...'"\\,;\t|{}[]:\n\r '),
    ),
    maxLength: 12,
  })
  .map((value) => value.toWellFormed().replaceAll('\0', '0'));

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
})).value;

const records = fc.array(
  fc.dictionary(fc.oneof(fc.constantFrom('code', 'name', '__proto__', 'constructor'), text), json, {
    maxKeys: 5,
  }),
  { minLength: 1, maxLength: 8 },
);

/** Compares values as text, because proc may keep a number as its exact digits. */
const written = (values: readonly unknown[]): string => JSON.stringify(values);

describe(`${FILES} files of each kind come back as they were written`, {
  timeout: PATIENCE_MS,
}, () => {
  it('NDJSON', async () => {
    const back = reader('ndjson');
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.constantFrom('\n', '\r\n', '\n\n'),
        fc.boolean(),
        async (rows, newline, end) => {
          // proc recognises NDJSON by its second line. It would read a single object with an array as JSON.
          const lines = [{ first: 1 }, ...rows];
          const content =
            lines.map((row) => JSON.stringify(row)).join(newline) + (end ? newline : '');
          expect(written(await back(content))).toBe(written(lines));
        },
      ),
      { numRuns: FILES },
    );
  });

  it('JSON arrays, plain, indented, and inside an object', async () => {
    const back = reader('json');
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        async (rows, indent, wrapped) => {
          const content = JSON.stringify(
            wrapped ? { n: rows.length, rows, z: {} } : rows,
            null,
            indent,
          );
          expect(written(await back(content))).toBe(written(rows));
        },
      ),
      { numRuns: FILES },
    );
  });

  it('CSV in every dialect', async () => {
    const back = reader('csv');
    // A value with quotes whose lines look like rows may be rejected: stray quotes join rows in the same way.
    const cell = text.map((value) => (/[\r\n]/.test(value) ? value.replaceAll('"', '') : value));
    const table = fc.integer({ min: 2, max: 5 }).chain((width) =>
      fc.record({
        header: fc.uniqueArray(
          text
            .map((name) => name.trim())
            .filter((name) => name !== '' && !/^(sep=|[[{<%]|PK|BZh|\ufeff)/i.test(name)),
          { minLength: width, maxLength: width },
        ),
        rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 8 }),
      }),
    );
    const dialect = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      newline: fc.constantFrom('\n', '\r\n'),
      end: fc.boolean(),
      mark: fc.boolean(),
      all: fc.boolean(),
      gzip: fc.boolean(),
      utf16: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(table, dialect, async ({ header, rows }, how) => {
        const quote = (value: string) =>
          how.all || /["\r\n,;\t|]|^\s|\s$/.test(value)
            ? `"${value.replaceAll('"', '""')}"`
            : value;
        // With enough lines, proc can tell the delimiter from characters in cells.
        const body = [
          header,
          ...rows,
          ...Array.from({ length: 20 }, () => header.map((_, i) => `v${i}`)),
        ];
        const content =
          body.map((line) => line.map(quote).join(how.delimiter)).join(how.newline) +
          (how.end ? how.newline : '');
        const marked = (how.mark || how.utf16 ? '\ufeff' : '') + content;
        const bytes = Buffer.from(marked, how.utf16 ? 'utf16le' : 'utf8');
        const wanted = body
          .slice(1)
          .filter((line) => line.some((value) => value.trim() !== ''))
          .map((line) => Object.fromEntries(header.map((name, index) => [name, line[index]])));
        expect(written(await back(how.gzip ? gzipSync(bytes) : bytes))).toBe(written(wanted));
      }),
      { numRuns: FILES },
    );
  });

  it('however the bytes are cut into pieces', async () => {
    const back = reader('pieces');
    const row = { code: 'A1', name: 'Válvula 😀 \\ "x"', list: [1, 2.5], more: { a: null } };
    const rows = Array.from({ length: 1500 }, (_, index) => ({
      ...row,
      index,
      pad: 'é'.repeat(index % 97),
    }));
    for (const shift of [0, 1, 2, 3, 5, 7, 11]) {
      const pad = ' '.repeat(shift);
      for (const content of [
        pad + JSON.stringify(rows),
        pad + rows.map((one) => JSON.stringify(one)).join('\n'),
      ]) {
        expect(written(await back(content))).toBe(written(rows));
        expect(written(await back(Buffer.from(`\ufeff${content}`, 'utf16le')))).toBe(written(rows));
      }
    }
  });
});
