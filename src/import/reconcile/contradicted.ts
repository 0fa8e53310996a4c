import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { someOf } from '../../core/text/listed.ts';
import type { CatalogueState, ListRun } from '../plan/catalogue/baseline.ts';
import { nothingSent, rowsIn } from '../report/words.ts';
import { eachKnownHere } from '../store/known-records.ts';
import { someCodes } from './seen-after.ts';

/** Maximum number of codes in the details. */
const NAMED = 10;

/**
 * Checks that the list shows the records that this machine has created with the codes of pending
 * rows. If a record is missing, only the user can tell whether somebody deleted it.
 *
 * @param shown rows that the list shows, although they are still pending
 * @returns if a record is missing: `known` with the baseline `unproved`, and a `refusal`. Otherwise the
 *   given `known`
 */
export async function contradiction(
  known: CatalogueState,
  opened: ListRun,
  ports: Ports<'store' | 'self'>,
  shown?: ReadonlySet<number>,
): Promise<{ readonly known: CatalogueState; readonly refusal?: ProcError }> {
  const { run, target } = opened;
  const { baseline } = known;
  const isRead = baseline === 'complete' || baseline === 'searched';
  if (!isRead || target.listing === undefined) return { known };
  const { count, named } = await hiddenOf(opened, ports, shown);
  if (count === 0) return { known };
  const were = rowsIn(count, 'row was', 'rows were');
  const them = count === 1 ? 'it' : 'them';
  const why = `${were} created from this machine, but the list of ${target.many} does not show ${them}: ${someCodes(named, count)}`;
  const unproved = { known: { baseline: 'unproved', why } } as const;
  const refusal = new ProcError('catalogue_unverified', `${why}; ${nothingSent(run)}`, {
    hint: 'Check the service: proc does not create again what it has created',
    details: { hidden: count, notListed: named },
  });
  return { ...unproved, refusal };
}

async function hiddenOf(
  { run, target }: ListRun,
  ports: Ports<'store' | 'self'>,
  shown?: ReadonlySet<number>,
) {
  const named: { code: string; id: string }[] = [];
  const { planned } = run.rows;
  if (!planned.hasPending({ withCode: true })) return { count: 0, named };
  const found = new Set<number>();
  await eachKnownHere(run, target, ports, (rows) => {
    for (const { id, code } of rows) {
      if (code === null || id === undefined) continue;
      for (const row of planned.pendingLike('code', code, id)) {
        if (found.has(row) || shown?.has(row) === true) continue;
        found.add(row);
        if (named.length < NAMED) named.push({ code, id });
      }
    }
  });
  return { count: found.size, named };
}

/**
 * If the whole list shows no record that this machine has created there, the service was probably reset, and ids
 * start again. The ledger would then take new records for earlier ones.
 */
export async function restartedIds(
  { baseline }: CatalogueState,
  { run, target }: ListRun,
  ports: Ports<'store' | 'self'>,
): Promise<ProcError | undefined> {
  if (baseline !== 'complete') return undefined;
  let count = 0;
  let first: string | undefined;
  let isShown = false;
  await eachKnownHere(run, target, ports, (rows) => {
    if (isShown) return;
    for (const { id, code } of rows) {
      if (id === undefined) continue;
      isShown = run.rows.catalogue.shows(id, code);
      if (isShown) return;
      count++;
      first ??= id;
    }
  });
  if (isShown || count === 0 || !run.rows.planned.hasPending()) return undefined;
  const records = rowsIn(count, 'record', 'records');
  return new ProcError(
    'ids_restarted',
    `ids start again; was the service reset? This machine has created ${records} there (${someOf([first!], count)}), but the list of ${target.many} shows none of them; ${nothingSent(run)}`,
    {
      hint: 'If it was reset, use another state folder for it: PROC_STATE_DIR',
      details: { known: count },
    },
  );
}
