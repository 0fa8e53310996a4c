import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import { sentence } from '../core/row-problem.ts';
import { moreProblems } from '../core/validate.ts';
import { listed } from '../core/wording.ts';
import { listItems } from '../nouns/items/index.ts';
import { type CatalogueItem, itemsWithCodes } from '../nouns/shared/catalogue.ts';
import { DefinedCodes, type Refused, resolveLines, type WithLines } from './items-in-place.ts';

interface ResolveOptions {
  /** Receives the existing items that replace definitions. */
  readonly met: Map<string, CatalogueItem>;
  /** The name of a field for the user: a flag, or file, line and field. */
  place(field: string): string;
}

/**
 * Replaces the definition of an item by a reference if the catalogue already has the item.
 *
 * @throws ProcError if a definition is refused; nothing was sent
 */
export async function resolveItems<P extends WithLines>(
  payload: P,
  { met, place }: ResolveOptions,
  ctx: Context,
): Promise<P> {
  const defined = new DefinedCodes().add(payload);
  const codes = defined.all();
  const found = codes.length === 0 ? [] : await lookUp(codes, ctx);
  if (found === undefined) return payload;
  const resolved = resolveLines(payload, defined.decider(found));
  const { refused, referenced } = resolved;
  if (refused.length > 0) throw refusal(refused, place);
  for (const item of found) met.set(item.id, item);
  if (referenced.length > 0) {
    const named = [...new Set(referenced)].join(', ');
    const isOne = referenced.length === 1;
    const text = `the catalogue already has ${named}, so the lines refer to ${isOne ? 'it' : 'them'}`;
    ctx.io.say({ kind: 'notice', text });
  }
  return resolved.payload;
}

/**
 * @returns undefined if a dry run cannot read the catalogue
 * @throws ProcError `catalogue_unverified` if the list of items may be incomplete
 */
async function lookUp(codes: readonly string[], ctx: Context) {
  try {
    if (!(await ctx.http().canRead())) return notLookedUp(codes, ctx);
    return await itemsWithCodes(codes, (some) => ctx.http().find(listItems, some));
  } catch (thrown) {
    // A dry run sends nothing, so it continues without the catalogue.
    if (ctx.flags.dryRun && isUnreadable(thrown)) return notLookedUp(codes, ctx);
    throw thrown;
  }
}

function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof ProcError && thrown.code !== 'catalogue_unverified';
}

function notLookedUp(codes: readonly string[], ctx: Context): undefined {
  const names = listed(codes, 5);
  const text = `the catalogue was not read, so items defined in place count as new, even if they exist: ${names}`;
  ctx.io.say({ kind: 'warning', text });
  return undefined;
}

function refusal(refused: readonly Refused[], place: ResolveOptions['place']): ProcError {
  const [first] = refused;
  const more = moreProblems(refused.length);
  const isOne = refused.every(({ candidates }) => candidates.length < 2);
  return new ProcError(
    isOne ? 'invalid_input' : 'ambiguous_reference',
    `${place(first!.field)}: ${sentence(first!.reason)}${more}; nothing was sent`,
    {
      hint: 'Order that item by its id (itemId) instead of defining it',
      details: {
        issues: refused.map(({ field, reason, candidates }) => ({
          field,
          message: sentence(reason),
          candidates,
        })),
      },
    },
  );
}
