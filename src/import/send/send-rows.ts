import type { Ports } from '../../core/ports.ts';
import { someOf } from '../../core/text/listed.ts';
import { countOf } from '../../messages/import-nouns.ts';
import type { OpenRun } from '../open-run.ts';
import { probeList, senderFor } from '../plan/catalogue/open-listing.ts';
import { countedIn, countIn } from '../report/words.ts';
import { SealedBodies } from '../review/sealed-bodies.ts';
import { createdByOthers, noteKnownIds } from '../store/known-records.ts';
import { isJournalFailure, journalFailure } from '../store/ledger-failure.ts';
import type { Run } from '../store/run-file.ts';
import { execute } from './execute.ts';
import { MAX_CONCURRENCY } from './pace.ts';
import type { Stop } from './sending.ts';

/** At most this many rows are named in a warning. */
const NAMED = 3;

/** For the look-ups that run while rows are sent. */
const SPARE_CONNECTIONS = 4;

/**
 * @returns why the run stopped early; undefined if it is complete
 * @throws ProcError `plan_changed` if the rows of a staged run were changed
 */
export async function sendRows(
  { journal, target, options, progress }: OpenRun,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<Stop | undefined> {
  const bodies = journal.header.isStaged === true ? new SealedBodies(journal) : undefined;
  const { clock, signal } = ports.self;
  const lang = await ports.io.lang();
  const connections = (options.concurrency ?? MAX_CONCURRENCY) + SPARE_CONNECTIONS;
  const sender = await senderFor(target, journal, ports, connections);
  const relearn = async () => {
    if (journal.get('learned') !== undefined) return undefined;
    const { learned } = await probeList(target, ports, progress);
    if (learned === undefined) return undefined;
    journal.note({ learned });
    return senderFor(target, journal, ports, SPARE_CONNECTIONS);
  };
  await noteKnownIds(journal, target, ports);
  const alteredRows: string[] = [];
  let altered = 0;
  const before = journal.get('workedMs') ?? 0;
  const began = clock.monotonic();
  const stop = await execute({
    journal,
    target,
    sender,
    bodies,
    clock,
    signal,
    options,
    relearn,
    createdByOthers: (ids) => createdByOthers(ids, journal, target, ports),
    onAltered(row, what) {
      altered++;
      if (alteredRows.length < NAMED) alteredRows.push(`row ${row}: ${what}`);
    },
    onProgress: (snapshot) => progress.sending(snapshot, countedIn(journal.header), lang),
  });
  if (stop === undefined) progress.finish();
  if (altered > 0) {
    const some = someOf(alteredRows, altered, '; ');
    const text = {
      en: `the service stored other values than proc sent in ${countIn(journal.header, altered)}: ${some}`,
      es: `el servicio guardó otros valores que los enviados en ${countOf(altered, countedIn(journal.header), 'es')}: ${some}`,
    };
    ports.io.say({ kind: 'warning', text });
  }
  if (stop?.kind === 'journal') {
    withdrawUnsent(journal);
    return stop;
  }
  const workedMs = before + Math.round(clock.monotonic() - began);
  try {
    if (stop === undefined) await journal.advance('end', { workedMs, finishedAt: clock.now() });
    else journal.note({ workedMs });
    return stop;
  } catch (thrown) {
    return stop ?? journalStop(journal, thrown);
  }
}

/**
 * Rows whose requests have not left become pending again. The summary must not count them as sent.
 */
function withdrawUnsent(journal: Run): void {
  try {
    journal.interrupt(true);
  } catch {
    // The disk may still be full. A resume makes these rows pending.
  }
}

/**
 * The stop of a run whose ledger can no longer be written. A resume completes the run.
 *
 * @throws any other error
 */
export function journalStop({ path }: Run, thrown: unknown): Stop {
  const error = journalFailure(path, thrown);
  if (!isJournalFailure(error)) throw error;
  return { kind: 'journal', why: error.said.message, error };
}
