import { prepare } from '../../client/request.ts';
import { rawContent } from '../../client/response/decode.ts';
import { type AnyInput, type EndpointSpec, nounOf, type RawResponse } from '../../core/endpoint.ts';
import { isSignalled, messageOf, ProcError } from '../../core/errors.ts';
import type { Clock, Say, WriteIntent, WriteProblem, Written } from '../../core/ports.ts';
import type { Scope } from '../../core/scope.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import { idText } from '../../core/service/same-value.ts';
import { hiding } from '../../core/service/secret.ts';
import type { KeyedTarget } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import { type Ending, type Intent, resolveHint } from '../../history/entry.ts';
import { type Begun, type History, REPEAT_MS } from '../../history/store.ts';
import type { Writer } from '../../history/written-by.ts';
import type { SentByRun } from '../../import/store/sent-before.ts';
import { busy, confirmRepeat, repeatedEntry, repeatedRow } from './repeat.ts';

export interface Write {
  readonly spec: EndpointSpec;
  readonly input: AnyInput;
  readonly intent: WriteIntent;
  readonly target: KeyedTarget;
}

export interface RecorderPorts {
  readonly again: boolean;
  /** The flags `-p` and `-e`, as they were typed. */
  readonly targetFlags: string;
  readonly clock: Clock;
  readonly writer: Writer;
  readonly say: Say;
  history(): Promise<History>;
  /** The organization whose earlier writes count as repeats. */
  scope(): Promise<Scope>;
  /** The row of an import that has sent the same write. */
  sentByRun(draft: Intent): Promise<SentByRun | undefined>;
  /**
   * What has created the record with this id before, if the record may still be there. The answer to another write
   * cannot have its id.
   */
  heldBy(write: Write, id: string): Promise<string | undefined>;
  onWritten(written: Written): void;
  readonly tell: ((write: Write, created: string | undefined) => Promise<void>) | undefined;
  /** Undefined in a non-interactive session. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
}

/**
 * Records the intent of a write, sends the write and records its outcome.
 *
 * @param send reports the outcome of each attempt
 * @throws ProcError `state_unwritable` or `repeated_write` before anything is sent;
 * `outcome_unknown` after
 */
export async function recordedWrite(
  write: Write,
  send: (onOutcome: (outcome: Outcome) => void) => Promise<unknown>,
  ports: RecorderPorts,
): Promise<unknown> {
  const mask = masking(write.target);
  const draft = mask(intentOf(write, ports.writer));
  const history = await ports.history();
  const id = await begin(history, await ports.scope(), draft, ports);
  let last: Outcome | undefined;
  const finish = async (ending: Ending): Promise<void> => {
    try {
      await history.finish(id, mask(ending), ports.clock.now());
    } catch (thrown) {
      // A full disk must not hide the outcome of the write.
      ports.say({
        kind: 'warning',
        text: `the outcome could not be recorded, so history shows ${id} as unknown: ${messageOf(thrown)}`,
      });
    }
  };
  let problem: WriteProblem | undefined;
  try {
    const { value, doubt } = await answered(() => send((outcome) => (last = outcome)));
    const check = isAnswer(last) ? write.intent.check : undefined;
    if (check === undefined && doubt !== undefined) throw doubt;
    problem = await check?.({ value, status: statusOf(last), doubt });
    if (problem !== undefined) throw problem.error;
    const altered = last?.kind === 'done' ? last.altered : undefined;
    if (altered !== undefined) {
      const text = `the service stored other values than proc sent: ${altered}`;
      ports.say({ kind: 'warning', text });
    }
    const isRaw = write.spec.response.kind === 'raw';
    const response = isRaw ? rawContent(value as RawResponse) : value;
    const created = createdId(write, response);
    const holder = created === undefined ? undefined : await ports.heldBy(write, created);
    if (holder !== undefined) {
      problem = { state: 'unknown', error: falseId(created!, holder) };
      throw problem.error;
    }
    await finish({ state: 'done', response, created, ...about(last) });
    await ports.tell?.(write, created);
    const isSaid = ports.tell !== undefined;
    ports.onWritten({ what: draft.what, created, isSaid, see: `proc history show ${inShell(id)}` });
    return value;
  } catch (thrown) {
    const state = problem?.state ?? stateAfter(last, thrown);
    const error = state === 'unknown' ? unknownOutcome(thrown, id, write, last) : thrown;
    await finish({ state, message: messageOf(error), ...about(last) });
    throw error;
  }
}

/** The value of an answer, or why it does not count. */
async function answered(
  send: () => Promise<unknown>,
): Promise<{ readonly value?: unknown; readonly doubt?: ProcError }> {
  try {
    return { value: await send() };
  } catch (thrown) {
    if (thrown instanceof ProcError && !isSignalled(thrown)) return { doubt: thrown };
    throw thrown;
  }
}

function falseId(id: string, holder: string): ProcError {
  return new ProcError(
    'outcome_unknown',
    `the service returned the id ${id}, which ${holder} has created before. If the service was reset, use another state folder for it: PROC_STATE_DIR`,
    { details: { id } },
  );
}

/** Whether a whole answer with 2xx arrived, even if it does not fit the request. */
function isAnswer(last: Outcome | undefined): boolean {
  if (last?.kind === 'done') return true;
  return last?.kind === 'unknown' && (last.reason === 'contradicts' || last.reason === 'no-id');
}

function statusOf(last: Outcome | undefined): number {
  return about(last).status ?? 0;
}

/** Relative to the base URL, as sent. */
export function pathOf({ spec, input, target }: Omit<Write, 'intent'>): string {
  const prefix = new URL(target.baseUrl).pathname.replace(/\/+$/, '');
  return prepare(spec, input, target).path.slice(prefix.length);
}

function intentOf(write: Write, writer: Writer): Intent {
  const { spec, input, intent, target } = write;
  return {
    what: intent.what,
    noun: nounOf(spec),
    endpoint: spec.id,
    method: spec.method,
    path: pathOf(write),
    payload: input.body,
    given: intent.given,
    before: intent.before,
    profile: target.profile,
    environment: target.environment,
    baseUrl: target.baseUrl,
    writer,
    once: intent.once,
  };
}

async function begin(
  history: History,
  scope: Scope,
  draft: Intent,
  ports: RecorderPorts,
): Promise<string> {
  const refuseRepeats = draft.method === 'POST' && !ports.again;
  const row = refuseRepeats ? await ports.sentByRun(draft) : undefined;
  if (row !== undefined && (row.isUnknown || row.at > ports.clock.now() - REPEAT_MS)) {
    await confirmRepeat(draft, repeatedRow(row, ports.targetFlags), ports);
  }
  const begun = await beginInTime(history, ports.clock, (now) =>
    history.begin(scope, draft, now, refuseRepeats),
  );
  if ('id' in begun) return begun.id;
  if ('isBusy' in begun) throw busy(draft.once!);
  await confirmRepeat(draft, repeatedEntry(begun.repeats), ports);
  const again = await beginInTime(history, ports.clock, (now) =>
    history.begin(scope, draft, now, false),
  );
  if ('id' in again) return again.id;
  throw busy(draft.once!);
}

/** Later, somebody on another machine may have decided about the entry. */
const LEAVES_WITHIN_MS = 5_000;

async function beginInTime(
  history: History,
  clock: Clock,
  begin: (now: number) => Promise<Begun>,
): Promise<Begun> {
  const [wall, monotonic] = [clock.now(), clock.monotonic()];
  const begun = await begin(wall);
  // The monotonic clock stands still while the machine sleeps.
  const ms = Math.max(clock.now() - wall, clock.monotonic() - monotonic);
  if (!('id' in begun) || !history.isShared || ms <= LEAVES_WITHIN_MS) return begun;
  const message = `the ledger took ${Math.round(ms / 1_000)} s to record the write; nothing was sent`;
  await history.finish(begun.id, { state: 'not-applied', message }, clock.now());
  throw new ProcError('ledger_unreachable', message, { hint: 'Try again' });
}

/** All attempts before the last had no effect, so only the last counts. */
function stateAfter(last: Outcome | undefined, thrown: unknown): Ending['state'] {
  switch (last?.kind) {
    case 'done':
      return 'done';
    case 'rejected':
      return 'rejected';
    case 'unknown':
      return 'unknown';
    case 'throttled':
    case 'not-sent':
      return 'not-applied';
    case undefined:
      // A ProcError without an outcome comes from before the first attempt. A bug may throw at any
      // time.
      return thrown instanceof ProcError ? 'not-applied' : 'unknown';
  }
}

function about(last: Outcome | undefined): Pick<Ending, 'status' | 'requestId'> {
  return {
    status: last !== undefined && 'status' in last ? last.status : undefined,
    requestId:
      last?.kind === 'done'
        ? last.requestId
        : last !== undefined && 'error' in last
          ? last.error?.requestId
          : undefined,
  };
}

function createdId({ spec }: Write, value: unknown): string | undefined {
  if (spec.method !== 'POST' || typeof value !== 'object' || value === null) return undefined;
  const field = ('created' in spec.response ? spec.response.created : undefined) ?? 'id';
  const id = (value as Readonly<Record<string, unknown>>)[field];
  return idText(id);
}

function unknownOutcome(
  thrown: unknown,
  id: string,
  write: Write,
  last: Outcome | undefined,
): unknown {
  if (!(thrown instanceof ProcError)) return thrown;
  const { method, path } = write.spec;
  const said = thrown.message;
  const message = isSignalled(thrown)
    ? `${thrown.message}: ${method} ${path} was sent, but its outcome is unknown`
    : said;
  return new ProcError(thrown.code, message, {
    hint: resolveHint({ id, method, path: pathOf(write) }),
    status: thrown.status ?? about(last).status,
    requestId: thrown.requestId ?? about(last).requestId,
    details: { ...(thrown.details as object | undefined), historyId: id },
    cause: thrown.cause,
  });
}

function masking({ credential }: KeyedTarget): <T>(value: T) => T {
  return hiding(credential).value;
}
