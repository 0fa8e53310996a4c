import { type Context, command } from '../../context.ts';
import { LOCAL_CODES, ProcError } from '../../core/errors.ts';
import { settleMsOf } from '../../core/service.ts';
import { type Entry, refuseInFlight, resolveHint, subjectOf } from '../entry.ts';
import { rowOf, SHOW_COLUMNS } from '../entry-rows.ts';
import { historyOf, withHistory } from '../history.ts';

export const ENTRY = {
  id: { doc: 'id of the entry, e.g. h-7k3mqd; or "last"', from: 'proc history list' },
} as const;

/**
 * @param typed id of an entry; or `last`, the first one of `history list`
 * @throws ProcError `reference_not_found`
 */
export async function findEntry(ctx: Context, typed: string): Promise<Entry> {
  const id = typed.toLowerCase();
  const { profile, env: environment } = ctx.flags;
  const entry = await withHistory(ctx, undefined, async (history) =>
    id === 'last'
      ? (await history.entries({ profile, environment, limit: 1 }))[0]
      : history.get(id),
  );
  if (entry !== undefined) return entry;
  throw new ProcError('reference_not_found', `history has no entry "${typed}"`, {
    hint: 'List all entries: proc history list',
  });
}

export const resolve = command({
  path: ['history', 'resolve'],
  changes: 'local',
  prints: 'record',
  summary: 'Record the outcome of an unconfirmed write',
  description:
    'Check the service first. --adopt records the id of the record that was created, changed or deleted; --drop records that nothing happened. Sends no request.',
  args: ENTRY,
  flags: {
    adopt: { kind: 'string', value: 'id', doc: 'it was applied to the record with this id' },
    drop: { kind: 'boolean', doc: 'nothing happened' },
  },
  examples: [
    { run: 'proc history resolve h-7k3mqd --adopt itm-12', doc: 'it created itm-12' },
    {
      run: 'proc history resolve h-7k3mqd --drop',
      doc: 'nothing happened; the same write can be sent again',
    },
  ],
  exitCodes: LOCAL_CODES,
  async run(ctx, args, { adopt, drop }) {
    const entry = await findEntry(ctx, args.id);
    mustBeOpen(entry);
    const problem = problemOf(entry, adopt, drop);
    if (problem !== undefined)
      throw new ProcError('invalid_usage', problem, { hint: resolveHint(entry) });
    const { flags, env, clock } = ctx;
    const { resolveTarget } = await import('../../config/resolve-target.ts');
    // Resolving needs neither a target nor a key: then the default of the settle time counts.
    const target = await resolveTarget({ flags, env, needCredential: false }).catch(() => ({}));
    const settleMs = settleMsOf(target, flags);
    refuseInFlight(entry, clock.now(), settleMs);
    const history = await historyOf(ctx);
    await history.resolve(entry, adopt, clock.now());
    const resolved = (await history.get(entry.id))!;
    // Meanwhile the answer may have arrived, or a request that was turned away may have been sent again.
    mustBeOpen(resolved);
    refuseInFlight(resolved, clock.now(), settleMs);
    return { kind: 'record', columns: SHOW_COLUMNS, value: rowOf(resolved, true) };
  },
});

/** An outcome that a person recorded can be changed. An outcome from the service cannot. */
function mustBeOpen({ id, state, resolvedAt }: Entry): void {
  if (state === 'unknown' || resolvedAt !== undefined) return;
  throw new ProcError(
    'invalid_usage',
    `the outcome of ${id} is known: ${state}; there is nothing to resolve`,
    { hint: 'List writes whose outcome is unknown: proc history list --open' },
  );
}

function problemOf(entry: Entry, adopt: string | undefined, drop: boolean): string | undefined {
  const { id, method, path } = entry;
  if (adopt === undefined) return drop ? undefined : `the outcome of ${id} must be given`;
  if (drop) return 'use either --adopt or --drop, not both';
  if (adopt.trim() === '') return '--adopt is empty, expected an id';
  const subject = subjectOf(entry);
  if (subject === undefined || subject === adopt) return undefined;
  return `--adopt ${adopt}: ${id} is about ${subject} (${method} ${path})`;
}
