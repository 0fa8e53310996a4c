import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import type { RunState } from '../ledger/run-state.ts';
import { summary } from '../ledger/run-summary.ts';
import { repairedIn } from '../report/import-summary.ts';
import { nextCommand } from '../report/next-command.ts';

/** A run as lists show it. */
export function runRow(state: RunState, ports: Ports<'io' | 'self'>): Row {
  const { run, noun, source, profile, environment, baseUrl, organization, startedAt } =
    state.header;
  const now = summary(state);
  return {
    run,
    state: STATES[now.left],
    noun,
    source: source.name,
    profile: profile ?? null,
    environment: environment ?? null,
    baseUrl,
    organization: organization ?? null,
    startedAt,
    ...now.counts,
    ...repairedIn(now),
    ...(now.left === 'nothing' ? {} : { next: nextCommand(now, ports) }),
  };
}

/** The state of a run, by the step that is left. */
const STATES = {
  send: 'staged',
  resume: 'unfinished',
  resolve: 'unconfirmed',
  nothing: 'finished',
} as const;
