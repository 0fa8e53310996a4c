import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTree } from '../../src/cli/tree.ts';
import { LINES, lineSchema, outputSchema } from '../../src/schema/output-schema.ts';
import { lostFields } from '../support/lost-fields.ts';

const FILE = join(import.meta.dirname, 'output-schemas.json');
// Read before any test, because `vitest run -u` rewrites the file.
const before = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, object>)
  : {};

const tree = await loadTree();
const published = Object.fromEntries(
  [
    ...tree.nouns
      .flatMap(({ commands }) => commands)
      .map((spec) => [spec.path.join(' '), outputSchema(spec)] as const),
    ...LINES.map((name) => [name, lineSchema(name)!] as const),
  ].sort(([a], [b]) => (a < b ? -1 : 1)),
);

describe('what commands print', () => {
  it('only grows: nothing that was published is removed, renamed or narrowed', () => {
    const lost = Object.entries(before).flatMap(([name, schema]) =>
      lostFields(schema, published[name] ?? { not: 'published' }, name),
    );
    expect(lost).toEqual([]);
  });

  it('is published as the file says', async () => {
    await expect(`${JSON.stringify(published, null, 2)}\n`).toMatchFileSnapshot(FILE);
  });
});

describe('lost fields', () => {
  const base = {
    type: 'object',
    properties: { id: { type: 'string' }, kind: { enum: ['a', 'b'] }, any: {} },
    required: ['id'],
  };

  it('are none if a field, a value or a form was added', () => {
    const grown = {
      ...base,
      properties: { ...base.properties, kind: { enum: ['a', 'b', 'c'] }, more: { type: 'number' } },
      required: ['id', 'more'],
    };
    expect(lostFields(base, grown)).toEqual([]);
    expect(lostFields(base, { anyOf: [{ type: 'array' }, grown] })).toEqual([]);
  });

  it.each([
    ['a removed field', { ...base, properties: { id: { type: 'string' }, any: {} } }, '.kind'],
    [
      'a renamed field',
      { ...base, properties: { ID: { type: 'string' }, kind: base.properties.kind, any: {} } },
      '.id',
    ],
    [
      'a changed type',
      { ...base, properties: { ...base.properties, id: { type: 'number' } } },
      '.id: type',
    ],
    [
      'a narrowed type',
      { ...base, properties: { ...base.properties, any: { type: 'string' } } },
      '.any: type',
    ],
    [
      'a removed value',
      { ...base, properties: { ...base.properties, kind: { enum: ['a'] } } },
      '.kind: enum',
    ],
    ['a field that may be missing', { ...base, required: [] }, '.id: no longer always there'],
    ['a removed form', { anyOf: [{ type: 'array' }] }, ': its only form'],
  ])('are %s', (_, now, lost) => {
    expect(lostFields(base, now)).toEqual([lost]);
  });
});
