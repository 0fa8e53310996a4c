import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Sheet } from '../../../src/compose/requisition-sheet.ts';
import { pairs, parsePairs } from '../../../src/core/text/pairs.ts';
import { commandLine, fileCommand } from '../../../src/wizard/model/command-line.ts';

const value = fc.oneof(
  fc.constantFrom('Bolt, hex', '"quoted"', '3" pipe, long', "it's", 'a=b', '="a', ' spaced '),
  fc.string({ minLength: 1 }),
);

it('writes pairs that --item reads back unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('name', 'code', 'group'), value), (given) => {
      const read = parsePairs(pairs(given), '--item', ['name', 'code', 'group']);
      expect(Object.fromEntries(read)).toEqual({ ...given });
    }),
  );
});

it('quotes for the shell', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')),
      (file) => {
        const line = fileCommand(file, { profile: undefined, env: undefined });
        const words = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
        const name = file.startsWith('-') ? [`--file=${file}`] : ['--file', file];
        expect(words.split('\0').slice(0, -1)).toEqual(['proc', 'requisition', 'create', ...name]);
      },
    ),
    { numRuns: 30 },
  );
});

it('identifies groups by name if their names are unique', () => {
  const line = {
    quantity: 2,
    item: { kind: 'known', id: 'itm-1', code: 'A-1', name: 'A' },
  } as const;
  const group = { deliveryMethod: 'pickup', lines: [line] } as const;
  const sheet: Sheet = {
    title: 'Parts',
    groups: [
      { ...group, name: 'Plant' },
      { ...group, name: null },
    ],
  };
  expect(commandLine(sheet, { profile: 'acme', env: 'staging' })).toBe(
    'proc requisition create --title Parts --group name=Plant,delivery=pickup --group delivery=pickup --item code=A-1,quantity=2,group=Plant --item code=A-1,quantity=2,group=2 --profile acme --env staging',
  );
});
