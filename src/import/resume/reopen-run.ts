import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { Search } from '../../listing/search.ts';
import { lookAgain } from '../ledger/sent/sent-before.ts';
import type { OpenRun } from '../open-run.ts';
import { listingFor } from '../plan/catalogue/open-listing.ts';
import { applyItemsInPlace } from '../plan/plan-items-in-place.ts';

/**
 * Makes a run that has sent before ready to send again: its organization and what other runs did
 * meanwhile are checked, and unconfirmed rows are looked up once more.
 *
 * @throws ProcError before anything is sent
 */
export async function reopenRun(
  run: OpenRun,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<void> {
  const { journal, target, options, progress } = run;
  await checkOrganization(run, ports);
  if (target.listing === undefined) await lookAgain(journal, target.create, ports);
  if (target.definesItems === true) {
    const { refusal } = await applyItemsInPlace(journal, options, ports, progress);
    if (refusal !== undefined) throw refusal;
  }
  journal.reopen();
}

/** With another key than before, one row that was created must be there: else it is another organization. */
async function checkOrganization(
  { journal, target }: OpenRun,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<void> {
  const mark = (await ports.store.scope()).markOf(journal.header.run);
  if (journal.get('keyMark') === mark) return;
  const row = journal.reported.anyCreated();
  if (row !== undefined && target.listing !== undefined) {
    const search = new Search(await listingFor(target, journal, ports));
    const found = await search.find(row.code);
    if (found.kind === 'proved' && !found.ids.includes(row.id)) {
      throw new ProcError(
        'credential_origin',
        `The key is another than when this run began, and ${row.code} (${row.id}), which it created, is not there: this is another organization`,
        { hint: 'See which key is used: proc auth status' },
      );
    }
  }
  journal.note({ keyMark: mark });
}
