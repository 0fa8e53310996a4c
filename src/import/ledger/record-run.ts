import { messageOf } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { inLang } from '../../core/text/phrase.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Ending } from '../../history/entry.ts';
import { HISTORY } from '../../history/store.ts';
import { writerOf } from '../../history/written-by.ts';
import { importing } from '../../messages/bulk.ts';
import type { Stop } from '../send/sending.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import type { Journal } from './journal.ts';
import { scopeOfRun } from './run-ownership.ts';
import { summary } from './run-summary.ts';

/**
 * Writes one entry of the history for the whole run, before its first request.
 *
 * @throws ProcError `state_unwritable`
 */
export async function recordBegin(
  journal: Journal,
  target: ImportTarget,
  rows: number,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const { create, noun } = target;
  const { run, source, profile, environment, baseUrl } = journal.header;
  const sealed = journal.get('sealed');
  const begun = (await ports.store.open(HISTORY)).begin(
    await scopeOfRun(journal, ports),
    {
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
    },
    ports.self.clock.now(),
    false,
  );
  if ('id' in begun) journal.set('historyId', begun.id);
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
  const isOpen = stop !== undefined || counts.unknown + counts.pending > 0;
  const ending: Ending = {
    state: isOpen ? 'unknown' : 'done',
    response: counts,
    message: isOpen
      ? `not finished, or some rows are unconfirmed: proc imports show ${inShell(run)}`
      : undefined,
  };
  try {
    (await ports.store.open(HISTORY)).finish(id, ending, ports.self.clock.now());
  } catch (thrown) {
    // Only a warning: the journal has the complete record.
    ports.io.say({ kind: 'warning', text: `cannot write the history: ${messageOf(thrown)}` });
  }
}
