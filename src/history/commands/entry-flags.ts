import type { FlagSpecs, FlagValues } from '../../core/command-spec.ts';
import { nounOf } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { nearest } from '../../core/text/nearest.ts';
import { momentText, parseMoment } from '../../core/time/moment.ts';
import { ENDPOINTS } from '../../nouns/endpoints.ts';
import { STATES } from '../entry.ts';
import type { EntryFilter } from '../store.ts';

export const ENTRY = {
  id: { doc: 'id of the entry, e.g. h-7k3mqd; or "last"', from: 'proc history list' },
} as const;

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

function singular(noun: string): string {
  return noun.replace(/(?<=ss)es$|s$/, '');
}
