import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { typedAgain } from '../../../core/text/typed.ts';
import type { Baseline } from '../../ledger/header.ts';
import type { Journal } from '../../ledger/journal.ts';
import { eachKnownHere } from '../../ledger/sent/created-here.ts';
import type { Progress } from '../../report/progress.ts';
import { rowsIn } from '../../report/words.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { keepLearned, probeList } from './learn-list.ts';
import { noteExisting, readCatalogue } from './mark-existing.ts';
import { listingFor } from './open-listing.ts';

/** What is counted while the catalogue is read, if it is one. */
const ONE = { 'rows read': 'row read', 'codes looked up': 'code looked up' } as const;

/** How far the user lets an import go on its own. */
export interface CatalogueChecks {
  /** What to do with rows that may exist, if the catalogue cannot be verified. */
  readonly unverified: 'stop' | 'create';
  /** Store parameter names that were found. */
  readonly learn: boolean;
  /** Read the list once more after the run. */
  readonly verify: boolean;
}

interface BaselineOptions {
  readonly checks: CatalogueChecks;
  /** Longest wait, in all, for a service that is busy or away. */
  readonly patienceMs: number;
}

/** What is known of the catalogue before anything is sent. */
export interface Before {
  readonly baseline: Baseline | 'not read';
  /** Why it is not verified. */
  readonly why?: string;
}

/**
 * Reads what exists into the journal. If the list cannot be read to a verified end, its parameter
 * names are looked for, and what was found is used for this run.
 *
 * @throws ProcError where it cannot be read at all
 */
export async function readBaseline(
  journal: Journal,
  target: ImportTarget,
  { checks, patienceMs }: BaselineOptions,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
  progress: Progress,
): Promise<Before> {
  if (target.listing === undefined) return { baseline: 'unproved' };
  if (ports.self.flags.offline) return { baseline: 'not read' };
  if (!journal.planned.hasPending()) return { baseline: 'complete' };
  if ((await ports.api.target()).key === undefined) {
    ports.io.say({
      kind: 'warning',
      text: 'there is no key for this address: the catalogue was not read, and rows that exist count as new',
    });
    return { baseline: 'not read' };
  }
  const reading = { connections: CONNECTIONS, patienceMs };
  const read = async () =>
    readCatalogue(journal, await listingFor(target, journal, ports, reading), (what, count) =>
      progress.step(`Reading the catalogue: ${rowsIn(count, ONE[what], what)}`, {
        step: 'plan',
        what,
        count,
      }),
    );
  let baseline = await read();
  let why: string | undefined;
  if (baseline === 'unproved') {
    const probed = await probeList(target, ports, progress);
    why = probed.why;
    if (probed.learned !== undefined) {
      if (probed.words !== '') {
        const text = `found the parameter names of the list of ${target.many}: ${probed.words}. They are used for this run`;
        ports.io.say({ kind: 'notice', text });
      }
      journal.note({ learned: probed.learned });
      baseline = await read();
      if (baseline !== 'unproved') await keepLearned(probed, checks.learn, ports);
    }
  }
  journal.note({ baseline });
  if (baseline !== 'unproved') return { baseline };
  await eachKnownHere(journal, target, ports, (rows) => noteExisting(journal, rows));
  return { baseline, ...(why === undefined ? {} : { why }) };
}

const CONNECTIONS = 6;

/**
 * Rows that are left although the catalogue could not be verified may all exist: nothing is sent
 * without a word from the user.
 *
 * @returns why the plan is not carried out; undefined if it may be
 */
export function unverifiedRefusal(
  { baseline, why }: Before,
  journal: Journal,
  target: ImportTarget,
  { unverified }: CatalogueChecks,
  ports: Ports<'io' | 'self'>,
): ProcError | undefined {
  if (baseline !== 'unproved' || target.listing === undefined) return undefined;
  const { onExisting } = journal.header.choices;
  const { pending: left, existing: known } = journal.planned.recognisable();
  const cannot = `cannot verify that the list of ${target.many} is complete${why === undefined ? '' : ` (${why})`}`;
  if (left === 0) return undefined;
  const may = `${rowsIn(left)} may exist already`;
  if (unverified === 'create' || onExisting === 'create') {
    ports.io.say({
      kind: 'warning',
      text: `${cannot}: ${may} and ${left === 1 ? 'is' : 'are'} created; unconfirmed rows cannot be looked up`,
    });
    return undefined;
  }
  const create = typedAgain(ports.self.typed, ['--unverified', 'create'], ['--unverified']);
  return new ProcError(
    'catalogue_unverified',
    `${cannot}: ${may}, so nothing was sent${known === 0 ? '' : ` (${rowsIn(known)} ${known === 1 ? 'is' : 'are'} known to exist)`}`,
    {
      hint: `Find the parameter names: proc doctor; a service that sends its lists whole: dialect paging=none. To create the rows anyway: ${create}`,
      details: { unverified: left, existing: known, command: create },
    },
  );
}
