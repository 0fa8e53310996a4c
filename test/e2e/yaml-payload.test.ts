import { describe, expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';

async function create(yaml: string) {
  const world = await freshWorld();
  const file = await world.file('item.yaml', yaml);
  const ran = await runHere(['items', 'create', '--file', file, '--dry-run'], world.env);
  return { ...ran, file };
}

/** A part of the error message, and the text that causes it. */
const REFUSED: ReadonlyArray<readonly [string, string]> = [
  ['line 2, column 1: duplicate field', 'name: a\nname: b\n'],
  ['line 4, column 3: duplicate field', 'name: a\nattributes:\n  x: 1\n  x: 2\n'],
  ['line 2', 'name: [a\n'],
  ['line 2', 'name: a\n\tcode: b\n'],
  ['would be rounded', 'name: a\nattributes: 12345678901234567890\n'],
  ['is not a number in JSON', 'name: a\nattributes: .nan\n'],
  ['line 2, column 7: aliases are not supported: write the value out', 'name: &a x\ncode: *a\n'],
  ['line 1', 'name: !!binary aGk=\n'],
  ['line 2', 'name: a\n---\nname: b\n'],
  ['got an array of 1', '- name: a\n'],
  ['expected fields', 'just text\n'],
  ['expected fields', '# nothing\n'],
  ['item.yaml, line 2: code must be a string, got 7', 'name: a\ncode: 7\n'],
  ['item.yaml, line 2: brand must be a string, got null', 'name: a\nbrand:\n'],
  ['nested deeper than 64 levels', `attributes: ${'['.repeat(100)}${']'.repeat(100)}\n`],
  ['nested deeper than 64 levels', `attributes: ${'['.repeat(200_000)}\n`],
];

describe('a payload in YAML', () => {
  it('with comments only, as an unfilled skeleton, says what to do', async () => {
    const { exitCode, stderr } = await create('# name: text\n# code: text\n');
    expect(exitCode).toBe(2);
    expect(errorOf({ stderr }).hint).toContain('Uncomment the fields');
  });

  it('with a $schema that is no text is refused, with its place', async () => {
    const { exitCode, stderr, file } = await create('name: a\n$schema: 5\n');
    expect(exitCode).toBe(2);
    expect(errorOf({ stderr }).message).toBe(`${file}, line 2: $schema must be text, got 5`);
  });

  it('is read like JSON', async () => {
    const { exitCode, stdout } = await create(
      '$schema: ./item.schema.json\nname: Tuerca # a nut\ncode: "007"\ndescription: |\n  two\n  lines\nattributes: {a: [1, 2.5, yes, 2024-01-02]}\n',
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).body).toEqual({
      name: 'Tuerca',
      code: '007',
      description: 'two\nlines\n',
      attributes: { a: [1, 2.5, 'yes', '2024-01-02'] },
    });
  });

  it.each(REFUSED)('is refused: %s', async (said, yaml) => {
    const ran = await create(yaml);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).message).toContain(said);
  });

  it('warns of unknown fields by line, __proto__ too', async () => {
    const { exitCode, stderr } = await create('name: a\n__proto__: {x: 1}\nbrnad: b\n');
    expect(exitCode).toBe(0);
    const warnings = jsonLines(stderr).map(({ warning }) => warning);
    expect(warnings[0]).toContain('line 2: __proto__ is not a field');
    expect(warnings[1]).toContain('did you mean brand?');
  });
});
