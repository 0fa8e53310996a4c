import {
  DefinedCodes,
  definedCode,
  resolveLines,
  type WithLines,
} from '../../compose/items-in-place.ts';
import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import { storedProblem, together } from '../../core/row-problem.ts';
import { patientReader } from '../../listing/list-pages.ts';
import { findCodes } from '../../listing/search.ts';
import { listItems } from '../../nouns/items/index.ts';
import { type CatalogueItem, itemsWithCodes } from '../../nouns/shared/catalogue.ts';
import { locator } from '../check/locate.ts';
import type { Draft } from '../draft/draft.ts';
import { importPatience } from '../patient-reads.ts';
import { rowsIn } from '../report/words.ts';
import { type ItemsPlan, NO_LINES, type Planning } from './plan.ts';

type ItemsPlanning = Pick<Planning, 'target' | 'mapping' | 'groupBy' | 'options' | 'progress'> & {
  readonly source: Pick<Planning['source'], 'format'>;
};

const PER_LOT = 500;

/**
 * Decides which lines refer to an existing item instead of defining one, and which rows are rejected. Rows are compared
 * with the ledger by the bodies of the file, so this comes later.
 */
export async function planItems(
  draft: Draft,
  planning: ItemsPlanning,
  ctx: Context,
): Promise<ItemsPlan> {
  const defined = new DefinedCodes();
  for (const { body } of draft.rows('pending')) defined.add(JSON.parse(body!) as WithLines);
  const codes = defined.all();
  const isLookedUp = codes.length === 0 || (await ctx.http().canRead());
  let found: readonly CatalogueItem[] | undefined;
  let refusal: ProcError | undefined;
  try {
    if (isLookedUp) found = await lookUp(codes, planning, ctx);
  } catch (thrown) {
    if (!(thrown instanceof ProcError && thrown.code === 'catalogue_unverified')) throw thrown;
    refusal = thrown;
  }
  const decideOn = defined.decider(found);
  const { groupBy, mapping, source, target } = planning;
  const locate = locator({ groupBy, mapping }, source.format, target);
  const next = draft.database.prepare(
    `SELECT row, body FROM draft WHERE state = 'pending' AND row > ? ORDER BY row LIMIT ${PER_LOT}`,
  );
  // Keeps the original record for the file of rejected rows.
  const replace = draft.database.prepare(
    'UPDATE draft SET source = coalesce(source, body), body = ? WHERE row = ?',
  );
  const counts = { ...NO_LINES };
  for (let rows = next.all(0); rows.length > 0; rows = next.all(rows.at(-1)!.row!))
    for (const { row, body } of rows) {
      const given = JSON.parse(body as string) as WithLines;
      const { payload, refused } = resolveLines(given, decideOn);
      const place = draft.placeOf(row as number);
      const reason = together(
        refused.map(({ field, reason: problem }) => locate({ ...problem, field }, place)),
      );
      if (reason !== undefined) draft.reject(row as number, storedProblem(reason));
      else count(payload, counts);
      if (reason === undefined && payload !== given) replace.run(JSON.stringify(payload), row!);
    }
  return { counts, isLookedUp, refusal };
}

function count({ groups }: WithLines, counts: typeof NO_LINES): void {
  for (const { itemId, item } of groups.flatMap(({ items }) => items)) {
    counts.lines++;
    if (item !== undefined) counts.newItems++;
    else if (itemId !== undefined) counts.referencedItems++;
    if (item !== undefined && definedCode(item) === undefined) counts.newItemsWithoutCode++;
  }
}

async function lookUp(
  codes: readonly string[],
  { options, progress }: ItemsPlanning,
  ctx: Context,
): Promise<readonly CatalogueItem[]> {
  if (codes.length === 0) return [];
  progress.step(`Looking up ${rowsIn(codes.length, 'item code')}`, {
    ...{ step: 'plan', count: codes.length },
  });
  const sender = await ctx.http().sender(1);
  const read = patientReader(sender, importPatience(ctx, options.patienceMs));
  const list = { target: sender.target, read };
  const found = await itemsWithCodes(codes, (some) => findCodes(listItems, some, list));
  progress.finish();
  return found;
}
