import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Listing } from '../../listing/listing.ts';
import { scan } from '../../listing/scan.ts';
import { Search } from '../../listing/search.ts';
import { importRunMessages } from '../../messages/import-run.ts';
import type { Verified } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { OpenRun } from '../open-run.ts';
import { probeList } from '../plan/catalogue/learn-list.ts';
import { isWorthSearching } from '../plan/catalogue/mark-existing.ts';
import { listingFor } from '../plan/catalogue/open-listing.ts';
import { Seen } from './seen-after.ts';

/** A list that shows rows a little later is read again after this time, then after twice as long. */
const FIRST_PAUSE_MS = 1_000;

/**
 * Reads the list once more after rows were created: whoever imported the same codes meanwhile, from
 * another machine, could not be seen before. If the list has grown by just what was created, its end
 * tells so in two requests; else each code is searched for, or the list is read, whatever needs fewer.
 * What was created must be there with its code: otherwise the next import would create it again.
 */
export async function checkCreated(
  { journal, target, options: { settleMs }, progress }: OpenRun,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<void> {
  if (target.listing === undefined || journal.counts().created === 0) return;
  let verified: Verified;
  try {
    const words = importRunMessages[await ports.io.lang()].progress;
    progress.step(words.verifying, { step: 'verify' });
    const open = () => listingFor(target, journal, ports, { connections: CONNECTIONS });
    let listing = await open();
    verified = await verify(journal, listing);
    // A list that was empty before taught nothing; now it has rows.
    const { learned } =
      verified.isComplete || verified.hidden !== undefined || journal.get('learned') !== undefined
        ? {}
        : await probeList(target, ports, progress);
    if (learned !== undefined) {
      journal.note({ learned });
      listing = await open();
      verified = await verify(journal, listing);
    }
    let pause = Math.min(FIRST_PAUSE_MS, settleMs);
    for (let waited = 0; (verified.hidden ?? 0) > 0 && waited < settleMs; pause *= 2) {
      await ports.self.clock.sleep(pause, ports.self.signal);
      waited += pause;
      verified = await verify(journal, listing);
    }
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    ports.io.say({
      kind: 'warning',
      text: `the list could not be read once more: ${thrown.message}`,
    });
    verified = { isComplete: false, twice: 0, named: [] };
  }
  if (!verified.isComplete && verified.hidden === undefined && verified.twice === 0) {
    const text = `cannot verify that the list of ${target.many} is complete: whether something else created the same codes meanwhile is not known`;
    ports.io.say({ kind: 'warning', text });
  }
  journal.note({ verified });
}

const CONNECTIONS = 6;

async function verify(journal: Journal, listing: Listing): Promise<Verified> {
  const seen = new Seen(journal);
  if (await hasGrownByOurs(journal, listing, seen)) {
    return { isComplete: true, twice: 0, named: [] };
  }
  const search = new Search(listing);
  const isSearched = await isWorthSearching(journal, search, 'created');
  const isComplete = isSearched
    ? await searchAll(journal, search, seen)
    : await scan(listing, (rows) => seen.look(rows));
  return seen.verdict(isComplete);
}

/** Two requests tell, if the list was read to its end before, and is one that shows codes as they were sent. */
async function hasGrownByOurs(journal: Journal, listing: Listing, seen: Seen): Promise<boolean> {
  const { created, unconfirmed, sending } = journal.counts();
  if (journal.get('baseline') !== 'complete' || unconfirmed + sending > 0) return false;
  if (journal.get('codesAltered') === true) return false;
  const { all, coded } = journal.catalogue.counts();
  const last = await listing.lastRows(all + created);
  if (last === undefined) return false;
  seen.look(last);
  return coded > 0 || seen.hasOurs();
}

async function searchAll(journal: Journal, search: Search, seen: Seen): Promise<boolean> {
  let isComplete = true;
  for (const code of journal.planned.codesIn('created')) {
    const found = await search.find(code);
    if (found.kind === 'unproved') isComplete = false;
    else seen.look(found.ids.map((id) => ({ id, code, name: null })));
  }
  return isComplete;
}
