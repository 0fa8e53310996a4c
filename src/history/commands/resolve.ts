import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { type Entry, resolveHint, subjectOf } from '../entry.ts';
import { SHOW_COLUMNS, wholeRow } from '../entry-rows.ts';
import { historyOf } from '../history.ts';
import { ENTRY, findEntry } from './entry-flags.ts';

export const resolve = command({
  path: ['history', 'resolve'],
  changes: 'local',
  prints: 'record',
  summary: 'Record the outcome of an unconfirmed write',
  description:
    'Check the service first. --adopt records the id of the record that was created, changed or deleted; --drop records that nothing happened. Without either, proc asks on a terminal. Sends no request.',
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
  needs: ['io', 'ask', 'store', 'self'],
  async run({ args, flags }, ports) {
    const entry = await findEntry(ports, args.id);
    mustBeOpen(entry);
    const given = resolutionFrom(flags, entry);
    const resolution = given ?? (await asked(entry, ports));
    const shown = (one: Entry): Result => ({
      kind: 'record',
      columns: SHOW_COLUMNS,
      value: wholeRow(one),
    });
    if (resolution === 'undecided') return { kind: 'none' };
    const { adopted } = resolution;
    const history = await historyOf(ports);
    await history.resolve(entry.id, adopted, ports.self.clock.now());
    const resolved = shown((await history.get(entry.id))!);
    if (given !== undefined) return resolved;
    ports.io.say({ kind: 'notice', tone: 'done', text: recorded(entry.id, adopted) });
    return { ...resolved, isSaid: true };
  },
});

/** An outcome that a person recorded can be changed. An outcome from the service cannot. */
function mustBeOpen(entry: Entry): void {
  if (entry.state === 'unknown' || entry.resolvedAt !== undefined) return;
  throw new ProcError(
    'invalid_usage',
    `the outcome of ${entry.id} is known: ${entry.state}; there is nothing to resolve`,
    { hint: 'List writes whose outcome is unknown: proc history list --open' },
  );
}

async function asked(entry: Entry, ports: Ports<'io' | 'ask'>): Promise<Resolution | 'undecided'> {
  if (!ports.io.terminal.interactive) {
    throw new ProcError(
      'confirmation_required',
      `the outcome of ${entry.id} must be given, because there is no terminal to ask on`,
      {
        hint: `Look at the entry: proc history show ${inShell(entry.id)}. Then add --adopt ID or --drop`,
      },
    );
  }
  return askResolution(entry, ports);
}

export interface Resolution {
  /** The adopted id; undefined if the write was not applied. */
  readonly adopted: string | undefined;
}

/**
 * Undefined if the flags give no resolution.
 *
 * @throws ProcError `invalid_usage`
 */
function resolutionFrom(
  flags: { readonly adopt: string | undefined; readonly drop: boolean },
  entry: Entry,
): Resolution | undefined {
  const { adopt, drop } = flags;
  if (adopt === undefined) return drop ? { adopted: undefined } : undefined;
  if (drop) {
    throw new ProcError('invalid_usage', 'use either --adopt or --drop, not both', {
      hint: resolveHint(entry),
    });
  }
  if (adopt.trim() === '') {
    throw new ProcError('invalid_usage', '--adopt is empty, expected an id', {
      hint: resolveHint(entry),
    });
  }
  const subject = subjectOf(entry);
  if (subject !== undefined && subject !== adopt) {
    throw new ProcError(
      'invalid_usage',
      `--adopt ${adopt}: ${entry.id} is about ${subject} (${entry.method} ${entry.path})`,
      { hint: resolveHint(entry) },
    );
  }
  return { adopted: adopt };
}

/** After the questions; whoever gave flags gets the entry. */
function recorded(id: string, adopted: string | undefined): string {
  return adopted === undefined
    ? `Recorded: ${id} was not applied`
    : `Recorded: ${id} is ${adopted}`;
}

async function askResolution(
  entry: Entry,
  ports: Ports<'io' | 'ask'>,
): Promise<Resolution | 'undecided'> {
  const at = new Date(entry.at).toISOString();
  const known = [
    `${entry.id}  ${at}  ${entry.what}`,
    `${entry.method} ${entry.baseUrl}${entry.path}`,
    ...(entry.payload === undefined ? [] : [JSON.stringify(entry.payload, undefined, 2)]),
    ...(entry.message === undefined ? [] : [entry.message]),
  ];
  ports.io.say({ kind: 'notice', text: known.join('\n') });
  const prompts = ports.ask;
  const answer = await prompts.select(`What was the outcome of ${entry.id}?`, [
    { name: 'It was applied', value: 'applied' as const },
    { name: 'It was not applied', value: 'not-applied' as const },
    { name: 'I do not know yet', value: 'undecided' as const },
  ]);
  if (answer === 'undecided') return answer;
  if (answer === 'not-applied') return { adopted: undefined };
  const subject = subjectOf(entry);
  if (subject !== undefined) return { adopted: subject };
  const id = await prompts.input('Id of the created record', {
    validate: (typed) => (typed.trim() === '' ? 'Enter an id.' : undefined),
  });
  return { adopted: id.trim() };
}
