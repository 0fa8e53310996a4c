import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePairs } from '../../../src/compose/flags.ts';
import { anyCharacter } from '../../support/any-character.ts';

const read = (text: string) =>
  Object.fromEntries(parsePairs(text, '--item', ['name', 'code', 'quantity']));

describe('pairs on the command line', () => {
  it.each([
    ['name=Bolt,quantity=4', { name: 'Bolt', quantity: '4' }],
    ['name="Bolt, hex",quantity=4', { name: 'Bolt, hex', quantity: '4' }],
    ['"name=Bolt, hex",quantity=4', { name: 'Bolt, hex', quantity: '4' }],
    ['name="He said ""M8"""', { name: 'He said "M8"' }],
    ['name=Pipe 3/4",quantity=1', { name: 'Pipe 3/4"', quantity: '1' }],
    ['name=a=b', { name: 'a=b' }],
    ['name=', { name: '' }],
    ['', {}],
  ])('reads %s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['nmae=Bolt', 'unknown key "nmae"'],
    ['Bolt', 'is not of the form key=value'],
    ['name=a,name=b', 'name= is given twice'],
    ['name="open', 'a quote is not closed'],
  ])('refuses %s', (text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });

  it('reads any value back that was quoted as in CSV', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string(), (name, code) => {
        const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
        expect(read(`name=${quoted(name)},code=${quoted(code)}`)).toEqual({ name, code });
      }),
    );
  });
});
