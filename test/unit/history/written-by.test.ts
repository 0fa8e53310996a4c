import { expect, it } from 'vitest';
import { writerOf } from '../../../src/history/written-by.ts';

const jobOf = (env: Record<string, string>) => writerOf(env, { interactive: false }).job;

const GITHUB = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/catalog',
  GITHUB_RUN_ID: '17',
};
const AZURE = {
  SYSTEM_COLLECTIONURI: 'https://dev.azure.com/acme/',
  SYSTEM_TEAMPROJECT: 'Supply Chain',
  BUILD_BUILDID: '8',
};

it.each([
  [GITHUB, 'https://github.com/acme/catalog/actions/runs/17/attempts/1'],
  [
    { ...GITHUB, GITHUB_RUN_ATTEMPT: '3' },
    'https://github.com/acme/catalog/actions/runs/17/attempts/3',
  ],
  [{ CI_JOB_URL: 'https://gitlab.example/acme/-/jobs/9' }, 'https://gitlab.example/acme/-/jobs/9'],
  [AZURE, 'https://dev.azure.com/acme/Supply%20Chain/_build/results?buildId=8'],
  [{ CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/1' }, 'https://circleci.com/gh/acme/1'],
  [
    { BUILDKITE_BUILD_URL: 'https://buildkite.com/acme/p/builds/4', BUILDKITE_JOB_ID: '0-1' },
    'https://buildkite.com/acme/p/builds/4#0-1',
  ],
  [
    { TRAVIS_JOB_WEB_URL: 'https://travis-ci.com/acme/p/jobs/2' },
    'https://travis-ci.com/acme/p/jobs/2',
  ],
  [{ BUILD_URL: 'http://jenkins:8080/job/p/3/' }, 'http://jenkins:8080/job/p/3/'],
])('%o: the job is %s', (env, address) => {
  expect(jobOf(env)).toBe(address);
});

it.each([
  ['outside CI', {}],
  ['if a variable is missing', { ...GITHUB, GITHUB_RUN_ID: '' }],
  ['if it is no address', { BUILD_URL: 'nightly' }],
  ['if it is no page', { BUILD_URL: 'file:///etc/passwd' }],
  ['if it is too long', { BUILD_URL: `https://ci.example/${'x'.repeat(2_000)}` }],
])('there is no job %s', (_, env) => {
  expect(jobOf(env)).toBeUndefined();
});

it('keeps no password that an address contains', () => {
  const env = { CI_JOB_URL: 'https://bot:secret@ci.example/jobs/1' };
  expect(jobOf(env)).toBe('https://ci.example/jobs/1');
});
