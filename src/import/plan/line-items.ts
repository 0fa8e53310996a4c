import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import { storedProblem, together } from '../../core/row-problem.ts';
import { patientReader } from '../../listing/list-reader.ts';
import { findCodes } from '../../listing/search-codes.ts';
import { listItems } from '../../nouns/items/index.ts';
import type { CatalogueItem } from '../../nouns/shared/catalogue.ts';
import {
  countLines,
  decide,
  definitionsIn,
  NO_LINES,
  resolveLines,
  type WithLines,
} from '../../nouns/shared/items-in-place.ts';
import { locator } from '../check/locate.ts';
import type { Draft } from '../draft/draft.ts';
import { importPatience } from '../patient-reads.ts';
import { rowsIn } from '../report/words.ts';
import type { ItemsPlan, Planning } from './plan.ts';

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
  const lines = new Map<string, number>();
  for (const { body } of draft.rows('pending'))
    for (const { code } of definitionsIn(JSON.parse(body!) as WithLines))
      lines.set(code!, (lines.get(code!) ?? 0) + 1);
  const isLookedUp = lines.size === 0 || (await ctx.http().canRead());
  const found = isLookedUp ? await lookUp(lines, planning, ctx) : new Map();
  const refusal = found === undefined ? unverified(lines.size) : undefined;
  const { groupBy, mapping, source, target } = planning;
  const locate = locator({ groupBy, mapping }, source.format, target);
  const next = draft.database.prepare(
    `SELECT row, body FROM draft WHERE state = 'pending' AND row > ? ORDER BY row LIMIT ${PER_LOT}`,
  );
  // Keeps the original record for the file of rejected rows.
  const replace = draft.database.prepare(
    'UPDATE draft SET source = coalesce(source, body), body = ? WHERE row = ?',
  );
  let counts = NO_LINES;
  for (let rows = next.all(0); rows.length > 0; rows = next.all(rows.at(-1)!.row!))
    for (const { row, body } of rows) {
      const given = JSON.parse(body as string) as WithLines;
      const { payload, refused } = resolveLines(given, (item) =>
        isLookedUp && found !== undefined
          ? decide(item, { found: found.get(item.code!) ?? [], lines: lines.get(item.code!) ?? 1 })
          : { kind: 'define' },
      );
      const place = draft.placeOf(row as number);
      const reason = together(
        refused.map(({ field, reason: problem }) => locate({ ...problem, field }, place)),
      );
      if (reason !== undefined) draft.reject(row as number, storedProblem(reason));
      else counts = countLines(payload, counts);
      if (reason === undefined && payload !== given) replace.run(JSON.stringify(payload), row!);
    }
  return { counts, isLookedUp, refusal };
}

/**
 * @param codes of the items that lines define
 * @returns existing items by code; undefined if codes may exist that were not found
 */
async function lookUp(
  codes: ReadonlyMap<string, number>,
  { options, progress }: ItemsPlanning,
  ctx: Context,
): Promise<ReadonlyMap<string, readonly CatalogueItem[]> | undefined> {
  const { size } = codes;
  const found = new Map<string, CatalogueItem[]>();
  if (size === 0) return found;
  progress.step(`Looking up ${rowsIn(size, 'item code')}`, { step: 'plan', count: size });
  const { target, send } = await ctx.http().sender(1);
  const read = patientReader({ target, send }, importPatience(ctx, options.patienceMs));
  const wanted = new Set(codes.keys());
  const isWhole = await findCodes(listItems, wanted, { target, read }, (code, item) => {
    const known = found.get(code) ?? [];
    if (!known.some(({ id }) => id === item.id)) found.set(code, [...known, item]);
  });
  progress.finish();
  return isWhole ? found : undefined;
}

function unverified(codes: number): ProcError {
  return new ProcError(
    'catalogue_unverified',
    `the list of items may be incomplete, so proc cannot tell whether ${rowsIn(codes, 'item')} defined in place already ${codes === 1 ? 'exists' : 'exist'}; nothing was sent`,
    {
      hint: 'Detect the parameter names: proc doctor. To use existing items, refer to them by itemId',
    },
  );
}
