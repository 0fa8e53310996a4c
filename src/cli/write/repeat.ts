import { ProcError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { inShell } from '../../core/text/typed.ts';
import { ageText } from '../../core/time/age.ts';
import { type Entry, resolveHint } from '../../history/entry.ts';
import type { SentByRun } from '../../import/store/sent-before.ts';

export interface RepeatPorts {
  readonly clock: Clock;
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
}

export interface Repeated {
  readonly at: number;
  readonly isUnknown: boolean;
  /** For messages: the id of the history entry, or the row and its import. */
  readonly name: string;
  readonly created: string | undefined;
  /** A sentence for the hint: what to look at before sending again. */
  readonly firstStep: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function repeatedEntry(earlier: Entry): Repeated {
  const { id, at, state, created } = earlier;
  const isUnknown = state === 'unknown';
  return {
    at,
    isUnknown,
    name: id,
    created,
    firstStep: isUnknown ? resolveHint(earlier) : seeIt(`proc history show ${inShell(id)}`),
    details: { historyId: id, state },
  };
}

/** @param target the flags `-p` and `-e`, as they were typed */
export function repeatedRow(
  { run, row, isUnknown, created, at }: SentByRun,
  target: string,
): Repeated {
  const resolve = `proc imports resolve ${inShell(run)} ${inShell(row)}${target}`;
  return {
    at,
    isUnknown,
    name: `row ${row} of the import ${run}`,
    created,
    firstStep: isUnknown
      ? `Check the service, then run: ${resolve} --adopt ID, --resend or --drop.`
      : seeIt(`proc imports show ${inShell(run)}`),
    details: { run, row, state: isUnknown ? 'unknown' : 'created' },
  };
}

function seeIt(command: string): string {
  return `See it: ${command}.`;
}

/**
 * Before the same create is sent again: asks on a terminal, fails elsewhere. `--yes` does not
 * confirm a repeat, because many scripts add it to every command.
 *
 * @throws ProcError `repeated_write`
 */
export async function confirmRepeat(
  { method, path }: Pick<Entry, 'method' | 'path'>,
  { at, isUnknown, name, created, firstStep, details }: Repeated,
  ports: RepeatPorts,
): Promise<void> {
  if (ports.confirm !== undefined) {
    const age = ageText(ports.clock.now() - at);
    const which = name;
    const question = isUnknown
      ? `The same request was sent ${age}, and its outcome is unknown (${which}). Send it anyway?`
      : `The same request was sent ${age} and created ${created ?? which}. Send it again?`;
    if (await ports.confirm(question)) return;
  }
  const when = new Date(at).toISOString();
  const became = (): string => {
    const which = name;
    if (isUnknown) {
      return `and its outcome is unknown (${which})`;
    }
    if (created === undefined) return `(${which})`;
    return `and created ${created} (${which})`;
  };
  throw new ProcError(
    'repeated_write',
    `the same ${method} ${path} was sent at ${when} ${became()}; nothing was sent now`,
    {
      hint: `${firstStep} To send it anyway, add --again`,
      details: { ...details, at: when, created },
    },
  );
}

/** @param once the key of `--once` */
export function busy(once: string): ProcError {
  return new ProcError(
    'busy',
    `another process is sending the create with the key ${JSON.stringify(once)}; nothing was sent`,
    { hint: 'Run the same command again when it has ended', details: { once } },
  );
}
