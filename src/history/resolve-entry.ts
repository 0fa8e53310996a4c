import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { historyMessages } from '../messages/history.ts';
import { type Entry, resolveHint, subjectOf } from './entry.ts';

export interface Resolution {
  /** The adopted id; undefined if the write was not applied. */
  readonly adopted: string | undefined;
}

/**
 * Undefined if the flags give no resolution.
 *
 * @throws ProcError `invalid_usage`
 */
export function resolutionFrom(
  flags: { readonly adopt: string | undefined; readonly notApplied: boolean },
  entry: Entry,
): Resolution | undefined {
  const { adopt, notApplied } = flags;
  if (adopt === undefined) return notApplied ? { adopted: undefined } : undefined;
  if (notApplied) {
    throw new ProcError('invalid_usage', 'use either --adopt or --not-applied, not both', {
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

export async function askResolution(
  entry: Entry,
  ports: Ports<'io' | 'ask'>,
): Promise<Resolution | 'undecided'> {
  const words = historyMessages[await ports.io.lang()].resolve;
  const known = [
    `${entry.id}  ${new Date(entry.at).toISOString()}`,
    `${entry.method} ${entry.baseUrl}${entry.path}`,
    ...(entry.payload === undefined ? [] : [JSON.stringify(entry.payload, undefined, 2)]),
    ...(entry.message === undefined ? [] : [entry.message]),
  ];
  ports.io.say({ kind: 'notice', text: known.join('\n') });
  const prompts = ports.ask;
  const answer = await prompts.select(words.question(entry.what), [
    { name: words.applied, value: 'applied' as const },
    { name: words.notApplied, value: 'not-applied' as const },
    { name: words.undecided, value: 'undecided' as const },
  ]);
  if (answer === 'undecided') return answer;
  if (answer === 'not-applied') return { adopted: undefined };
  const subject = subjectOf(entry);
  if (subject !== undefined) return { adopted: subject };
  const id = await prompts.input(words.id, {
    validate: (typed) => (typed.trim() === '' ? words.idNeeded : undefined),
  });
  return { adopted: id.trim() };
}
