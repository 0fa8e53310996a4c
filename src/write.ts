import type { Context, Hooks } from './context.ts';
import {
  type AnyInput,
  documentedFields,
  type EndpointSpec,
  type InputOf,
  idFieldOf,
  nounOf,
  type OutputOf,
  type RawResponse,
} from './core/endpoint.ts';
import { declined, isSignalled, messageOf, ProcError } from './core/errors.ts';
import { idText, isObject, parseResponse } from './core/json.ts';
import type { Outcome } from './core/outcome.ts';
import type { Column, RecordResult, Result, Row } from './core/result.ts';
import { INTENT_MS, placeName, requireWritable, settleMsOf, type Target } from './core/service.ts';
import { ageText } from './core/time.ts';
import { capital, inShell, typedAgain } from './core/wording.ts';
import {
  type Ending,
  type Intent,
  refuseInFlight,
  resolveHint,
  writerOf,
} from './history/entry.ts';
import { historyOf, type Repeated } from './history/history.ts';
import { rawContent } from './http/judge.ts';
import { CREDENTIAL_HEADER, type PreparedRequest, urlOf } from './http/request.ts';
import { needsConfirmation } from './terminal/confirm-change.ts';

export interface Write {
  /** What it does, for questions and errors: `delete sector "Brakes" (sec_12)`. */
  readonly what: string;
  /**
   * What is shown before the question and in a dry run: a record, or a function that shows all of it on
   * stderr. Default: the body. Nothing else is shown of a record that a patch changes.
   */
  readonly shown?: Row | (() => Promise<void>) | undefined;
  /** The record before it is changed or deleted, for history. */
  readonly before?: Row | undefined;
  /**
   * The body before proc replaced items defined in place by references. Repeats are recognized by this
   * body, because the references may differ the next time.
   */
  readonly given?: unknown;
  /** Reads whether the write was done, if its answer does not tell. Undefined: a read does not tell either. */
  readonly settle?: () => Promise<Settled | undefined>;
  /**
   * The key of `--once`. If an earlier write of this organization has it, nothing is sent: the result is the
   * earlier one if `given`, or the body, is the same.
   */
  readonly once?: string | undefined;
  /**
   * A person has just seen it and chosen to send it: only a protected target asks again, and shows it no second
   * time.
   */
  readonly isChosen?: boolean;
}

export interface Settled {
  readonly is: 'done' | 'not done';
  /** For messages: `sectors/sec-1 is still there`. */
  readonly seen: string;
  /** The record, in place of the answer. */
  readonly value?: unknown;
}

/** A write that is ready to be sent. */
interface Ready extends Write {
  readonly spec: EndpointSpec;
  readonly input: AnyInput;
  readonly target: Target;
  /** Relative to the base URL, as sent. */
  readonly path: string;
}

/**
 * The only way to write one record: shows the write, asks, looks whether it repeats an earlier one, records it, sends
 * it and records its outcome. In a dry run, the result is the request.
 *
 * @param asked a function if reads must come first. With `once`, it is called only if no earlier write has the key
 * @param then makes the result from the decoded response; with `once`, perhaps that to an earlier write
 * @throws ProcError before anything is sent: `read_only`, `confirmation_required`, `declined`, `repeated_write`,
 * `once_conflict`, `busy`, `state_unwritable`; `outcome_unknown` after, and also for an earlier write with the same key
 */
export async function write<E extends EndpointSpec, R extends Result>(
  ctx: Context,
  spec: E,
  asked: InputOf<E> | (() => Promise<InputOf<E>>),
  intent: Write,
  then: (response: OutputOf<E>) => R | Promise<R>,
): Promise<R | RecordResult> {
  const target = await ctx.target();
  const once = intent.once === undefined ? undefined : await import('./once.ts');
  const inputOf = async () => (typeof asked === 'function' ? asked() : asked) as Promise<AnyInput>;
  const identity =
    intent.given ?? (typeof asked === 'function' ? undefined : (asked as AnyInput).body);
  const keyed = async () => ({
    ...{ spec, once: intent.once!, body: identity },
    path: pathIn(
      await ctx.http().request(spec, { ...(asked as AnyInput), body: identity }),
      target,
    ),
  });
  if (ctx.flags.dryRun) {
    const earlier = await once?.foreseeOnce(await keyed(), ctx);
    return earlier ?? shownRequest(ctx, spec, await inputOf(), intent);
  }
  const before = ctx.written.length;
  const send = async () => {
    const input = await inputOf();
    const path = pathIn(await ctx.http().request(spec, input), target);
    const ready = { ...intent, spec, input, target, path };
    await confirm(ctx, spec, intent.what, ready);
    return recorded(ready, ctx);
  };
  const value = once === undefined ? await send() : await once.writeOnce(await keyed(), ctx, send);
  const result = await then(value as OutputOf<E>);
  const isSaid = ctx.written.length > before && saysSo(ctx);
  // What -q reads is checked against them.
  const { fields = documentedFields(spec) } = result as { readonly fields?: readonly string[] };
  return { ...result, fields, ...(isSaid ? { isSaid } : {}) };
}

/** A line on the terminal says what a write has done. */
function saysSo({ io, flags }: Context): boolean {
  return io.terminal.stderrIsTerminal && !flags.quiet;
}

function pathIn({ path }: PreparedRequest, { baseUrl }: Target): string {
  return path.slice(new URL(baseUrl).pathname.replace(/\/+$/, '').length);
}

/**
 * Nothing undoes a create of these nouns, or a delete: only groups and lines can be created again. Of a raw call outside
 * the contract, proc knows nothing that undoes it.
 */
function isFinal({ id, method }: EndpointSpec): boolean {
  const [noun, verb] = id.split('.');
  if (verb === 'raw') return method === 'POST' || method === 'DELETE';
  return method === 'DELETE' ? noun !== 'requisitions' : id === `${noun}.create`;
}

/** Whether `--yes` must confirm it without a terminal. */
function needsConsent(spec: EndpointSpec | 'bulk', { isProtected }: Target): boolean {
  return isProtected || spec === 'bulk' || (spec.method === 'DELETE' && isFinal(spec));
}

/**
 * Asks to confirm a write if it needs that. Before a delete or an import, a protected target asks to type its name.
 *
 * @param spec the endpoint of a single write, or `bulk` for an import
 * @param write shown before the question
 * @throws ProcError `read_only`, `confirmation_required` or `declined`, before anything is sent
 */
export async function confirm(
  ctx: Context,
  spec: EndpointSpec | 'bulk',
  what: string,
  write?: Ready,
): Promise<void> {
  const { io, flags, prompt } = ctx;
  const target = await ctx.target();
  requireWritable(target, what);
  const place = placeName(target);
  if (target.isProtected) io.say({ kind: 'notice', tone: 'protected', text: `▸ ${place}` });
  const hasUndo = spec === 'bulk' || !isFinal(spec);
  const isChosen = write?.isChosen === true;
  if (!needsConsent(spec, target) && (hasUndo || isChosen)) return;
  if (!io.terminal.interactive) {
    if (needsConsent(spec, target)) consentByFlags(what, target, ctx);
    return;
  }
  // Neither y/N nor `--yes` is enough then.
  const mustType = target.isProtected && (spec === 'bulk' || spec.method === 'DELETE');
  if (flags.yes && !mustType) return;
  if (write !== undefined && !isChosen) await showWrite(ctx, write, write.spec, write.input.body);
  if (!hasUndo) io.say({ kind: 'notice', text: 'Nothing can undo this.' });
  const question = `${capital(what)} on ${place}`;
  const name = target.profile ?? new URL(target.baseUrl).host;
  const agreed = mustType
    ? await prompt.typed(`${question}. Type ${name} to confirm:`, name)
    : await prompt.confirm(`${question}?`, false);
  if (!agreed) throw declined('Nothing was sent.');
}

/**
 * Fails before the first read if the write would later be refused without asking. Does nothing in a dry run.
 *
 * @param spec the endpoint of a single write, or `bulk` for an import
 * @throws ProcError `read_only` or `confirmation_required`
 */
export async function ensureAskable(
  ctx: Context,
  spec: EndpointSpec | 'bulk',
  what: string,
): Promise<void> {
  if (ctx.flags.dryRun) return;
  const target = await ctx.target();
  requireWritable(target, what);
  if (!ctx.io.terminal.interactive && needsConsent(spec, target)) consentByFlags(what, target, ctx);
}

/**
 * The flags that a write which needs consent still lacks, without a terminal.
 *
 * @param target undefined for a change on this machine
 */
export function missingConsent(
  target: Target | undefined,
  { flags, env }: Pick<Context, 'flags' | 'env'>,
): readonly string[] {
  const { isProtected = false, profile, environment = 'ENV' } = target ?? {};
  const missing = (flag: string, name: string | undefined, given: string | undefined) =>
    isProtected && name !== undefined && !given ? [flag, name] : [];
  return [
    ...(flags.yes ? [] : ['--yes']),
    ...missing('--profile', profile, flags.profile ?? env.PROC_PROFILE),
    ...missing('--env', environment, flags.env ?? env.PROC_ENV),
  ];
}

/** Without a terminal, `--yes` replaces the question. A protected target must also be named. */
function consentByFlags(what: string, target: Target, ctx: Context): void {
  const { flags, typed } = ctx;
  const adding = missingConsent(target, ctx);
  if (adding.length === 0) return;
  const place = placeName(target);
  const command = typedAgain(typed, adding);
  throw new ProcError(
    'confirmation_required',
    flags.yes
      ? `${place} is protected: name its profile and environment as well; nothing was sent`
      : needsConfirmation(`${what} on ${place}`),
    { hint: `Add ${adding.join(' ')}: ${command}`, details: { command } },
  );
}

/** What the write sends or deletes. What a patch changes has already been said. */
async function showWrite(
  ctx: Context,
  { shown, before }: Write,
  { method }: EndpointSpec,
  body: unknown,
): Promise<void> {
  if (typeof shown === 'function') return shown();
  const record = shown ?? (method === 'DELETE' ? before : isObject(body) ? body : undefined);
  if (record === undefined || (method === 'PATCH' && before !== undefined)) return;
  const { showRecord } = await import('./output/show-blocks.ts');
  showRecord(record, ctx.io);
}

const DRY_RUN: readonly Column[] = [{ key: 'dryRun', header: 'dry run' }];
const REQUEST: readonly Column[] = ['method', 'url'].map((key) => ({ key, header: key }));

/** What `--dry-run` returns instead of sending a request. */
export async function shownRequest(
  ctx: Context,
  spec: EndpointSpec,
  input: AnyInput,
  intent?: Write,
): Promise<RecordResult> {
  const { io, flags } = ctx;
  const request = await ctx.http().request(spec, input);
  const isReviewed = io.terminal.interactive && intent !== undefined;
  if (isReviewed) {
    const text = `Dry run, nothing is sent: ${intent.what} on ${placeName(await ctx.target())}.`;
    io.say({ kind: 'notice', text });
    await showWrite(ctx, intent, spec, input.body);
  }
  const isShort = isReviewed && io.terminal.stdoutIsTerminal;
  const scheme = request.credential?.scheme ?? 'api-key';
  const key = { [CREDENTIAL_HEADER[scheme]]: scheme === 'bearer' ? 'Bearer ***' : '***' };
  return {
    kind: 'record',
    columns: [
      ...(isShort ? [] : DRY_RUN),
      ...REQUEST,
      ...(flags.verbose ? [{ key: 'headers', header: 'headers' }] : []),
      ...(isShort || request.body === undefined ? [] : [{ key: 'body', header: 'body' }]),
    ],
    isBrief: true,
    value: {
      dryRun: true,
      method: request.method,
      url: urlOf(request),
      headers: { ...request.headers, ...key },
      body: request.body === undefined ? null : parseResponse(request.body),
    },
  };
}

/** Records a write, sends it and records its outcome. */
async function recorded(write: Ready, ctx: Context): Promise<unknown> {
  const { what, spec } = write;
  const { io } = ctx;
  const { id, hooks, finish } = await entered(write, ctx);
  const { last, value, thrown, doubt, settled } = await sendAndSettle(write, hooks, ctx);
  if (settled?.is === 'not done' && isAnswer(last)) {
    const message = `${doubt}; ${settled.seen}`;
    await finish({ state: 'rejected', message, ...about(last) });
    throw new ProcError('refused', message, { status: about(last).status });
  }
  if (thrown !== undefined && settled?.is !== 'done') {
    const state = stateAfter(last, thrown);
    const known = settled?.seen ?? (state === 'done' ? doubt : undefined);
    const isSent = state === 'unknown' || state === 'done';
    const error = isSent ? withOutcome(thrown, known, { id, write, last }) : thrown;
    await finish({ state, message: messageOf(error), ...about(last) });
    throw error;
  }
  if (thrown !== undefined) io.say({ kind: 'notice', text: `${doubt}; ${settled!.seen}` });
  else if (doubt !== undefined && settled === undefined) io.say({ kind: 'warning', text: doubt });
  const response = spec.response.kind === 'raw' ? rawContent(value as RawResponse) : value;
  const isRecord = spec.method === 'POST' && isObject(response);
  const created = isRecord ? idText(response[idFieldOf(spec)]) : undefined;
  await finish({ state: 'done', response, created, ...about(last) });
  if (saysSo(ctx)) io.say({ kind: 'notice', tone: 'done', text: writtenText(what, created) });
  ctx.written.push({ what, created, see: `proc history show ${inShell(id)}` });
  return value;
}

/** Enters a write into the history, so its request may leave. @throws ProcError `repeated_write`, `busy` */
async function entered(
  { what, spec, input, path, given, before, target, once }: Ready,
  ctx: Context,
) {
  const { clock, flags, io } = ctx;
  const mask = await ctx.http().mask();
  const history = await historyOf(ctx);
  // What it may have lost could be the same create.
  if (spec.method === 'POST') await (await ctx.ledger()).locks?.check();
  const scope = await ctx.scope();
  const intent: Intent = mask({
    ...{ what, noun: nounOf(spec), endpoint: spec.id, method: spec.method, path },
    ...{ payload: input.body, given, before, once },
    ...{ profile: target.profile, environment: target.environment, baseUrl: target.baseUrl },
    writer: writerOf(ctx.env, io.terminal),
  });
  let id = '';
  let intended = { now: 0, monotonic: 0 };
  let refusesRepeats = spec.method === 'POST' && !flags.again;
  /** @returns an earlier write that is the same */
  const record = async (): Promise<Repeated | undefined> => {
    intended = { now: clock.now(), monotonic: clock.monotonic() };
    const renews = id === '' ? undefined : id;
    const begun = await history.begin(scope, intent, { now: clock.now(), refusesRepeats, renews });
    if ('once' in begun) throw (await import('./once.ts')).busy(begun.once);
    if ('repeats' in begun) {
      const { entry } = begun.repeats;
      if (entry !== undefined) refuseInFlight(entry, clock.now(), settleMsOf(target, flags));
      return begun.repeats;
    }
    id = begun.id;
    return undefined;
  };
  const repeated = await record();
  if (repeated !== undefined) {
    await confirmRepeat(intent, repeated, ctx);
    refusesRepeats = false;
    await record();
  }
  const hooks = {
    // The monotonic clock may stand still while the machine sleeps.
    mayLeave: () =>
      clock.now() - intended.now < INTENT_MS && clock.monotonic() - intended.monotonic < INTENT_MS,
    // A request that was turned away is sent again. Meanwhile, others may have decided about the first one.
    async beforeRetry() {
      const same = await record();
      if (same !== undefined) throw repeatedWrite(intent, same);
    },
  };
  const finish = async (ending: Ending): Promise<void> => {
    try {
      await history.finish(id, mask(ending), clock.now());
    } catch (thrown) {
      // A full disk must not hide the outcome of the write.
      const text = `the outcome could not be recorded, so history shows ${id} as unknown: ${messageOf(thrown)}`;
      io.say({ kind: 'warning', text });
    }
  };
  return { id, hooks, finish };
}

/** Sends a write. If the answer does not tell what it did (`doubt`), a read may. */
async function sendAndSettle({ spec, input, settle }: Ready, hooks: Hooks, ctx: Context) {
  let last: Outcome | undefined;
  let value: unknown;
  let thrown: unknown;
  let doubt: string | undefined;
  let settled: Settled | undefined;
  try {
    const onOutcome = (outcome: Outcome) => (last = outcome);
    value = await ctx.http().call(spec, input as never, { ...hooks, onOutcome });
    doubt = doubtOf(last);
  } catch (error) {
    thrown = error;
    if (last?.kind === 'unknown' && error instanceof ProcError && !isSignalled(error))
      doubt = error.message;
  }
  try {
    if (doubt !== undefined) settled = await settle?.();
    if (settled?.is === 'done' && 'value' in settled) value = settled.value;
  } catch (error) {
    // Interrupted: what is known of the write is recorded and said.
    thrown = error;
  }
  return { last, value, thrown, doubt, settled };
}

function doubtOf(last: Outcome | undefined): string | undefined {
  const altered = last?.kind === 'done' ? last.altered : undefined;
  return altered && `the service stored other values than proc sent: ${altered}`;
}

/**
 * Before the same create is sent again: asks on a terminal, fails elsewhere. `--yes` does not
 * confirm a repeat, because many scripts add it to every command.
 *
 * @throws ProcError `repeated_write`
 */
async function confirmRepeat(
  intent: Intent,
  repeated: Repeated,
  { clock, io, prompt }: Context,
): Promise<void> {
  if (io.terminal.interactive) {
    const { at, isOpen, isDropped, name, created = name } = repeated;
    const question =
      isOpen || isDropped
        ? `and its outcome is unknown (${name}). Send it anyway?`
        : `and created ${created}. Send it again?`;
    const age = ageText(clock.now() - at);
    if (await prompt.confirm(`The same request was sent ${age} ${question}`, false)) return;
  }
  throw repeatedWrite(intent, repeated);
}

function repeatedWrite({ method, path }: Intent, repeated: Repeated): ProcError {
  const { at, isOpen, isDropped, name, created, entry } = repeated;
  const when = new Date(at).toISOString();
  const became = isOpen ? 'and its outcome is unknown ' : created ? `and created ${created} ` : '';
  const { run, row } = { run: '', row: 0, ...repeated };
  const resolve = `proc imports resolve ${inShell(run)} ${row}`;
  const step = !isOpen
    ? entry === undefined
      ? `See it: proc imports show ${inShell(run)}`
      : `See it: proc history show ${inShell(entry.id)}`
    : entry === undefined
      ? `Check the service, then run one of: ${resolve} --adopt ID; ${resolve} --resend; ${resolve} --drop`
      : resolveHint(entry);
  const state = isOpen ? 'unknown' : isDropped ? 'dropped' : 'created';
  const of =
    entry === undefined ? { run, row, state } : { historyId: entry.id, state: entry.state };
  return new ProcError(
    'repeated_write',
    `the same ${method} ${path} was sent at ${when} ${became}(${name}); nothing was sent now`,
    { hint: `${step}. To send it anyway, add --again`, details: { ...of, at: when, created } },
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

/** Of a write that is done, only a signal can end the read after it. */
function withOutcome(
  thrown: unknown,
  known: string | undefined,
  { id, write, last }: { id: string; write: Ready; last: Outcome | undefined },
): unknown {
  if (!(thrown instanceof ProcError)) return thrown;
  const { method, path } = write.spec;
  const isDone = last?.kind === 'done';
  const outcome = isDone ? 'is done' : 'was sent, but its outcome is unknown';
  const message = isSignalled(thrown)
    ? `${thrown.message}: ${method} ${path} ${outcome}`
    : thrown.message;
  return new ProcError(thrown.code, known === undefined ? message : `${message}; ${known}`, {
    hint: isDone
      ? `See it: proc history show ${inShell(id)}`
      : resolveHint({ id, method, path: write.path }),
    status: thrown.status ?? about(last).status,
    requestId: thrown.requestId ?? about(last).requestId,
    details: { ...(thrown.details as object | undefined), historyId: id },
    cause: thrown.cause,
    exitCode: thrown.exitCode,
  });
}

/** What a write has done: `Created item "Bolt": itm-1`. The text of a raw call begins with its HTTP method. */
function writtenText(what: string, created: string | undefined): string {
  const sentence = /^[a-z]/.test(what)
    ? capital(what.replace(/^([a-z]+?)e?(?= |$)/, '$1ed'))
    : `${what}: OK`;
  return created === undefined ? sentence : `${sentence}: ${created}`;
}
