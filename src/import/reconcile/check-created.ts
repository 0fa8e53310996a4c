import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Listing } from '../../listing/listing.ts';
import { scan } from '../../listing/scan.ts';
import { Search } from '../../listing/search.ts';
import { importRunMessages } from '../../messages/import-run.ts';
import type { Verified } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import { holdersOf } from '../ledger/sent/holders.ts';
import type { OpenRun } from '../open-run.ts';
import { probeList } from '../plan/catalogue/learn-list.ts';
import { isWorthSearching } from '../plan/catalogue/mark-existing.ts';
import { listingFor } from '../plan/catalogue/open-listing.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { type Duplicated, Seen } from './seen-after.ts';
import { areShown, witnessesAmong } from './witnesses.ts';

/**
 * Some lists show new rows late. proc reads the list again after this pause, and then doubles the
 * pause each time.
 */
const FIRST_PAUSE_MS = 1_000;

/**
 * Reads the list after rows were created, to find duplicates: new records of others with the codes
 * of these rows.
 *
 * Two requests for the end of the list may prove that it has grown by exactly the created rows.
 * Otherwise proc searches for each code or reads the whole list. Each created row must be in the
 * list under its code: the next import would create a missing row again.
 */
export async function checkCreated(
  { journal, target, options: { settleMs, patienceMs }, progress }: OpenRun,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  if (target.listing === undefined || journal.counts().created === 0) return;
  let verified: Verified;
  try {
    const words = importRunMessages[await ports.io.lang()].progress;
    progress.step(words.verifying, { step: 'verify' });
    const reading = { connections: CONNECTIONS, patienceMs };
    const open = () => listingFor(target, journal, ports, reading);
    let listing = await open();
    verified = await verify(journal, target, listing, ports);
    // Parameter names cannot be detected in an empty list. Now the list has rows.
    const { learned } =
      verified.isComplete || verified.hidden !== undefined || journal.get('learned') !== undefined
        ? {}
        : await probeList(target, ports, progress);
    if (learned !== undefined) {
      journal.note({ learned });
      listing = await open();
      verified = await verify(journal, target, listing, ports);
    }
    let pause = Math.min(FIRST_PAUSE_MS, settleMs);
    for (let waited = 0; (verified.hidden ?? 0) > 0 && waited < settleMs; pause *= 2) {
      await ports.self.clock.sleep(pause, ports.self.signal);
      waited += pause;
      verified = await verify(journal, target, listing, ports);
    }
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
    const text = `the list of ${target.many} may be incomplete, so proc cannot tell whether the same codes were also created elsewhere`;
    ports.io.say({ kind: 'warning', text });
  }
  journal.note({ verified });
}

const CONNECTIONS = 6;
/** Witnesses are chosen among this many created rows. */
const SAMPLE = 200;

async function verify(
  journal: Journal,
  target: ImportTarget,
  listing: Listing,
  ports: Ports<'store' | 'self'>,
): Promise<Verified> {
  const seen = new Seen(journal);
  const search = new Search(listing);
  if (await hasGrownByOurs(journal, listing, search, seen)) {
    return { isComplete: true, twice: 0, named: [] };
  }
  const isSearched = await isWorthSearching(journal, search, ['created']);
  const isComplete = isSearched
    ? await searchAll(journal, search, seen)
    : await scan(listing, (rows) => seen.add(rows));
  const verdict = seen.verdict(isComplete);
  if (verdict.twice === 0) return verdict;
  const twiceHere = await countHere(seen.duplicates(), journal, target, ports);
  return twiceHere === 0 ? verdict : { ...verdict, twiceHere };
}

async function countHere(
  duplicates: readonly Duplicated[],
  journal: Journal,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<number> {
  const ids = duplicates.flatMap(({ others }) => others);
  const holders = await holdersOf(ids, journal, target, ports);
  return duplicates.filter(({ others }) => others.every((id) => holders.has(id))).length;
}

/**
 * True if the list has grown by exactly the created rows, and shows a few of them under their
 * codes. False also if proc cannot tell, e.g. because a row is unconfirmed.
 */
async function hasGrownByOurs(
  journal: Journal,
  listing: Listing,
  search: Search,
  seen: Seen,
): Promise<boolean> {
  const { created, unconfirmed, sending } = journal.counts();
  if (journal.get('baseline') !== 'complete' || unconfirmed + sending > 0) return false;
  if (journal.get('codesAltered') === true) return false;
  const last = await listing.lastRows(journal.catalogue.counts().all + created);
  if (last === undefined) return false;
  seen.add(last);
  const newest = journal.planned.newestCreated();
  if (newest === undefined) return false;
  const near = [...journal.unconfirmed.createdNear(newest.row, Number.MAX_SAFE_INTEGER)];
  const sample = near.slice(0, SAMPLE);
  const codes = sample.map(({ key }) => key);
  const { rows } = witnessesAmong(sample, codes);
  const shown = new Map(last.map(({ id, code }) => [id, code]));
  const left = [newest, ...rows].filter(({ id, key }) => shown.get(id) !== key);
  if (left.length === 0) return true;
  return (await search.isUsable()) && (await areShown(left, search));
}

async function searchAll(journal: Journal, search: Search, seen: Seen): Promise<boolean> {
  let isComplete = true;
  for (const code of journal.planned.codesIn('created')) {
    const found = await search.find(code);
    if (found.kind === 'unproved') isComplete = false;
    else seen.add(found.ids.map((id) => ({ id, code, name: null })));
  }
  return isComplete;
}
