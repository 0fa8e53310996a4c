import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { changeBehind, storedCode } from '../../src/core/service/code-change.ts';
import { settleMsOf } from '../../src/import/run-options.ts';
import { keepTraits, type Traits } from '../../src/rehearsal/kept-traits.ts';
import { rehearsedText } from '../../src/rehearsal/rehearsed-text.ts';

const UNKNOWN = { result: 'unknown', status: null, message: null } as const;
const DELETED = { status: 204, gone: true };
const ANSWER = { fields: ['id'], id: 'text' as const };

const TRAITS: Traits = {
  profile: 'acme',
  environment: 'staging',
  baseUrl: 'https://staging.example/api/v1',
  at: '2026-01-01T10:00:00.000Z',
  codes: {
    change: null,
    isKnown: true,
    case: 'as sent',
    spaces: 'as sent',
    dashes: 'as sent',
    zeros: 'as sent',
    form: 'as sent',
    longest: { sent: 120, result: 'kept', to: null },
    samples: [],
  },
  second: {
    items: UNKNOWN,
    itemsInOtherCase: UNKNOWN,
    itemsInOtherForm: UNKNOWN,
    imputations: UNKNOWN,
  },
  answers: { items: { ...ANSWER, code: 'stored' }, requisitions: ANSWER, imputations: ANSWER },
  list: { lagMs: 4_000, order: 'last' },
  deletes: { lines: DELETED, groups: DELETED },
  parameters: { empty: 'unknown', repeated: 'unknown' },
  left: [],
};

describe('how long a request may take to be applied', () => {
  const settleMs = async (set?: number, baseUrl = TRAITS.baseUrl) => {
    const folder = await mkdtemp(join(tmpdir(), 'proc-settle-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = { PROC_STATE_DIR: join(folder, 'state'), PROC_CONFIG_DIR: join(folder, 'config') };
    keepTraits(env, TRAITS);
    const target = { profile: 'acme', environment: 'staging', baseUrl, settleMs: set };
    const ports = {
      api: { target: async () => target },
      self: { env, cwd: folder, flags: { timeoutMs: 20_000 } },
    };
    return settleMsOf(ports as never);
  };

  it('is longer by the lag of the lists that was rehearsed', async () => {
    expect(await settleMs()).toBe(44_000);
    expect(await settleMs(undefined, 'https://other.example/api/v1')).toBe(40_000);
  });

  it('is what was set, whatever was rehearsed', async () => {
    expect(await settleMs(5_000)).toBe(5_000);
  });
});

describe('what a plan says of a rehearsal', () => {
  const facts = {
    environment: 'staging',
    at: TRAITS.at,
    codes: { change: { name: 'upper case, without dashes' }, isKnown: true, cutTo: 40 },
    second: 'refused',
    lagMs: 2_040,
  } as const;
  const now = Date.parse('2026-01-04T11:00:00Z');

  it('in English', () => {
    expect(rehearsedText(facts, now)).toBe(
      'rehearsed on staging 3 days ago: codes are stored in upper case, without dashes; longer codes are cut to 40 characters; a second create with the same code is refused; lists lag 2.1 s',
    );
  });
});

describe('the change behind codes', () => {
  it.each([
    [['a-1', 'a-1'], 'none'],
    [['a-1', 'A-1'], 'upper case'],
    [['0a-1', 'A1'], 'upper case, without leading zeros, without dashes'],
    [['a-1', 'ORG-a-1'], 'prefix'],
    [['a-1', 'b-1'], undefined],
  ] as const)('%o: %s', ([sent, stored], expected) => {
    const found = changeBehind([{ sent, stored }]);
    expect(found === 'none' ? found : found?.name).toBe(expected);
    if (found !== undefined && found !== 'none') expect(storedCode(found, sent)).toBe(stored);
  });
});
