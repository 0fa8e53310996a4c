import { messageOf, ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { Scope } from '../core/scope.ts';
import { inShell } from '../core/text/typed.ts';
import type { Ending } from '../history/entry.ts';
import { HISTORY, type History } from '../history/store.ts';
import { writerOf } from '../history/written-by.ts';
import type { OpenRun, Stop } from './open-run.ts';
import { importing } from './report/words.ts';
import type { Run } from './store/run-file.ts';
import { summary } from './store/run-summary.ts';
import type { ImportTarget } from './targets/import-target.ts';

/** @returns the entry of the history for the whole run, by column. It is added when the run begins. */
async function beginEntry(
  run: Run,
  target: ImportTarget,
  rows: number,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<Awaited<ReturnType<History['newEntry']>>> {
  const { create, noun } = target;
  const { run: name, source, profile, environment, baseUrl } = run.header;
  const scope = await scopeOfRun(run, ports);
  const intent = {
    what: importing(rows, target, source.name),
    noun,
    endpoint: create.id,
    method: create.method,
    path: create.path,
    payload: {
      run: name,
      source: source.name,
      hash: source.hash,
      rows,
    },
    profile,
    environment,
    baseUrl,
    writer: writerOf(ports.self.env, ports.io.terminal),
  };
  const history = await ports.store.open(HISTORY);
  return history.newEntry(scope, intent, ports.self.clock.now());
}

export async function recordEnd(
  run: Run,
  stop: Stop | undefined,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const id = run.get('historyId');
  if (id === undefined) return;
  const { run: name } = run.header;
  const { counts } = summary(run);
  const isOpen = stop !== undefined || counts.unconfirmed + counts.pending > 0;
  const ending: Ending = {
    state: isOpen ? 'unknown' : 'done',
    response: counts,
    message: isOpen
      ? `not finished, or some rows are unconfirmed: proc imports show ${inShell(name)}`
      : undefined,
  };
  try {
    await (await ports.store.open(HISTORY)).finish(id, ending, ports.self.clock.now());
  } catch (thrown) {
    // Only a warning: the file has the complete record.
    ports.io.say({
      kind: 'warning',
      text: `cannot write the history: ${messageOf(thrown)}`,
    });
  }
}

/**
 * The scope in which a run looks up earlier writes. If the run is `ours`, it is the scope of the
 * command. Otherwise it comes from the header.
 */
export async function scopeOfRun(run: Run, ports: Ports<'store' | 'self'>): Promise<Scope> {
  try {
    const scope = await ports.store.scope();
    if (scope.ownershipOf(run.header) === 'ours') return scope;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
  }
  return new Scope(run.header);
}

/** The history, and what other runs and commands in the scope of the run have sent. */
export async function historyOf(run: Run, ports: Ports<'store' | 'self'>) {
  const history = await ports.store.open(HISTORY);
  const scope = await scopeOfRun(run, ports);
  return { history, scope, sentRows: history.sentRows(scope) };
}

interface Beginning {
  /** How many rows are to be created. */
  readonly rows: number;
  /** Time that the run has taken so far. */
  readonly workedMs: number;
}

/** Adds an entry to the history for the whole run. Then the run may send. */
export async function beginSending(
  { run, target }: OpenRun,
  { rows, workedMs }: Beginning,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  const keyMark = (await ports.store.scope()).markOf(run.header.run);
  const firstSentAt = ports.self.clock.now();
  const entry = await beginEntry(run, target, rows, ports);
  await run.begin('begin', { facts: { workedMs, firstSentAt, keyMark }, entry });
}
