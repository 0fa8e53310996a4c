import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { binary } from '../support/built.ts';
import { loggedSandbox } from '../support/service.ts';
import { callsOnFiles, type Fault, hasStrace, withFault } from './failing-disk.ts';

type Failing = Omit<Fault, 'nth'> & {
  readonly target: RegExp;
  readonly at: 'first' | 'middle' | 'last';
};

// A few of the calls, and by day a few of these. `npx tsx bench/disk.ts` tests all of them.
const FAULTS: readonly Failing[] = [
  { work: 'create', call: 'pwrite64', target: /ledger.db-wal$/, at: 'last', error: 'ENOSPC' },
  { work: 'create', call: 'fsync', target: /ledger.db-wal$/, at: 'middle', error: 'EIO' },
  { work: 'create', call: 'fdatasync', target: /ledger.db-wal$/, at: 'first', error: 'EIO' },
  { work: 'create', call: 'write', target: /^stdout$/, at: 'first', error: 'ENOSPC' },
  { work: 'import', call: 'mkdir', target: /imports$/, at: 'first', error: 'ENOSPC' },
  { work: 'import', call: 'write', target: /holder$/, at: 'first', error: 'ENOSPC' },
  { work: 'import', call: 'write', target: /results.csv/, at: 'first', error: 'ENOSPC' },
  { work: 'import', call: 'rename', target: /rejected.csv/, at: 'first', error: 'EIO' },
  { work: 'import', call: 'openat', target: /draft/, at: 'first', error: 'ENOSPC' },
  { work: 'import', call: 'pwrite64', target: /ledger.db-wal$/, at: 'middle', error: 'ENOSPC' },
  // By this call, all rows were sent.
  { work: 'import', call: 'pwrite64', target: /ledger.db-wal$/, at: 'last', error: 'EIO' },
  // That of the last reading of the list, by which rows were sent.
  { work: 'import', call: 'pwrite64', target: /draft/, at: 'last', error: 'ENOSPC' },
  { work: 'import', call: 'fdatasync', target: /ledger.db-wal$/, at: 'first', error: 'EIO' },
  { work: 'import', call: 'unlink', target: /holder$/, at: 'last', error: 'EIO' },
];

const title = hasStrace ? '' : ' (NOT TESTED: strace is missing)';
const counted = new Map<string, ReturnType<typeof callsOnFiles>>();
/** Offsets to try: the number of calls before the chosen one differs between runs, for the last one by a dozen. */
const NEAR = [0, -1, 1, -2, 2, -3, 3, -5, -8, -12, -16, -24];

it.skipIf(!hasStrace).each(FAULTS.filter((_, at) => atNight || at % 4 === 1))(
  `the $at $call on $target of "$work" fails with $error: nothing is lost or created twice, and the work can be completed${title}`,
  async ({ work, call, target, at, error }) => {
    const folder = await mkdtemp(join(tmpdir(), 'proc-disk-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const sandbox = await loggedSandbox();
    onTestFinished(() => sandbox.close());
    const { PROC_BASE_URL: url, PROC_API_KEY: key } = sandbox.target;
    const service = { url: url!, key: key!, db: sandbox.dbPath };
    // The list has an item from the start, because proc makes other calls for an empty list.
    const created = await fetch(`${url}/items/`, {
      method: 'POST',
      headers: { 'X-API-Key': key!, 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'BEFORE', name: 'Before' }),
    });
    expect(created.ok).toBe(true);
    const kind = `${work} ${call}`;
    const calls = await (counted.get(kind) ??
      callsOnFiles({ work, call }, service, binary(), folder));
    counted.set(kind, Promise.resolve(calls));
    const counts = calls.filter((one) => target.test(one.target)).map(({ nth }) => nth);
    const index = { first: 0, middle: counts.length >> 1, last: counts.length - 1 }[at];
    expect(counts[index], JSON.stringify(calls)).toBeGreaterThan(0);
    const hit: (string | undefined)[] = [];
    for (const off of NEAR) {
      const fault = { work, call, error, nth: counts[index]! + off };
      const outcome = await withFault(fault, service, binary(), folder);
      expect(outcome.wrong, outcome.failed).toEqual([]);
      hit.push(outcome.target);
      if (outcome.target !== undefined && target.test(outcome.target)) return;
    }
    expect(hit).toContainEqual(expect.stringMatching(target));
  },
  180_000,
);
