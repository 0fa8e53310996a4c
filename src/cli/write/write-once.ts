import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { stateDir } from '../../config/paths.ts';
import type { EndpointSpec, RawResponse } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import type { StorePort } from '../../core/ports.ts';
import type { RecordResult } from '../../core/result.ts';
import type { Scope } from '../../core/scope.ts';
import { hiding } from '../../core/service/secret.ts';
import type { KeyedTarget } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import { type Entry, resolveHint } from '../../history/entry.ts';
import { HISTORY, type History, looseFingerprintOf } from '../../history/store.ts';
import { jsonLine } from '../../output/json.ts';
import { createFolder } from '../../store/folder.ts';
import { type Lock, tryLock } from '../../store/lock.ts';
import { pathOf } from './recorded-write.ts';
import { busy } from './repeat.ts';
import type { WritePorts } from './write-call.ts';

interface Keyed {
  readonly spec: EndpointSpec;
  readonly once: string;
  /** The body that identifies the write. */
  readonly given: unknown;
  readonly target: KeyedTarget;
}

/** The earlier write with a key, if the ledger has one. */
class OnceKey {
  readonly #keyed: Keyed;
  readonly #scope: Scope;
  readonly #history: History;
  readonly #fingerprint: string;

  private constructor(keyed: Keyed, scope: Scope, history: History) {
    const { spec, given, target } = keyed;
    this.#keyed = keyed;
    this.#scope = scope;
    this.#history = history;
    const path = pathOf({ spec, input: { body: given }, target });
    const body = hiding(target.credential).value(given);
    this.#fingerprint = looseFingerprintOf(spec.method, path, body);
  }

  static async open(keyed: Keyed, store: StorePort): Promise<OnceKey> {
    return new OnceKey(keyed, await store.scope(), await store.open(HISTORY));
  }

  /** Another organization may use the same key for another write. */
  get name(): string {
    return `${this.#scope.key} ${this.#keyed.once}`;
  }

  /** The lock tells only what processes of this machine do. */
  isElsewhere(entry: Entry, now: number): boolean {
    const isOther = this.#history.isShared && entry.writer.host !== hostname();
    return isOther && !isEnded(entry) && now - entry.at < IN_PROGRESS_MS;
  }

  /** @throws ProcError `once_conflict` */
  async find(): Promise<Entry | undefined> {
    const { once } = this.#keyed;
    const found = (await this.#history.once(this.#scope, [once])).get(once);
    if (found !== undefined && found.fingerprint !== this.#fingerprint) {
      throw conflict(once, found.entry);
    }
    return found?.entry;
  }
}

/** Keys share lock files, so that there are not as many files as keys. */
const LOCKS = 256;
const WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/** Another machine's write without an outcome may be in progress for so long. */
const IN_PROGRESS_MS = 120_000;

/**
 * A create with a `--once` key: sends it unless an earlier write of this organization has the key.
 *
 * The entry with the key is on the disk before the request leaves. A lock is held until its outcome is recorded, so
 * a pending entry without a lock is of a process that was killed: its outcome is unknown.
 *
 * @param send confirms, records and sends the write
 * @returns the response to the earlier write, or what `send` returns
 * @throws ProcError `once_conflict`, `busy` or `outcome_unknown`; nothing was sent
 */
export async function writeOnce(
  keyed: Keyed,
  { self, io, store }: WritePorts,
  send: () => Promise<unknown>,
): Promise<unknown> {
  const { spec, once } = keyed;
  const key = await OnceKey.open(keyed, store);
  const giveUpAt = self.clock.monotonic() + WAIT_MS;
  const file = lockFile(stateDir(self.env), key.name);
  for (;;) {
    const found = await key.find();
    if (found !== undefined && isEnded(found)) return first(spec, once, found, io.say);
    const lock = tryLock(file);
    if (lock !== undefined) return locked(lock);
    // The other process may hold the lock for another key.
    if (found !== undefined || self.clock.monotonic() >= giveUpAt) throw busy(once);
    await self.clock.sleep(LOOK_AGAIN_MS, self.signal);
  }

  async function locked(lock: Lock): Promise<unknown> {
    try {
      const found = await key.find();
      if (found !== undefined && key.isElsewhere(found, self.clock.now())) throw busy(once);
      return found === undefined ? await send() : first(spec, once, found, io.say);
    } finally {
      lock.release();
    }
  }
}

/**
 * What `--dry-run` shows if an earlier write has the key.
 *
 * @throws ProcError `once_conflict`, or `outcome_unknown` also for a write in progress
 */
export async function foreseeOnce(
  keyed: Keyed,
  { io, store }: Pick<WritePorts, 'io' | 'store'>,
): Promise<RecordResult | undefined> {
  const found = await (await OnceKey.open(keyed, store)).find();
  if (found === undefined) return undefined;
  first(keyed.spec, keyed.once, found, io.say);
  const { id, created = null } = found;
  return { kind: 'record', value: { dryRun: true, once: keyed.once, created, historyId: id } };
}

function isEnded({ endedAt, resolvedAt }: Entry): boolean {
  return (endedAt ?? resolvedAt) !== undefined;
}

function lockFile(stateFolder: string, text: string): string {
  const folder = join(stateFolder, 'once');
  createFolder(folder);
  const number = createHash('sha256').update(text).digest().readUInt32BE() % LOCKS;
  return join(folder, `${number}.lock`);
}

/** The response to the first write. Its text may differ from what the service sent, its content does not. */
function first(
  spec: EndpointSpec,
  once: string,
  entry: Entry,
  say: WritePorts['io']['say'],
): unknown {
  if (entry.state === 'unknown') throw unknown(once, entry);
  const { id, at, created, response } = entry;
  const what = created === undefined ? id : `${created} (${id})`;
  say({
    kind: 'notice',
    text: `The key ${JSON.stringify(once)} created ${what} at ${new Date(at).toISOString()}; nothing was sent now.`,
  });
  const field = ('created' in spec.response ? spec.response.created : undefined) ?? 'id';
  const value = response ?? (created === undefined ? undefined : { [field]: created });
  if (spec.response.kind !== 'raw') return value;
  const text = typeof value === 'string' ? value : value === undefined ? '' : jsonLine(value);
  return {
    status: entry.status ?? 200,
    headers: {},
    bytes: Buffer.from(text),
  } satisfies RawResponse;
}

function conflict(once: string, { id, method, path, created }: Entry): ProcError {
  const what = created === undefined ? id : `${created} (${id})`;
  return new ProcError(
    'once_conflict',
    `the key ${JSON.stringify(once)} belongs to ${what}, a ${method} ${path} with another body; nothing was sent`,
    {
      hint: `Compare the bodies: proc history show ${inShell(id)}. To create another record, use another key`,
      details: { historyId: id, created: created ?? null, once },
    },
  );
}

function unknown(once: string, entry: Entry): ProcError {
  const when = new Date(entry.at).toISOString();
  return new ProcError(
    'outcome_unknown',
    `the create with the key ${JSON.stringify(once)} was sent at ${when}, and its outcome is unknown (${entry.id}); nothing was sent now`,
    {
      hint: `${resolveHint(entry)} Then run the same command again`,
      details: { historyId: entry.id, once, at: when },
    },
  );
}
