import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from './context.ts';
import { type EndpointSpec, idFieldOf, type RawResponse } from './core/endpoint.ts';
import { ProcError } from './core/errors.ts';
import type { RecordResult } from './core/result.ts';
import { settleMsOf } from './core/service.ts';
import { inShell } from './core/wording.ts';
import { type Entry, refuseInFlight, resolveHint } from './history/entry.ts';
import { historyOf, identityOf } from './history/history.ts';
import { jsonLine } from './output/format.ts';
import { lockWithin } from './store/database.ts';
import { createFolder, stateDir } from './store/folder.ts';

interface Keyed {
  readonly spec: EndpointSpec;
  readonly once: string;
  /** The body that identifies the write. */
  readonly body: unknown;
  readonly path: string;
}

/** Keys share lock files, so that there are not as many files as keys. */
const LOCKS = 256;
const WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/**
 * A create with a `--once` key: sends it unless an earlier write of this organization has the key.
 *
 * The entry with the key is on the disk before the request leaves. A lock is held until its outcome is recorded, so
 * a pending entry without a lock is of a process that was killed: its outcome is unknown.
 */
export async function writeOnce(
  keyed: Keyed,
  ctx: Context,
  send: () => Promise<unknown>,
): Promise<unknown> {
  const { once } = keyed;
  const { clock, env, flags, signal } = ctx;
  const folder = join(stateDir(env), 'once');
  createFolder(folder);
  // Another organization may use the same key for another write.
  const text = `${(await ctx.scope()).key} ${once}`;
  const number = createHash('sha256').update(text).digest().readUInt32BE() % LOCKS;
  const found = await onceEntry(keyed, ctx);
  const isPending = found?.state === 'unknown' && !(found.endedAt ?? found.resolvedAt);
  if (found !== undefined && !isPending) return firstAnswer(keyed, found, ctx);
  // The other process may hold the lock for another key.
  const waitMs = isPending ? 0 : WAIT_MS;
  const path = join(folder, `${number}.lock`);
  const lock = await lockWithin(path, waitMs, { clock, signal, everyMs: LOOK_AGAIN_MS });
  if (lock === undefined) throw busy(once);
  try {
    const entry = await onceEntry(keyed, ctx);
    if (entry === undefined) return await send();
    // The lock keeps out processes of this machine only.
    if ((await ctx.ledger()).locks !== undefined)
      refuseInFlight(entry, clock.now(), settleMsOf(await ctx.target(), flags));
    return firstAnswer(keyed, entry, ctx);
  } finally {
    lock.release();
  }
}

/**
 * What `--dry-run` shows if an earlier write has the key.
 *
 * @throws ProcError `once_conflict`, or `outcome_unknown` also for a write in progress
 */
export async function foreseeOnce(keyed: Keyed, ctx: Context): Promise<RecordResult | undefined> {
  const found = await onceEntry(keyed, ctx);
  if (found === undefined) return undefined;
  firstAnswer(keyed, found, ctx);
  const { id, created = null } = found;
  return {
    kind: 'record',
    value: { dryRun: true, once: keyed.once, created, historyId: id, next: [] },
  };
}

/** @throws ProcError `once_conflict` */
async function onceEntry(
  { spec, once, body, path }: Keyed,
  ctx: Context,
): Promise<Entry | undefined> {
  const found = await (await historyOf(ctx)).once(await ctx.scope(), once);
  if (found === undefined) return undefined;
  const mask = await ctx.http().mask();
  const { digest } = identityOf({ endpoint: spec.id, method: spec.method, path }, mask(body));
  if (found.digest === digest) return found;
  const { id, created } = found;
  const what = created === undefined ? id : `${created} (${id})`;
  throw new ProcError(
    'once_conflict',
    `the key ${JSON.stringify(once)} belongs to ${what}, a ${found.method} ${found.path} with another body; nothing was sent`,
    {
      hint: `Compare the bodies: proc history show ${inShell(id)}. To create another record, use another key`,
      details: { historyId: id, created: created ?? null, once },
    },
  );
}

/** The response to the first write. Its text may differ from what the service sent, its content does not. */
function firstAnswer({ spec, once }: Keyed, entry: Entry, { io }: Context): unknown {
  const { id, at, created, response, state, status = 200 } = entry;
  const when = new Date(at).toISOString();
  if (state === 'unknown') {
    throw new ProcError(
      'outcome_unknown',
      `the create with the key ${JSON.stringify(once)} was sent at ${when}, and its outcome is unknown (${id}); nothing was sent now`,
      {
        hint: `${resolveHint(entry)} Then run the same command again`,
        details: { historyId: id, once, at: when },
      },
    );
  }
  const what = created === undefined ? id : `${created} (${id})`;
  io.say({
    kind: 'notice',
    text: `The key ${JSON.stringify(once)} created ${what} at ${when}; nothing was sent now.`,
  });
  const value = response ?? (created === undefined ? undefined : { [idFieldOf(spec)]: created });
  if (spec.response.kind !== 'raw') return value;
  const text = typeof value === 'string' ? value : value === undefined ? '' : jsonLine(value);
  return { status, headers: {}, bytes: Buffer.from(text) } satisfies RawResponse;
}

export function busy(once: string): ProcError {
  return new ProcError(
    'busy',
    `another process is sending the create with the key ${JSON.stringify(once)}; nothing was sent`,
    { hint: 'Run the same command again when it has ended', details: { once } },
  );
}
