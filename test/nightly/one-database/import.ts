import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../src/core/ports.ts';
import type { Outcome } from '../../../src/core/service/outcome.ts';
import type { Post } from '../../../src/core/service/sender.ts';
import { Draft } from '../../../src/import/draft/draft.ts';
import { Gate } from '../../../src/import/gate.ts';
import { importDraft } from '../../../src/import/import-draft.ts';
import { Pace, RateLimit } from '../../../src/import/send/pace.ts';
import { judge } from '../../../src/import/send/verdict.ts';
import { tryLock } from '../../../src/store/lock.ts';
import { connect, IMPUTATIONS, ITEMS } from '../../unit/ledger/one-database.ts';

// An import that the test kills. Arguments: folder, noun, address of the service, how many rows.
const [folder = '', noun = '', address = '', rows = '0'] = process.argv.slice(2);
const where = noun === 'items' ? ITEMS : IMPUTATIONS;
const path = join(folder, 'one.db');
const clock: Clock = {
  ...{ now: () => Date.now(), monotonic: () => performance.now(), boot: () => undefined },
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
};

const BROKE: Outcome = {
  ...{ kind: 'unknown', status: undefined, reason: 'broke', error: undefined },
  problem: { code: 'connection_broke', args: { cause: 'ECONNRESET' } },
};

const post: Post = (body, onOutcome, mayLeave) => {
  if (mayLeave() === false) {
    const cause = new Error('too old');
    setImmediate(() => onOutcome({ kind: 'not-sent', cause, timedOut: false }));
    return;
  }
  const answered = (value: unknown): Outcome => ({
    kind: 'done',
    status: 201,
    value,
    requestId: undefined,
  });
  fetch(address, { method: 'POST', body })
    .then(async (response) => onOutcome(answered(await response.json())))
    .catch(() => onOutcome(BROKE));
};

async function list(): Promise<Map<string, string>> {
  return new Map((await (await fetch(address)).json()) as [string, string][]);
}

const draft = new Draft(folder);
for (let row = 1; row <= Number(rows); row++) {
  const code = `a-${row}`;
  const digest = where.isListed ? null : `d ${code}`;
  const body = JSON.stringify({ code });
  draft.add({
    row,
    state: 'pending',
    key: code,
    digest,
    body,
    source: null,
    line: row,
    reason: null,
  });
}
if (where.isListed) {
  const listed = [...(await list())].map(([code, id]) => ({ code, id, name: null }));
  draft.addListed(listed);
  draft.compareWithList({ code: 'code', name: 'name' });
}
const at = connect(path, where);
const lock = tryLock(join(folder, 'lock.db'), { waitMs: 5_000 });
if (lock === undefined || !existsSync(path)) process.exit(5);
const imported = await importDraft(draft, {
  ...{ sql: at.sql, path, where, compares: { sendsEqual: false }, hasLock: () => true },
  ...{ name: `r-${process.pid}-${Date.now()}`, header: () => ({}), clock, settleMs: 50 },
  ...{
    signal: new AbortController().signal,
    mostRejected: undefined,
    workedMs: () => 0,
    onProgress: () => undefined,
  },
  gate: new Gate(clock, 60_000),
  pace: new Pace(8, new RateLimit(undefined, clock.monotonic())),
  ...{ post, judge: (_: unknown, outcome: Outcome) => judge(outcome, 'id') },
  beforeRun: async () => undefined,
  onTakenOver: () => undefined,
  reading: () => ({
    search: async () => [],
    verify: async () => ({ verified: true }),
    find: async (keys) => {
      const found = await list();
      return new Map(keys.map((key) => [key, found.get(key) ?? null]));
    },
  }),
});
lock.release();
at.close();
if (imported.kind === 'sent' && !imported.hasEnded) process.exit(10);
