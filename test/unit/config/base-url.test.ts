import { describe, expect, it } from 'vitest';
import { parseBaseUrl, parseNewBaseUrl } from '../../../src/config/addresses.ts';
import { errorOf } from './world.ts';

describe('a base URL', () => {
  it.each([
    ['https://api.acme.com/api/v1', 'https://api.acme.com/api/v1', false],
    ['https://api.acme.com/api/v1///', 'https://api.acme.com/api/v1', false],
    ['HTTPS://API.acme.com:443/x', 'https://api.acme.com/x', false],
    [' https://api.acme.com ', 'https://api.acme.com', false],
    ['http://127.0.0.1:4010/api/v1', 'http://127.0.0.1:4010/api/v1', true],
    ['http://127.1:4010', 'http://127.0.0.1:4010', true],
    ['http://LOCALHOST:1/api/v1', 'http://localhost:1/api/v1', true],
    ['http://[::1]:4010/api/v1', 'http://[::1]:4010/api/v1', true],
    ['http://127.0.0.1.evil.com', 'http://127.0.0.1.evil.com', false],
    ['http://localhost.evil.com', 'http://localhost.evil.com', false],
    ['http://0.0.0.0', 'http://0.0.0.0', false],
  ])('%s is read as %s', (typed, href, isLoopback) => {
    expect(parseBaseUrl(typed, 'here')).toMatchObject({ href, isLoopback });
  });

  it.each([
    ['', 'empty'],
    ['api.acme.com/api/v1', 'must begin with https://'],
    ['localhost:4010', 'must begin with https://'],
    ['ftp://api.acme.com', 'must begin with https://'],
    ['https:/api.acme.com', 'must begin with https://'],
    ['https://user:canary-secret@api.acme.com', 'user name or password'],
    ['https://@api.acme.com', 'user name or password'],
    ['https://api.acme.com?key=canary-secret', 'query'],
    ['https://api.acme.com?', 'query'],
    ['https://api.acme.com/#canary-secret', 'fragment'],
    ['https://api.acme .com', 'space'],
    ['https://api.acme.com\\x', 'backslash'],
    ['https://api.acme.com/\u0007', 'control'],
    ['https://', 'must begin'],
  ])('%j is refused, and not repeated', async (typed, problem) => {
    const error = await errorOf(() => parseBaseUrl(typed, 'PROC_BASE_URL'));
    expect(error).toMatchObject({ code: 'invalid_setting', exitCode: 3 });
    expect(error.message).toContain('PROC_BASE_URL');
    expect(error.message).toContain(problem);
    expect(`${error.message} ${error.hint}`).not.toContain('canary-secret');
  });

  it.each([
    ['https://api.acme.com', 'https://api.acme.com/api/v1'],
    ['https://api.acme.com/procurement/', 'https://api.acme.com/procurement/api/v1'],
    ['https://api.acme.com/api/', 'https://api.acme.com/api/v1'],
  ])('%s: a missing version prefix is named', async (typed, proposed) => {
    const error = await errorOf(() => parseNewBaseUrl(typed, 'here'));
    expect(error).toMatchObject({ code: 'invalid_usage', hint: `Use ${proposed}` });
  });

  it.each(['/api/v1', '/api/v2/'])('a version %s is enough', (path) => {
    expect(() => parseNewBaseUrl(`https://api.acme.com${path}`, 'here')).not.toThrow();
  });
});
