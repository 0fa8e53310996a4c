import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import type { Entry } from '../entry.ts';
import { SHOW_COLUMNS, wholeEntry, wholeRow } from '../entry-rows.ts';
import { findEntry } from '../find-entry.ts';
import { askResolution, type Resolution, resolutionFrom } from '../resolve-entry.ts';
import { HISTORY } from '../store.ts';
import { ENTRY } from './entry-flags.ts';

export const resolve = command({
  path: ['history', 'resolve'],
  changes: 'local',
  prints: 'record',
  shape: (kit) =>
    kit.record(
      kit.z.extend(wholeEntry(kit), { wouldResolve: kit.maybe(kit.z.looseObject({})) }),
      'With --dry-run "wouldResolve" says what would be recorded.',
    ),
  summary: 'Record the outcome of an unconfirmed write',
  description:
    'Check the service first. --adopt records the id of the record that was created, changed or deleted; --not-applied records that nothing happened. Without either, proc asks on a terminal. Sends no request.',
  args: ENTRY,
  flags: {
    adopt: { kind: 'string', value: 'id', doc: 'it was applied to the record with this id' },
    notApplied: { kind: 'boolean', doc: 'it was not applied' },
  },
  examples: [
    { run: 'proc history resolve h-7k3mqd --adopt itm-12', doc: 'it created itm-12' },
    {
      run: 'proc history resolve h-7k3mqd --not-applied',
      doc: 'nothing happened; the same write can be sent again',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'store', 'self'],
  async plan({ args, flags }, ports) {
    const entry = await findEntry(ports, args.id);
    mustBeOpen(entry);
    const resolution = resolutionFrom(flags, entry) ?? (await asked(entry, ports));
    const shown = (one: Entry): Result => ({
      kind: 'record',
      columns: SHOW_COLUMNS,
      value: wholeRow(one),
    });
    if (resolution === 'undecided') {
      return { would: () => shown(entry), apply: async () => shown(entry) };
    }
    const { adopted } = resolution;
    return {
      would: () => ({
        kind: 'record',
        columns: SHOW_COLUMNS,
        value: {
          ...wholeRow(entry),
          wouldResolve: adopted === undefined ? { notApplied: true } : { adopt: adopted },
        },
      }),
      async apply() {
        const history = await ports.store.open(HISTORY);
        await history.resolve(entry.id, adopted, ports.self.clock.now());
        return shown((await history.get(entry.id))!);
      },
    };
  },
});

/** An outcome that a person recorded can be changed. An outcome from the service cannot. */
function mustBeOpen(entry: Entry): void {
  if (entry.state === 'unknown' || entry.resolvedAt !== undefined) return;
  throw new ProcError(
    'invalid_usage',
    `the outcome of ${entry.id} is known: ${entry.state}; there is nothing to resolve`,
    { hint: 'List writes whose outcome is unknown: proc history list --state unknown' },
  );
}

async function asked(entry: Entry, ports: Ports<'io' | 'ask'>): Promise<Resolution | 'undecided'> {
  if (!ports.io.terminal.interactive) {
    throw new ProcError(
      'confirmation_required',
      `the outcome of ${entry.id} must be given, because there is no terminal to ask on`,
      {
        hint: `Look at the entry: proc history show ${inShell(entry.id)}. Then add --adopt ID or --not-applied`,
      },
    );
  }
  return askResolution(entry, ports);
}
