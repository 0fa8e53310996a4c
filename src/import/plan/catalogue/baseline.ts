import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { CodeChanges, spellingsOf, storedCode } from '../../../core/service/code-change.ts';
import { grouped } from '../../../core/text/decimal.ts';
import { capital } from '../../../core/text/listed.ts';
import type { Listed, Listing } from '../../../listing/listing.ts';
import { scanInBatches } from '../../../listing/scan.ts';
import { Search } from '../../../listing/search.ts';
import { foldSpelling } from '../../../listing/spelling.ts';
import type { OpenRun } from '../../open-run.ts';
import { countOf, nothingSent, rowsIn } from '../../report/words.ts';
import type { Baseline } from '../../store/facts.ts';
import { eachKnownHere } from '../../store/known-records.ts';
import type { Run } from '../../store/run-file.ts';
import type { RowState } from '../../store/transitions.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { type LearnedNames, listingFor, readWithNames } from './open-listing.ts';

interface ListSize {
  readonly rows: number;
  /** proc has searched the list for codes, so it may have more rows. */
  readonly isAtLeast: boolean;
}

/** How many of the file's codes are in a list of how many rows. A person sees a list that hides rows by it. */
export interface InList extends ListSize {
  readonly codes: number;
}

export interface CatalogueState {
  readonly baseline: Baseline | 'not read';
  readonly size?: ListSize;
  /** Why the list cannot be verified, if known. */
  readonly why?: string | undefined;
}

/** A run whose rows are compared with the list. */
export type ListRun = Pick<OpenRun, 'run' | 'target' | 'options' | 'progress'>;

type ReadPorts = Ports<'io' | 'api' | 'ask' | 'store' | 'self'>;

/**
 * Reads the list of the noun, if that is possible and needed. If the end of the list cannot be
 * verified, proc detects the parameter names of the list and reads the list again.
 *
 * @throws ProcError if the list cannot be read at all
 */
export async function readBaseline(opened: ListRun, ports: ReadPorts): Promise<CatalogueState> {
  const { run, target } = opened;
  const unread = await unreadList(run, target, ports);
  if (unread !== undefined) return unread;
  const sink = catalogueSink(run, target.listing!.nameField);
  const state = await readList(opened, sink, run, ports);
  run.note({ baseline: state.baseline });
  await learnChange(run, target, ports);
  if (state.baseline === 'unproved') {
    await eachKnownHere(run, target, ports, (rows) => noteExisting(run, rows));
  }
  return state;
}

/**
 * Records that this machine has created show how the service stores codes, if the list shows them under other codes.
 * Then the rows are compared in that form before the first of them is sent.
 */
async function learnChange(
  run: Run,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<void> {
  const { catalogue, planned } = run.rows;
  if (catalogue.isEmpty || run.get('codesChanged') !== undefined) return;
  const changes = new CodeChanges(undefined);
  let first: { readonly sent: string; readonly stored: string } | undefined;
  let isBroken = false;
  await eachKnownHere(run, target, ports, (rows) => {
    for (const { id, code } of rows) {
      const stored = id === undefined || code === null ? undefined : catalogue.codeOf(id);
      if (isBroken || stored === undefined) continue;
      const isExplained = stored === code ? changes.noteKept(code) : changes.explain(code!, stored);
      isBroken = !isExplained;
      if (stored !== code) first ??= { sent: code!, stored };
    }
  });
  const { change } = changes;
  if (isBroken || change === undefined || first === undefined) return;
  run.note({ codesChanged: { ...change, ...first } });
  planned.storeAs(change);
}

/** The state of a list that proc need not or cannot read. Undefined if the list must be read. */
export async function unreadList(
  run: Run,
  target: ImportTarget,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<CatalogueState | undefined> {
  if (target.listing === undefined) return { baseline: 'unproved' };
  const { planned } = run.rows;
  const isNeeded = planned.hasPending() || (!run.isSent && planned.hasRejectedCode());
  if (!isNeeded) return { baseline: 'complete' };
  if ((await ports.api.target()).key !== undefined) return undefined;
  ports.io.say({
    kind: 'warning',
    text: 'the catalogue was not read, so existing rows count as new: there is no key for this address',
  });
  return { baseline: 'not read' };
}

/** @param more pending rows that the list shows */
export function inList(
  { rows: { planned } }: Run,
  { size }: CatalogueState,
  more = 0,
): InList | undefined {
  return size === undefined
    ? undefined
    : { codes: planned.keyCounts('existing').codes + more, ...size };
}

/**
 * @param names where the detected parameter names are kept
 * @throws ProcError if the list cannot be read at all
 */
export async function readList(
  { run, target, options: { patienceMs }, progress }: ListRun,
  sink: RecordSink,
  names: LearnedNames,
  ports: ReadPorts,
): Promise<CatalogueState & { readonly baseline: Baseline }> {
  const reading = { connections: CONNECTIONS, patienceMs };
  const change = run.get('codesChanged');
  if (change !== undefined) run.rows.planned.storeAs(change);
  let listing: Listing | undefined;
  let baseline = 'unproved' as Baseline;
  const read = async () => {
    listing = await listingFor(target, names, ports, reading);
    baseline = await readCatalogue({
      run,
      listing,
      sink,
      onProgress(what, count) {
        const text =
          what === 'rows read'
            ? `Reading the catalogue: ${countOf(count, 'rows')}`
            : `Searching the catalogue: ${count === 1 ? '1 code' : `${grouped(count)} codes`}`;
        progress.step(text, { step: 'plan', what, count });
      },
      states: run.isSent ? ['pending'] : ['pending', 'rejected'],
    });
    return baseline !== 'unproved';
  };
  const { why } = await readWithNames({ target, names, progress, ports, read });
  if (baseline !== 'unproved') progress.finish();
  const size = { rows: listing?.size ?? 0, isAtLeast: baseline === 'searched' };
  return { baseline, size, why: baseline === 'unproved' ? (listing?.fault ?? why) : undefined };
}

const CONNECTIONS = 6;

/**
 * If the catalogue cannot be verified, any pending row may already exist. Such a plan is refused.
 *
 * @returns why the plan is refused; undefined if it is not
 */
export function unverifiedRefusal(
  { baseline, why }: CatalogueState,
  { run, target }: Pick<ListRun, 'run' | 'target'>,
): ProcError | undefined {
  if (baseline !== 'unproved' || target.listing === undefined) return undefined;
  const { pending: left, existing: known } = run.rows.planned.recognisable();
  if (left === 0) return undefined;
  const others =
    known === 0 ? '' : `. ${rowsIn(known, 'other row is', 'other rows are')} known to exist`;
  return new ProcError(
    'catalogue_unverified',
    `cannot verify that the list of ${target.many} is complete: ${rowsIn(left)} may already exist, so ${nothingSent(run)}${others}${why === undefined ? '' : `. ${capital(why)}`}`,
    {
      hint: 'Detect the parameter names: proc doctor. If the service returns every list in one response, set PROC_LIST_NAMES=paging=none',
      details: { unverified: left, existing: known },
    },
  );
}

/** A list up to this length is read as a whole. */
const SHORT_LIST = 2_000;

export interface RecordSink {
  take(records: readonly Listed[]): void;
  /** Drops all records: proc is about to read the list in another way. */
  restart(): void;
}

function catalogueSink(run: Run, nameField: string): RecordSink {
  return {
    take(records) {
      run.commit(() => {
        run.rows.catalogue.add(records);
        run.rows.catalogue.compareNames(records, nameField);
      });
    },
    restart: () => run.commit(() => run.rows.catalogue.clear()),
  };
}

interface CatalogueReading {
  readonly run: Run;
  readonly listing: Listing;
  readonly sink: RecordSink;
  readonly onProgress: (what: 'rows read' | 'codes looked up', count: number) => void;
  /** The states of the rows to look for. */
  readonly states: readonly RowState[];
}

/**
 * Searches the list for the code of each row if {@link isWorthSearching}. Otherwise, or if the search
 * fails, reads the whole list.
 *
 * @returns how reliable the result is
 */
async function readCatalogue(reading: CatalogueReading): Promise<Baseline> {
  const { run, listing, sink, states } = reading;
  const search = new Search(listing);
  if (await isWorthSearching(run, search, states)) {
    const keys = keysOf(run, states);
    if (search.isCheaperFor(keys.size)) {
      if (await searchAll(keys, search, reading)) return 'searched';
      sink.restart();
    }
  }
  return (await readAll(reading)) ? 'complete' : 'unproved';
}

export async function isWorthSearching(
  run: Run,
  search: Search,
  states: readonly RowState[],
): Promise<boolean> {
  if (!(await search.isUsable()) || search.size <= SHORT_LIST) return false;
  const counts = states.map((state) => run.rows.planned.keyCounts(state));
  // A row without a code can only be found by its name, in the whole list.
  if (counts.some(({ names }) => names > 0)) return false;
  return search.isCheaperFor(counts.reduce((sum, { codes }) => sum + codes, 0));
}

/**
 * The codes to search for: as the rows have them, in other spellings, and as the service stores them, if that is
 * known. Sorted, so that a search begins near the last one.
 */
function keysOf(run: Run, states: readonly RowState[]): ReadonlySet<string> {
  const change = run.codeChange;
  const keys = new Set<string>();
  for (const code of states.flatMap((state) => run.rows.planned.codesIn(state))) {
    for (const one of spellingsOf(code)) keys.add(one);
    keys.add(storedCode(change, code));
  }
  return keys;
}

/** Also takes the records beside them whose codes look like one of the codes. */
async function searchAll(
  keys: ReadonlySet<string>,
  search: Search,
  { sink, onProgress }: CatalogueReading,
): Promise<boolean> {
  const found = new Map<string, Listed>();
  const wanted = new Set([...keys].map(foldSpelling));
  let count = 0;
  for (const key of keys) {
    const { kind } = await search.find(key, (rows) => {
      for (const row of rows) {
        const isWanted = row.code !== null && wanted.has(foldSpelling(row.code));
        if (isWanted && row.id !== undefined) found.set(row.id, row);
      }
    });
    if (kind === 'unproved') return false;
    onProgress('codes looked up', ++count);
  }
  sink.take([...found.values()]);
  return true;
}

async function readAll({ listing, sink, onProgress }: CatalogueReading): Promise<boolean> {
  let total = 0;
  return scanInBatches(listing, 5_000, (rows) => {
    sink.take(rows);
    total += rows.length;
    onProgress('rows read', total);
  });
}

export function noteExisting(run: Run, rows: Iterable<Listed>): void {
  run.commit(() => run.rows.catalogue.add(rows));
}

/** Before the first request: rows that staging rejected exist if their code does. */
export function findRejected(run: Run): void {
  const { catalogue, planned } = run.rows;
  if (catalogue.isEmpty) return;
  run.commit(() => {
    catalogue.addIndexes();
    planned.findRejected();
  });
}

/**
 * @param isFinal false: the rows stay pending, and are only counted
 * @returns the number of pending rows that exist
 */
export function markExisting(run: Run, isFinal = true): number {
  const { catalogue, planned } = run.rows;
  if (catalogue.isEmpty) return 0;
  return run.commit(() => {
    catalogue.addIndexes();
    return isFinal ? planned.markInCatalogue() : planned.countInCatalogue();
  });
}
