import { ProcError } from '../core/errors.ts';
import type { Lang } from '../core/phrase.ts';
import type { Clock } from '../core/ports.ts';
import type { Entry } from '../history/entry.ts';
import { wayOut } from '../history/resolution.ts';
import { ageText, guardMessages } from '../messages/guard.ts';

export interface RepeatPorts {
  readonly clock: Clock;
  lang(): Promise<Lang>;
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
}

/**
 * A create that history shows already: asked on a terminal, refused elsewhere. `--yes` is no answer
 * to it, as scripts give that to everything; `--again` is.
 *
 * @throws ProcError `repeated_write`
 */
export async function confirmRepeat(earlier: Entry, ports: RepeatPorts): Promise<void> {
  if (ports.confirm !== undefined) {
    const words = guardMessages[await ports.lang()];
    const age = ageText(ports.clock.now() - earlier.at, words);
    const question =
      earlier.state === 'unknown'
        ? words.repeat.unknown(age, earlier.id)
        : words.repeat.created(age, createdBy(earlier));
    if (await ports.confirm(question)) return;
  }
  const when = new Date(earlier.at).toISOString();
  const became =
    earlier.state === 'unknown'
      ? `its outcome is not known (${earlier.id}, unknown)`
      : `created ${createdBy(earlier)} (${earlier.id}, ${earlier.state})`;
  const first =
    earlier.state === 'unknown' ? wayOut(earlier) : `See it: proc history show ${earlier.id}.`;
  throw new ProcError(
    'repeated_write',
    `the same ${earlier.method} ${earlier.path} was sent at ${when}, and ${became}; nothing was sent now`,
    {
      hint: `${first} To send it again all the same, add --again`,
      details: { historyId: earlier.id, state: earlier.state, at: when, created: earlier.created },
    },
  );
}

function createdBy(entry: Entry): string {
  return entry.created ?? entry.id;
}
