import type { FlagSpecs, FlagValues } from '../../core/command-spec.ts';
import type { Ports } from '../../core/ports.ts';
import { momentText, parseMoment } from '../../core/time/moment.ts';
import { STATES } from '../entry.ts';
import type { EntryFilter } from '../filter.ts';
import { knownNoun } from '../nouns.ts';

export const ENTRY_FLAGS = {
  noun: { kind: 'string', value: 'noun', doc: 'only this kind, e.g. requisition' },
  since: {
    kind: 'string',
    value: 'when',
    doc: 'only entries since then: 30d, 12h or a date',
  },
  state: { kind: 'choice', choices: STATES, value: 'state', doc: 'only entries in this state' },
} as const satisfies FlagSpecs;

/** Also prints the time that `--since` means, with its time zone. */
export function entryFilter(
  flags: FlagValues<typeof ENTRY_FLAGS>,
  ports: Ports<'io' | 'self'>,
): EntryFilter {
  const { clock, flags: globals } = ports.self;
  const since =
    flags.since === undefined ? undefined : parseMoment(flags.since, '--since', clock.now());
  if (since !== undefined) ports.io.say({ kind: 'notice', text: `Since ${momentText(since)}.` });
  return {
    noun: flags.noun === undefined ? undefined : knownNoun(flags.noun),
    since,
    state: flags.state,
    profile: globals.profile,
    environment: globals.env,
    organization: globals.organization,
  };
}
