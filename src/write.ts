import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { stateDir } from './config/paths.ts';
import { type AnyInput, type EndpointSpec, nounOf, type RawResponse } from './core/endpoint.ts';
import { declined, isSignalled, messageOf, ProcError } from './core/errors.ts';
import { isObject } from './core/is-object.ts';
import type {
  AskPort,
  Clock,
  IoPort,
  SelfPort,
  Settled,
  StorePort,
  WriteIntent,
  Written,
} from './core/ports.ts';
import type { RecordResult, Row } from './core/result.ts';
import type { Scope } from './core/scope.ts';
import type { Outcome } from './core/service/outcome.ts';
import { requireWritable } from './core/service/read-only.ts';
import { idText } from './core/service/same-value.ts';
import { hiding } from './core/service/secret.ts';
import { type KeyedTarget, placeName, type Target } from './core/service-target.ts';
import { capital } from './core/text/listed.ts';
import { inShell, targetFlags, typedAgain } from './core/text/typed.ts';
import { ageText } from './core/time/age.ts';
import { type Ending, type Entry, type Intent, resolveHint } from './history/entry.ts';
import { type History, historyOf, identityOf, type Repeated } from './history/history.ts';
import { writerOf } from './history/written-by.ts';
import { type ClientPorts, call } from './http/call.ts';
import { rawContent } from './http/decode.ts';
import { prepare } from './http/request.ts';
import { jsonLine } from './output/json.ts';
import { createFolder } from './store/folder.ts';
import { tryLock } from './store/lock.ts';
import { needsConfirmation } from './terminal/confirm-change.ts';

export interface WritePorts {
  readonly self: SelfPort;
  readonly io: Pick<IoPort, 'terminal' | 'say'>;
  readonly ask: Pick<AskPort, 'confirm' | 'typed'>;
  store(): Promise<StorePort>;
  target(): Promise<KeyedTarget>;
  client(to: KeyedTarget): Promise<ClientPorts>;
  /** Shows a record on stderr. */
  show(record: Row): Promise<void>;
  onWritten(written: Written): void;
}

type Given = AnyInput | (() => Promise<AnyInput>);

/** A write that is ready to be sent. */
interface Write {
  readonly spec: EndpointSpec;
  readonly input: AnyInput;
  readonly intent: WriteIntent;
  readonly target: KeyedTarget;
}

/**
 * The only way to write one record: shows the write, asks, looks whether it repeats an earlier one, records it, sends it
 * and records its outcome.
 *
 * @param given see `ApiPort.send`
 * @returns the decoded response; with `intent.once`, perhaps that to an earlier write
 * @throws ProcError before anything is sent: `read_only`, `confirmation_required`, `declined`, `repeated_write`,
 * `once_conflict`, `busy`, `state_unwritable`; `outcome_unknown` after, and also for an earlier write with the same key
 */
export async function write(
  spec: EndpointSpec,
  given: Given,
  intent: WriteIntent,
  ports: WritePorts,
): Promise<unknown> {
  const target = await ports.target();
  const send = async () => {
    const input = typeof given === 'function' ? await given() : given;
    await confirm(intent, target, ports, { spec, input });
    return recorded({ spec, input, intent, target }, ports);
  };
  if (intent.once === undefined) return send();
  const body = intent.given ?? (typeof given === 'function' ? undefined : given.body);
  return writeOnce({ spec, once: intent.once, body, target }, ports, send);
}

/**
 * Refuses a write to a read-only target, and asks if the write needs confirmation. Every write passes here, also that of
 * an import.
 *
 * @throws ProcError `read_only`, `confirmation_required` or `declined`, before anything is sent
 */
export async function confirm(
  intent: WriteIntent,
  target: Target,
  ports: Pick<WritePorts, 'self' | 'io' | 'ask' | 'show'>,
  shown?: { readonly spec: EndpointSpec; readonly input: AnyInput },
): Promise<void> {
  requireWritable(target, intent.what);
  const { self, io, ask } = ports;
  if (target.isProtected)
    io.say({ kind: 'notice', tone: 'protected', text: `▸ ${placeName(target)}` });
  // No endpoint deletes what these create: items, imputations, requisitions.
  const isFinal = shown !== undefined && shown.spec.id === `${nounOf(shown.spec)}.create`;
  const isAsked = needsConsent(intent, target) || (isFinal && intent.isChosen !== true);
  if (!isAsked) return;
  if (!io.terminal.interactive) {
    if (needsConsent(intent, target)) consentByFlags(intent, target, self);
    return;
  }
  const mustType = target.isProtected && (intent.weight === 'delete' || intent.weight === 'bulk');
  if (self.flags.yes && !mustType) return;
  if (intent.isChosen !== true) await showWrite(intent, shown?.input.body, ports);
  const name = target.profile ?? new URL(target.baseUrl).host;
  if (intent.irreversible === true || isFinal)
    io.say({ kind: 'notice', text: 'Nothing can undo this.' });
  const question = `${capital(intent.what)} on ${placeName(target)}`;
  const agreed = mustType
    ? await ask.typed(`${question}. Type ${name} to confirm:`, name)
    : await ask.confirm(`${question}?`, false);
  if (!agreed) throw declined(intent.weight);
}

/** What the write sends or deletes, with names. What a patch changes has already been said. */
export async function showWrite(
  { review, weight, before, names }: WriteIntent,
  body: unknown,
  { show }: Pick<WritePorts, 'show'>,
): Promise<void> {
  if (review !== undefined) return review();
  const shown = weight === 'delete' ? before : isObject(body) ? { ...body, ...names } : undefined;
  if (shown === undefined || (weight === 'patch' && before !== undefined)) return;
  await show(shown);
}

/** Fails before the first read if `confirm` would later refuse the write without asking. */
export function ensureAskable(
  intent: WriteIntent,
  target: Target,
  { self, io }: Pick<WritePorts, 'self' | 'io'>,
): void {
  requireWritable(target, intent.what);
  if (!io.terminal.interactive && needsConsent(intent, target))
    consentByFlags(intent, target, self);
}

function needsConsent({ irreversible, weight }: WriteIntent, { isProtected }: Target): boolean {
  return isProtected || irreversible === true || weight === 'bulk';
}

/**
 * Without a terminal, `--yes` replaces the question. A protected target also needs a named
 * environment.
 */
function consentByFlags(
  intent: WriteIntent,
  target: Target,
  { flags, env, typed }: SelfPort,
): void {
  const isUnnamed = target.isProtected && !(flags.env ?? env.PROC_ENV);
  const naming = isUnnamed ? ['--env', target.environment ?? 'ENV'] : [];
  const adding = flags.yes ? naming : ['--yes', ...naming];
  if (adding.length === 0) return;
  const place = placeName(target);
  const command = typedAgain(typed, adding);
  throw new ProcError(
    'confirmation_required',
    flags.yes
      ? `${place} is protected: name the environment as well, with --env or PROC_ENV; nothing was sent`
      : needsConfirmation(`${intent.what} on ${place}`),
    { hint: `Add ${adding.join(' ')}: ${command}`, details: { command } },
  );
}

async function recorded(write: Write, ports: WritePorts): Promise<unknown> {
  const { spec, input, intent, target } = write;
  const { self, io } = ports;
  const { clock } = self;
  const mask = hiding(target.credential).value;
  const store = await ports.store();
  const history = await historyOf({ store });
  // May fail; nothing is recorded then.
  const client = await ports.client(target);
  const record = new Recording(write, mask(draftOf(write, ports)), history, await store.scope());
  await record.begin(ports);
  let last: Outcome | undefined;
  const finish = async (ending: Ending): Promise<void> => {
    try {
      await history.finish(record.id, mask(ending), clock.now());
    } catch (thrown) {
      // A full disk must not hide the outcome of the write.
      const text = `the outcome could not be recorded, so history shows ${record.id} as unknown: ${messageOf(thrown)}`;
      io.say({ kind: 'warning', text });
    }
  };
  let sent = await attempt(() =>
    call(spec, input, {
      ...client,
      onOutcome: (outcome) => (last = outcome),
      mayLeave: () => record.isFresh(clock),
      beforeRetry: () => record.renew(clock),
    }),
  );
  const doubt = doubtOf(sent, last);
  let settled: Settled | undefined;
  try {
    if (doubt !== undefined) settled = await intent.settle?.();
  } catch (thrown) {
    // Interrupted: what is known of the write is recorded and said.
    sent = { thrown };
  }
  if (settled?.is === 'not done' && doubt !== undefined && isAnswer(last)) {
    const message = `${doubt}; ${settled.seen}`;
    await finish({ state: 'rejected', message, ...about(last) });
    throw new ProcError('refused', message, { status: about(last).status });
  }
  if ('thrown' in sent && settled?.is !== 'done') {
    const state = stateAfter(last, sent.thrown);
    const error =
      state === 'unknown'
        ? unknownOutcome(sent.thrown, settled?.seen, { id: record.id, write, last })
        : sent.thrown;
    await finish({ state, message: messageOf(error), ...about(last) });
    throw error;
  }
  if ('thrown' in sent) io.say({ kind: 'notice', text: `${doubt}; ${settled!.seen}` });
  else if (doubt !== undefined && settled === undefined) io.say({ kind: 'warning', text: doubt });
  const value = settled?.is === 'done' && 'value' in settled ? settled.value : answerOf(sent);
  const response = spec.response.kind === 'raw' ? rawContent(value as RawResponse) : value;
  const created = createdId(spec, response);
  await finish({ state: 'done', response, created, ...about(last) });
  const isSaid = io.terminal.stderrIsTerminal && !self.flags.quiet;
  if (isSaid)
    io.say({ kind: 'notice', tone: 'done', text: writtenText(intent.what, created, input.body) });
  const see = `proc history show ${inShell(record.id)}`;
  ports.onWritten({ what: intent.what, created, isSaid, see });
  return value;
}

type Attempt = { readonly value: unknown } | { readonly thrown: unknown };

async function attempt(send: () => Promise<unknown>): Promise<Attempt> {
  try {
    return { value: await send() };
  } catch (thrown) {
    return { thrown };
  }
}

function answerOf(sent: Attempt): unknown {
  return 'value' in sent ? sent.value : undefined;
}

/** Why the answer does not tell whether all was done; undefined if it does, or if nobody should be asked. */
function doubtOf(sent: Attempt, last: Outcome | undefined): string | undefined {
  if ('thrown' in sent) {
    const { thrown } = sent;
    const isUnknown = last?.kind === 'unknown' && thrown instanceof ProcError;
    return isUnknown && !isSignalled(thrown) ? thrown.message : undefined;
  }
  const altered = last?.kind === 'done' ? last.altered : undefined;
  return altered && `the service stored other values than proc sent: ${altered}`;
}

/** Later, a look-up of an import may have decided that the request never arrived. */
const LEAVES_WITHIN_MS = 5_000;

/** The entry of a write that is under way. */
class Recording {
  id = '';
  readonly #write: Write;
  readonly #draft: Intent;
  readonly #history: History;
  readonly #scope: Scope;
  #refusesRepeats = false;
  /** When its intent was about to be written. */
  #at: readonly [wall: number, monotonic: number] = [0, 0];

  constructor(write: Write, draft: Intent, history: History, scope: Scope) {
    this.#write = write;
    this.#draft = draft;
    this.#history = history;
    this.#scope = scope;
  }

  /** @throws ProcError `repeated_write`, `busy`, `state_unwritable` */
  async begin(ports: WritePorts): Promise<void> {
    const { self } = ports;
    const isWanted = self.flags.again || this.#write.intent.again === true;
    this.#refusesRepeats = this.#write.spec.method === 'POST' && !isWanted;
    const repeated = await this.#record(self.clock);
    if (repeated === undefined) return;
    await confirmRepeat(this.#draft, repeated, ports);
    this.#refusesRepeats = false;
    await this.#record(self.clock);
  }

  /** A request that was turned away is sent again. Meanwhile, others may have decided about the first one. */
  async renew(clock: Clock): Promise<void> {
    const repeated = await this.#record(clock);
    if (repeated !== undefined) throw repeatedWrite(this.#draft, repeated, '');
  }

  /** The monotonic clock may stand still while the machine sleeps. */
  isFresh(clock: Clock): boolean {
    const [wall, monotonic] = this.#at;
    return Math.max(clock.now() - wall, clock.monotonic() - monotonic) < LEAVES_WITHIN_MS;
  }

  async #record(clock: Clock): Promise<Repeated | undefined> {
    this.#at = [clock.now(), clock.monotonic()];
    const begun = await this.#history.begin(this.#scope, this.#draft, {
      ...{ now: clock.now(), refusesRepeats: this.#refusesRepeats },
      renews: this.id === '' ? undefined : this.id,
    });
    if ('once' in begun) throw busy(begun.once);
    if ('repeats' in begun) return begun.repeats;
    this.id = begun.id;
    return undefined;
  }
}

function draftOf({ spec, input, intent, target }: Write, { self, io }: WritePorts): Intent {
  return {
    what: intent.what,
    noun: nounOf(spec),
    endpoint: spec.id,
    method: spec.method,
    path: pathOf({ spec, input, target }),
    payload: input.body,
    given: intent.given,
    before: intent.before,
    profile: target.profile,
    environment: target.environment,
    baseUrl: target.baseUrl,
    writer: writerOf(self.env, io.terminal),
    once: intent.once,
  };
}

/** Relative to the base URL, as sent. */
function pathOf({ spec, input, target }: Omit<Write, 'intent'>): string {
  const prefix = new URL(target.baseUrl).pathname.replace(/\/+$/, '');
  return prepare(spec, input, target).path.slice(prefix.length);
}

/**
 * Before the same create is sent again: asks on a terminal, fails elsewhere. `--yes` does not
 * confirm a repeat, because many scripts add it to every command.
 *
 * @throws ProcError `repeated_write`
 */
async function confirmRepeat(
  draft: Intent,
  repeated: Repeated,
  { self, io, ask }: WritePorts,
): Promise<void> {
  if (io.terminal.interactive) {
    const { at, isOpen, name, created = name } = repeated;
    const age = ageText(self.clock.now() - at);
    const question = isOpen
      ? `The same request was sent ${age}, and its outcome is unknown (${name}). Send it anyway?`
      : `The same request was sent ${age} and created ${created}. Send it again?`;
    if (await ask.confirm(question, false)) return;
  }
  throw repeatedWrite(draft, repeated, targetFlags(self.flags));
}

/** @param target the flags `-p` and `-e`, as they were typed */
function repeatedWrite({ method, path }: Intent, repeated: Repeated, target: string): ProcError {
  const { at, isOpen, name, created } = repeated;
  const when = new Date(at).toISOString();
  const state = isOpen ? 'unknown' : 'created';
  const became = isOpen
    ? `and its outcome is unknown (${name})`
    : created === undefined
      ? `(${name})`
      : `and created ${created} (${name})`;
  let step: string;
  let details: Readonly<Record<string, unknown>>;
  if (repeated.entry !== undefined) {
    const { entry } = repeated;
    step = isOpen ? resolveHint(entry) : `See it: proc history show ${inShell(entry.id)}.`;
    details = { historyId: entry.id, state: entry.state };
  } else {
    const { run, row } = repeated;
    const resolve = `proc imports resolve ${inShell(run)} ${row}${target}`;
    step = isOpen
      ? `Check the service, then run: ${resolve} --adopt ID, --resend or --drop.`
      : `See it: proc imports show ${inShell(run)}.`;
    details = { run, row, state };
  }
  return new ProcError(
    'repeated_write',
    `the same ${method} ${path} was sent at ${when} ${became}; nothing was sent now`,
    {
      hint: `${step} To send it anyway, add --again`,
      details: { ...details, at: when, created },
    },
  );
}

/** All attempts before the last had no effect, so only the last counts. */
function stateAfter(last: Outcome | undefined, thrown: unknown): Ending['state'] {
  switch (last?.kind) {
    case 'done':
    case 'rejected':
    case 'unknown':
      return last.kind;
    case 'throttled':
    case 'not-sent':
      return 'not-applied';
    case undefined:
      // A ProcError without an outcome comes from before the first attempt. A bug may throw at any
      // time.
      return thrown instanceof ProcError ? 'not-applied' : 'unknown';
  }
}

/** Whether a whole answer with 2xx arrived. The page of a gateway is none. */
function isAnswer(last: Outcome | undefined): boolean {
  if (last?.kind === 'done') return true;
  return last?.kind === 'unknown' && last.reason === 'contradicts';
}

function about(last: Outcome | undefined): Pick<Ending, 'status' | 'requestId'> {
  const error = last !== undefined && 'error' in last ? last.error : undefined;
  return {
    status: last !== undefined && 'status' in last ? last.status : undefined,
    requestId: last?.kind === 'done' ? last.requestId : error?.requestId,
  };
}

function createdId(spec: EndpointSpec, value: unknown): string | undefined {
  if (spec.method !== 'POST' || !isObject(value)) return undefined;
  return idText(value[idFieldOf(spec)]);
}

function idFieldOf({ response }: EndpointSpec): string {
  return ('created' in response ? response.created : undefined) ?? 'id';
}

function unknownOutcome(
  thrown: unknown,
  seen: string | undefined,
  { id, write, last }: { id: string; write: Write; last: Outcome | undefined },
): unknown {
  if (!(thrown instanceof ProcError)) return thrown;
  const { method, path } = write.spec;
  const message = isSignalled(thrown)
    ? `${thrown.message}: ${method} ${path} was sent, but its outcome is unknown`
    : thrown.message;
  return new ProcError(thrown.code, seen === undefined ? message : `${message}; ${seen}`, {
    hint: resolveHint({ id, method, path: pathOf(write) }),
    status: thrown.status ?? about(last).status,
    requestId: thrown.requestId ?? about(last).requestId,
    details: { ...(thrown.details as object | undefined), historyId: id },
    cause: thrown.cause,
  });
}

/** Verb of a write → its form once the write is done: `create` → `Created`. */
const DONE: Readonly<Record<string, string>> = {
  create: 'Created',
  add: 'Added',
  delete: 'Deleted',
  change: 'Changed',
};

/** What a write has done: `Created item "Bolt": itm-1`. */
function writtenText(what: string, created: string | undefined, body: unknown): string {
  const count = (of: readonly unknown[], one: string) =>
    `${of.length} ${one}${of.length === 1 ? '' : 's'}`;
  if (created !== undefined && isObject(body) && Array.isArray(body.groups)) {
    const groups = body.groups as readonly unknown[];
    const items = groups.flatMap((group) =>
      isObject(group) && Array.isArray(group.items) ? (group.items as unknown[]) : [],
    );
    // Several requisitions may have the same title.
    const title = typeof body.title === 'string' ? ` "${body.title}"` : '';
    return `Created requisition ${created}${title} (${count(groups, 'group')}, ${count(items, 'item')})`;
  }
  const [, verb = '', rest = ''] = /^(\S+)(.*)$/s.exec(what) ?? [];
  const done = DONE[verb];
  // The text of a raw call begins with its HTTP method, which is not in `DONE`.
  const sentence = done === undefined ? `${what}: OK` : `${done}${rest}`;
  return created === undefined ? sentence : `${sentence}: ${created}`;
}

interface Keyed {
  readonly spec: EndpointSpec;
  readonly once: string;
  /** The body that identifies the write. */
  readonly body: unknown;
  readonly target: KeyedTarget;
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
async function writeOnce(
  keyed: Keyed,
  ports: WritePorts,
  send: () => Promise<unknown>,
): Promise<unknown> {
  const { once } = keyed;
  const { clock, env, signal } = ports.self;
  const store = await ports.store();
  const history = await historyOf({ store });
  const scope = await store.scope();
  const giveUpAt = clock.monotonic() + WAIT_MS;
  // Another organization may use the same key for another write.
  const file = onceLock(stateDir(env), `${scope.key} ${once}`);
  for (;;) {
    const found = await onceEntry(keyed, history, scope);
    if (found !== undefined && isEnded(found)) return firstAnswer(keyed, found, ports.io);
    const lock = tryLock(file);
    if (lock !== undefined) {
      try {
        const entry = await onceEntry(keyed, history, scope);
        return entry === undefined ? await send() : firstAnswer(keyed, entry, ports.io);
      } finally {
        lock.release();
      }
    }
    // The other process may hold the lock for another key.
    if (found !== undefined || clock.monotonic() >= giveUpAt) throw busy(once);
    await clock.sleep(LOOK_AGAIN_MS, signal);
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
  const opened = await store();
  const history = await historyOf({ store: opened });
  const found = await onceEntry(keyed, history, await opened.scope());
  if (found === undefined) return undefined;
  firstAnswer(keyed, found, io);
  const { id, created = null } = found;
  return { kind: 'record', value: { dryRun: true, once: keyed.once, created, historyId: id } };
}

/** @throws ProcError `once_conflict` */
async function onceEntry(
  { spec, once, body, target }: Keyed,
  history: History,
  scope: Scope,
): Promise<Entry | undefined> {
  const found = await history.once(scope, once);
  if (found === undefined) return undefined;
  const path = pathOf({ spec, input: { body }, target });
  const { digest } = identityOf(
    { endpoint: spec.id, method: spec.method, path },
    hiding(target.credential).value(body),
  );
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

function isEnded({ state, endedAt, resolvedAt }: Entry): boolean {
  return state !== 'unknown' || (endedAt ?? resolvedAt) !== undefined;
}

function onceLock(stateFolder: string, text: string): string {
  const folder = join(stateFolder, 'once');
  createFolder(folder);
  const number = createHash('sha256').update(text).digest().readUInt32BE() % LOCKS;
  return join(folder, `${number}.lock`);
}

/** The response to the first write. Its text may differ from what the service sent, its content does not. */
function firstAnswer({ spec, once }: Keyed, entry: Entry, { say }: Pick<IoPort, 'say'>): unknown {
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
  say({
    kind: 'notice',
    text: `The key ${JSON.stringify(once)} created ${what} at ${when}; nothing was sent now.`,
  });
  const value = response ?? (created === undefined ? undefined : { [idFieldOf(spec)]: created });
  if (spec.response.kind !== 'raw') return value;
  const text = typeof value === 'string' ? value : value === undefined ? '' : jsonLine(value);
  return { status, headers: {}, bytes: Buffer.from(text) } satisfies RawResponse;
}

function busy(once: string): ProcError {
  return new ProcError(
    'busy',
    `another process is sending the create with the key ${JSON.stringify(once)}; nothing was sent`,
    { hint: 'Run the same command again when it has ended', details: { once } },
  );
}
