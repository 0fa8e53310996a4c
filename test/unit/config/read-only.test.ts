import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, targetOf, withKey } from './world.ts';

const A = 'https://a.example/api/v1';
const B = 'https://b.example/api/v1';

function worldWith(readOnly: boolean | undefined) {
  const w = freshWorld();
  const environment = { ...withKey(A, 'k'), ...(readOnly === undefined ? {} : { readOnly }) };
  w.config({ profile: 'p', profiles: { p: { environments: { e: environment } } } });
  return w;
}

describe('a read-only target', () => {
  it.each([
    [undefined, undefined, undefined],
    [false, '', undefined],
    [true, '0', 'setting'],
    [undefined, '1', 'PROC_READ_ONLY'],
    [false, 'on', 'PROC_READ_ONLY'],
    [true, 'true', 'PROC_READ_ONLY'],
  ] as const)('readOnly=%s, PROC_READ_ONLY=%s: %s', async (setting, PROC_READ_ONLY, by) => {
    const target = await targetOf(worldWith(setting), { variables: { PROC_READ_ONLY } });
    expect(target.readOnly).toBe(by);
  });

  it('PROC_READ_ONLY applies without any profile', async () => {
    const variables = { PROC_BASE_URL: B, PROC_API_KEY: 'k', PROC_READ_ONLY: '1' };
    expect((await targetOf(freshWorld(), { variables })).readOnly).toBe('PROC_READ_ONLY');
  });

  it('the setting applies at its own address; a profile that is named has no other one', async () => {
    const w = worldWith(true);
    const variables = { PROC_BASE_URL: B, PROC_API_KEY: 'k' };
    const error = await errorOf(() => targetOf(w, { profile: 'p', env: 'e', variables }));
    expect(error).toMatchObject({ code: 'invalid_setting', exitCode: 3 });
    expect((await targetOf(w, { variables })).readOnly).toBeUndefined();
  });

  it('another value in the configuration is an error, not full access', async () => {
    const w = worldWith('no' as unknown as boolean);
    expect(await errorOf(() => targetOf(w))).toMatchObject({
      code: 'config_unreadable',
      exitCode: 3,
    });
  });
});
