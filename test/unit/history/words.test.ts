import { expect, it } from 'vitest';
import { parseMoment } from '../../../src/core/moment.ts';
import { serviceOf } from '../../../src/core/service.ts';
import { resolveHint, subjectOf } from '../../../src/history/entry.ts';
import { LIST_COLUMNS } from '../../../src/history/entry-rows.ts';
import { newId } from '../../../src/history/history.ts';
import { digestOf } from '../../../src/ledger/rows.ts';

import { rowsTable } from '../../../src/output/table.ts';
import { paint } from '../../../src/terminal/terminal.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

it.each([
  ['30d', NOW - 30 * 86_400_000],
  ['12h', NOW - 12 * 3_600_000],
  ['2w', NOW - 14 * 86_400_000],
  ['90m', NOW - 90 * 60_000],
  ['1.5d', NOW - 36 * 3_600_000],
  ['500ms', NOW - 500],
  ['2026-01-31', new Date(2026, 0, 31).getTime()],
  ['2026-01-31T08:00:00Z', Date.parse('2026-01-31T08:00:00Z')],
])('reads %s', (text, expected) => {
  expect(parseMoment(text, '--since', NOW)).toBe(expected);
});

it.each([
  '',
  '30',
  '30y',
  '-3d',
  '2026-02-30',
  '2026-13-01',
  '.5d',
  '999999999999w',
  '2026-01-31T99',
])('refuses %j', (text) => {
  expect(() => parseMoment(text, '--since', NOW)).toThrow(/--since .*: expected an age/);
});

it('tells writes apart by method, path and body, not by the order of keys', () => {
  const one = digestOf('POST', '/items/', { a: 1, b: [{ c: null, d: 'x' }] });
  expect(digestOf('POST', '/items/', { b: [{ d: 'x', c: null }], a: 1 })).toBe(one);
  expect(digestOf('POST', '/items/', { a: 1, b: [{ d: 'x' }] })).not.toBe(one);
  expect(digestOf('PATCH', '/items/', { a: 1, b: [{ c: null, d: 'x' }] })).not.toBe(one);
});

it('has ids without similar letters', () => {
  expect(newId(Uint8Array.from({ length: 256 }, (_, index) => index))).not.toMatch(/[01loiaeu]/);
});

it('knows a service by its whole address', () => {
  expect(serviceOf('https://Proc.Example:443/api/v1/')).toBe('https://proc.example/api/v1');
  expect(serviceOf('http://[::1]:80/api/v1')).toBe(serviceOf('http://localhost/api/v1'));
  expect(serviceOf('http://localhost:1/api/v1')).not.toBe(serviceOf('http://localhost:2/api/v1'));
});

it('names the id that a change affects, quoted for a shell', () => {
  expect(subjectOf({ method: 'POST', path: '/items/' })).toBeUndefined();
  expect(subjectOf({ method: 'DELETE', path: '/sectors/sec%201' })).toBe('sec 1');
  expect(resolveHint({ id: 'h-1', method: 'DELETE', path: '/sectors/sec%201' })).toContain(
    "proc history resolve h-1 --adopt 'sec 1';",
  );
});

it.each([60, 80])('a list of %i columns has what was written, when, and its outcome', (width) => {
  const row = {
    ...{ id: 'h-7w5tnx', at: '2026-03-01T12:00:00Z', state: 'unknown', created: 'req-1' },
    what: 'create requisition "Spare parts" with 1 group',
  };
  const { text } = rowsTable(LIST_COLUMNS, [row], { width, paint: paint(false) });
  expect(text).toContain('unknown');
  expect(text).toContain('2026-03-01');
  expect(text).toContain('create requisition');
});
