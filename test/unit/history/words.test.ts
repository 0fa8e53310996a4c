import { expect, it } from 'vitest';
import { parseMoment } from '../../../src/core/moment.ts';
import { serviceOf } from '../../../src/core/service.ts';
import { resolveHint, subjectOf, writerOf } from '../../../src/history/entry.ts';
import { digestOf } from '../../../src/ledger/rows.ts';

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

const jobOf = (env: Record<string, string>) => writerOf(env, { interactive: false }).job;

const GITHUB = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/catalog',
  GITHUB_RUN_ID: '17',
};
it.each([
  [GITHUB, 'https://github.com/acme/catalog/actions/runs/17'],
  [{ CI_JOB_URL: 'https://gitlab.example/acme/-/jobs/9' }, 'https://gitlab.example/acme/-/jobs/9'],
  [{ BUILD_URL: 'http://jenkins:8080/job/p/3/' }, 'http://jenkins:8080/job/p/3/'],
])('%o: the job is %s', (env, address) => {
  expect(jobOf(env)).toBe(address);
});

it.each([
  ['outside CI', {}],
  ['if a variable is missing', { ...GITHUB, GITHUB_RUN_ID: '' }],
  ['if it is no address', { BUILD_URL: 'nightly' }],
  ['if it is no page', { BUILD_URL: 'file:///etc/passwd' }],
])('there is no job %s', (_, env) => {
  expect(jobOf(env)).toBeUndefined();
});

it('keeps no password that an address contains', () => {
  const env = { CI_JOB_URL: 'https://bot:secret@ci.example/jobs/1' };
  expect(jobOf(env)).toBe('https://ci.example/jobs/1');
});
