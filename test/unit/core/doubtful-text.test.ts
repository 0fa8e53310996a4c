import { describe, expect, it } from 'vitest';
import { unmarked } from '../../../src/core/text/formula-guard.ts';
import {
  htmlEntity,
  invisibleIn,
  mojibake,
  placeholder,
  spreadsheetError,
} from '../../../src/nouns/shared/doubtful-text.ts';

describe('text that stands for nothing', () => {
  it.each([
    'NULL',
    'null',
    'N/A',
    'n/a',
    '?',
    '???',
    '-',
    '--',
    '–',
    '.',
    'None',
    'NaN',
    'tbd',
    'S/N',
  ])('%s is a placeholder', (text) => expect(placeholder(text)).toBe(text));
  it.each(['sin código', 'k. A.', '(blank)', '(en blanco)', 'unbekannt', '#', '***', '\\N'])(
    '%s is a placeholder',
    (text) => expect(placeholder(text)).toBe(text),
  );
  it.each([
    'NULL-1',
    'A',
    '0',
    'X',
    'N/A-7',
    'Nonwoven',
    'Nullventil',
    '½',
    '鉄',
    'None-return valve',
  ])('%s is a value', (text) => expect(placeholder(text)).toBeUndefined());
  it.each([
    '#BEZUG!',
    '#NV',
    '#WERT!',
    '#NAME?',
    '#ZAHL!',
    '#REF!',
    '#N/A',
    'Err:502',
    '#¡VALOR!',
    '#DIV/0!',
  ])('%s is an error', (text) => expect(spreadsheetError(text)).toBe(text));
  it.each(['#10 bolt', '# 1', '#NVX', 'Error', 'Err:5'])('%s is no error', (text) =>
    expect(spreadsheetError(text)).toBeUndefined(),
  );
});

describe('characters that nobody can see', () => {
  it.each([
    ['a replacement character', 'V\ufffdlvula'],
    ['a direction mark', 'Bolt\u200e'],
    ['an override', 'Bolt\u202e8M'],
    ['a zero-width space', 'Bo\u200blt'],
    ['a joiner between Latin letters', 'Bo\u200dlt'],
    ['a soft hyphen', 'Schrau\u00adbe'],
    ['a byte order mark', 'Bolt\ufeff'],
  ])('%s is found in names', (_, text) => expect(invisibleIn(text, 'name')).toBeDefined());
  it.each([
    ['an emoji of several', 'Kit 👩\u200d🔧'],
    ['an emoji with a variant', 'Hot ♨\ufe0f'],
    ['a Persian word', 'می\u200cخواهم'],
    ['a Hebrew name with a mark', 'בורג\u200e M8'],
    ['accents', 'Válvula ½" Ø 8'],
  ])('%s is a name', (_, text) => expect(invisibleIn(text, 'name')).toBeUndefined());
});

describe('garbled text', () => {
  it.each(['VÃ¡lvula', 'TornilloÂ° 8', 'â€œquotedâ€\u009d', 'SchlÃ¼ssel'])('%s', (text) =>
    expect(mojibake(text)).toBe(text),
  );
  it.each(['Válvula', 'Â', 'São Paulo', 'Ação', 'Größe', '30 °C'])('%s is right', (text) =>
    expect(mojibake(text)).toBeUndefined(),
  );
  it.each(['Nut &amp; bolt', '3&quot; pipe', 'Tama&ntilde;o', '&#39;x', '5&deg;'])('%s', (text) =>
    expect(htmlEntity(text)).toBe(text),
  );
  it.each(['R&D; other', 'A & B', 'Q&A', 'AT&T;'])('%s is right', (text) =>
    expect(htmlEntity(text)).toBeUndefined(),
  );
});

it.each([
  ['="00123"', '00123', false],
  ["'00123", '00123', false],
  ['="a ""b"""', 'a "b"', false],
  ['=1+1', '=1+1', true],
  ["'=1+1", '=1+1', false],
  ["'A-77", "'A-77", true],
  ["''A-77", "'A-77", false],
  ["''00123", "'00123", false],
  ['plain', 'plain', false],
])('a cell with %s is %s', (cell, text, isBare) => {
  expect(unmarked(cell)).toEqual({ text, isBare });
});
