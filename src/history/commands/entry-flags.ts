import type { Context } from '../../context.ts';
import type { FlagSpecs, FlagValues } from '../../core/command-spec.ts';
import { nounOf } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { ENDPOINTS } from '../../nouns/endpoints.ts';
import type { Entry } from '../entry.ts';
import { type EntryFilter, withHistory } from '../history.ts';

export const ENTRY = {
  id: { doc: 'id of the entry, e.g. h-7k3mqd; or "last"', from: 'proc history list' },
} as const;

export const ENTRY_FLAGS = {
  noun: { kind: 'string', value: 'noun', doc: 'only this kind, e.g. requisition' },
  open: { kind: 'boolean', doc: 'only writes whose outcome is unknown' },
} as const satisfies FlagSpecs;

export function entryFilter(flags: FlagValues<typeof ENTRY_FLAGS>, ctx: Context): EntryFilter {
  const { flags: globals } = ctx;
  return {
    noun: flags.noun === undefined ? undefined : knownNoun(flags.noun),
    state: flags.open ? 'unknown' : undefined,
    profile: globals.profile,
    environment: globals.env,
  };
}

/**
 * The noun as stored in the history, from singular or plural: `requisition` → `requisitions`.
 *
 * @throws ProcError `invalid_usage`
 */
export function knownNoun(typed: string): string {
  const nouns = [
    ...new Set(ENDPOINTS.filter(({ method }) => method !== 'GET').map((spec) => nounOf(spec))),
  ];
  const wanted = typed.toLowerCase();
  const found = nouns.find((noun) => noun === wanted || singular(noun) === wanted);
  if (found !== undefined) return found;
  const near = nearest(wanted, nouns);
  throw new ProcError('invalid_usage', `--noun "${typed}": there are no writes with this noun`, {
    hint: near === undefined ? `Use one of: ${nouns.join(', ')}` : `Did you mean ${near}?`,
  });
}

/**
 * @param id of an entry, or `last` of the current target
 * @throws ProcError `reference_not_found`
 */
export async function findEntry(ctx: Context, id: string): Promise<Entry> {
  const isLast = id.toLowerCase() === 'last';
  const scope = isLast ? await ctx.scope() : undefined;
  const entry = await withHistory(ctx, undefined, async (history) =>
    isLast ? (await history.entries({ scope, limit: 1 }))[0] : history.get(id.toLowerCase()),
  );
  if (entry !== undefined) return entry;
  throw new ProcError('reference_not_found', `history has no entry "${id}"`, {
    hint: 'List all entries: proc history list',
  });
}

function singular(noun: string): string {
  return noun.replace(/(?<=ss)es$|s$/, '');
}
