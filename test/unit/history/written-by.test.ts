import { expect, it } from 'vitest';
import { writerOf } from '../../../src/history/entry.ts';

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
