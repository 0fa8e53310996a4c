import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { storedCode } from '../../core/service/code-change.ts';
import { Search } from '../../listing/search.ts';
import { updateFromOtherRuns } from '../ledger/sent/sent-before.ts';
import type { OpenRun } from '../open-run.ts';
import { listingFor } from '../plan/catalogue/open-listing.ts';
import { applyItemsInPlace } from '../plan/plan-items-in-place.ts';
import { checkItemsUnchanged } from '../review/find-changes.ts';
import { isSameBoot } from '../run-clock.ts';
import { checkPendingAgain } from './created-meanwhile.ts';

/**
 * Prepares a run that has already begun to send.
 *
 * @throws ProcError before anything is sent
 */
export async function reopenRun(
  run: OpenRun,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<void> {
  const { journal, target } = run;
  await checkOrganization(run, ports);
  if (target.listing === undefined) await updateFromOtherRuns(journal, ports);
  if (target.definesItems === true && journal.get('sealed') !== undefined) {
    await checkItemsUnchanged(run, ports);
  } else if (target.definesItems === true) {
    const { refusal } = await applyItemsInPlace(run, ports);
    if (refusal !== undefined) throw refusal;
  }
  const isSame = isSameBoot(ports.self.clock, journal);
  journal.interrupt(isSame);
  if (target.listing !== undefined) await checkPendingAgain(run, ports);
  await journal.reopen(isSame);
}

/**
 * Refuses a changed key if the list provably lacks a row that the run created. The key then belongs
 * to another organization.
 */
async function checkOrganization(
  { journal, target, options: { patienceMs } }: OpenRun,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<void> {
  const mark = (await ports.store.scope()).markOf(journal.header.run);
  if (journal.get('keyMark') === mark) return;
  const row = journal.rows.reported.anyCreated();
  if (row !== undefined && target.listing !== undefined) {
    const search = new Search(await listingFor(target, journal, ports, { patienceMs }));
    const found = await search.find(storedCode(journal.codeChange, row.code));
    if (found.kind === 'proved' && !found.ids.includes(row.id)) {
      throw new ProcError(
        'credential_origin',
        `this run started with the key of another organization: the run created ${row.code} (${row.id}), and the list of the current key does not have it`,
        { hint: 'Check which key is used: proc auth status' },
      );
    }
  }
  journal.note({ keyMark: mark });
}
