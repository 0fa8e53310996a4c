import { messageOf } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { inLang } from '../../core/text/phrase.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Ending } from '../../history/entry.ts';
import { HISTORY, type History } from '../../history/store.ts';
import { writerOf } from '../../history/written-by.ts';
import { importing } from '../../messages/bulk.ts';
import type { Stop } from '../send/sending.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import type { Journal } from './journal.ts';
import { scopeOfRun } from './run-ownership.ts';
import { summary } from './run-summary.ts';

/** @returns the entry of the history for the whole run, by column. It is added when the run begins. */
export async function beginEntry(
  journal: Journal,
  target: ImportTarget,
  rows: number,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<Awaited<ReturnType<History['newEntry']>>> {
  const { create, noun } = target;
  const { run, source, profile, environment, baseUrl } = journal.header;
  const sealed = journal.get('sealed');
  const scope = await scopeOfRun(journal, ports);
  const intent = {
    what: inLang(importing(rows, target, source.name), 'en'),
    noun,
    endpoint: create.id,
    method: create.method,
    path: create.path,
    payload: {
      run,
      source: source.name,
      hash: source.hash,
      rows,
      ...(sealed === undefined ? {} : { digest: sealed.digest }),
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
  journal: Journal,
  stop: Stop | undefined,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const id = journal.get('historyId');
  if (id === undefined) return;
  const { run } = journal.header;
  const { counts } = summary(journal);
  const isOpen = stop !== undefined || counts.unconfirmed + counts.pending > 0;
  const ending: Ending = {
    state: isOpen ? 'unknown' : 'done',
    response: counts,
    message: isOpen
      ? `not finished, or some rows are unconfirmed: proc imports show ${inShell(run)}`
      : undefined,
  };
  try {
    await (await ports.store.open(HISTORY)).finish(id, ending, ports.self.clock.now());
  } catch (thrown) {
    // Only a warning: the journal has the complete record.
    ports.io.say({ kind: 'warning', text: `cannot write the history: ${messageOf(thrown)}` });
  }
}
