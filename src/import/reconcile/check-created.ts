import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { storedCode } from '../../core/service/code-change.ts';
import { capital } from '../../core/text/listed.ts';
import { MAX_PAGE } from '../../listing/list-reader.ts';
import { type Listing, type Page, UntrustedPaging } from '../../listing/listing.ts';
import { scan } from '../../listing/scan.ts';
import { Search } from '../../listing/search.ts';
import type { OpenRun, Stop } from '../open-run.ts';
import { isWorthSearching } from '../plan/catalogue/baseline.ts';
import { listingFor, probeList } from '../plan/catalogue/open-listing.ts';
import { importRunMessages } from '../report/labels.ts';
import type { Verified } from '../store/facts.ts';
import { holdersOf } from '../store/known-records.ts';
import type { Run } from '../store/run-file.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { type Duplicated, type Seen, seenAfter } from './seen-after.ts';

/**
 * Some lists show new rows late. proc reads the list again after this pause, and then doubles the
 * pause each time.
 */
const FIRST_PAUSE_MS = 1_000;

/**
 * Reads the list after rows were created: each created row must be in it under its id and its code. Otherwise
 * the row has a wrong id, or the next import would create it again. Also finds new records of others with the
 * codes of these rows.
 *
 * If the list has grown by exactly the created rows, proc reads only what was added at its end. That must show
 * every created row; if it does not, proc searches for each code or reads the whole list.
 *
 * @returns why the run stops before its rows are verified
 */
export async function checkCreated(
  opened: OpenRun,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<Stop | undefined> {
  const { run, target, options, progress } = opened;
  const { settleMs, patienceMs } = options;
  if (target.listing === undefined || run.counts().created === 0) return undefined;
  let verified: Verified;
  let fault: string | undefined;
  try {
    const words = importRunMessages.progress;
    progress.step(words.verifying, { step: 'verify' });
    const reading = { connections: CONNECTIONS, patienceMs };
    const open = () => listingFor(target, run, ports, reading);
    let listing = await open();
    const look = async () => {
      const seen = seenAfter(run);
      const isTail = await isTailOurs(run, listing, seen);
      return isTail ? ALL_SHOWN : verify(opened, listing, seen, ports);
    };
    verified = await look();
    // Parameter names cannot be detected in an empty list. Now the list has rows.
    const { learned } =
      verified.isComplete || verified.hidden !== undefined || run.get('learned') !== undefined
        ? {}
        : await probeList(target, ports, progress);
    if (learned !== undefined) {
      run.note({ learned });
      listing = await open();
      verified = await look();
    }
    let pause = Math.min(FIRST_PAUSE_MS, settleMs);
    for (let waited = 0; (verified.hidden ?? 0) > 0 && waited < settleMs; pause *= 2) {
      await ports.self.clock.sleep(pause, ports.self.signal);
      waited += pause;
      verified = await look();
    }
    fault = listing.fault;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    ports.io.say({
      kind: 'warning',
      text: `cannot verify the created rows: ${thrown.message}`,
    });
    verified = { isComplete: false, twice: 0, named: [] };
  }
  if (verified.isComplete && (verified.hidden ?? 0) === 0 && verified.twice === 0)
    progress.finish();
  if (!verified.isComplete && verified.hidden === undefined && verified.twice === 0) {
    const reason = fault === undefined ? '' : `. ${capital(fault)}`;
    const text = `the list of ${target.many} may be incomplete, so proc cannot tell whether the same codes were also created elsewhere${reason}`;
    ports.io.say({ kind: 'warning', text });
  }
  run.note({ verified });
  return undefined;
}

const CONNECTIONS = 6;

const ALL_SHOWN: Verified = { isComplete: true, twice: 0, named: [] };

async function verify(
  { run, target }: OpenRun,
  listing: Listing,
  seen: Seen,
  ports: Ports<'store' | 'self'>,
): Promise<Verified> {
  const search = new Search(listing);
  const isSearched = await isWorthSearching(run, search, ['created']);
  const isComplete = isSearched
    ? await searchAll(run, search, seen)
    : await scan(listing, (rows) => seen.add(rows));
  const verdict = seen.verdict(isComplete);
  if (verdict.twice === 0) return verdict;
  const twiceHere = await countHere(seen.duplicates(), run, target, ports);
  return twiceHere === 0 ? verdict : { ...verdict, twiceHere };
}

async function countHere(
  duplicates: readonly Duplicated[],
  run: Run,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<number> {
  const ids = duplicates.flatMap(({ others }) => others);
  const holders = await holdersOf(ids, run, target, ports);
  return duplicates.filter(({ others }) => others.every((id) => holders.has(id))).length;
}

/**
 * Whether the list has grown by exactly the created rows, and its end shows every one of them under its id and
 * code. False if its end shows earlier records; undefined if proc cannot tell.
 */
async function isTailOurs(run: Run, listing: Listing, seen: Seen): Promise<boolean | undefined> {
  const { created, unconfirmed, sending } = run.counts();
  if (run.get('baseline') !== 'complete' || unconfirmed + sending > 0) return undefined;
  const { catalogue } = run.rows;
  const before = catalogue.count();
  if (listing.byNumber) return undefined;
  const end = before + created;
  if ((await listing.lastRows(end)) === undefined) return undefined;
  const asked: Promise<Page>[] = [];
  const ask = (offset: number) => {
    if (offset >= end) return;
    const page = listing.page(offset, 'as it comes');
    // The error is thrown only if this loop gets to the page.
    page.catch(() => undefined);
    asked.push(page);
  };
  for (let page = 0; page < CONNECTIONS; page++) ask(before + page * MAX_PAGE);
  try {
    for (let next = before + CONNECTIONS * MAX_PAGE; asked.length > 0; next += MAX_PAGE) {
      const { rows } = await asked.shift()!;
      ask(next);
      // One foreign row shows that new rows are not at the end.
      if (seen.add(rows)) continue;
      return rows.some(({ id }) => id !== undefined && catalogue.has(id)) ? false : undefined;
    }
  } catch (thrown) {
    if (thrown instanceof UntrustedPaging) return undefined;
    throw thrown;
  }
  const isAll = seen.verdict(true).hidden === undefined && seen.duplicates().length === 0;
  return isAll ? true : undefined;
}

async function searchAll(run: Run, search: Search, seen: Seen): Promise<boolean> {
  let isComplete = true;
  for (const sent of run.rows.planned.codesIn('created')) {
    const code = storedCode(run.codeChange, sent);
    const found = await search.find(code);
    if (found.kind === 'unproved') isComplete = false;
    else seen.add(found.ids.map((id) => ({ id, code, name: null })));
  }
  return isComplete;
}
