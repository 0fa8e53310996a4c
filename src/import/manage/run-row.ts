import type { Ports, SelfPort } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { readConfig } from '../../settings/read/config-file.ts';
import {
  environmentNames,
  environmentNotFound,
  hasProfile,
  profileNotFound,
} from '../../settings/read/lookup.ts';
import { processesIn } from '../import-lock.ts';
import { countedRecord, repairedIn } from '../report/import-summary.ts';
import { nextCommand } from '../report/next-steps.ts';
import { type RunState, type Summary, summary } from '../store/run-summary.ts';
import { importsFolder } from '../store/runs.ts';

/**
 * Refuses an unknown `--profile`, and an unknown `--env` of that profile. For commands that contact
 * no service.
 *
 * @throws ProcError `profile_not_found`, `environment_not_found`
 */
export function checkProfile({ flags, env }: Pick<SelfPort, 'flags' | 'env'>): void {
  const name = flags.profile;
  if (name === undefined) return;
  const config = readConfig(env);
  if (!hasProfile(config, name)) throw profileNotFound(config, name, '--profile');
  const environment = flags.env;
  if (environment === undefined || environmentNames(config, name).includes(environment)) return;
  throw environmentNotFound(config, name, environment, '--env');
}

/** The summaries of runs on which other processes may be working. */
export async function summariesNow({ self }: Ports<'self'>): Promise<(state: RunState) => Summary> {
  const processOf = await processesIn(importsFolder(self));
  return (state) => summary(state, processOf(state.header));
}

export function runRow(now: Summary, ports: Ports<'io' | 'self'>): Row {
  const { run, noun, source, profile, environment, baseUrl, organization, startedAt, writer } =
    now.header;
  const { running } = now;
  // While a process is working on the run, no other command can resume or resolve it.
  const next =
    now.left === 'nothing' || running !== undefined || now.isElsewhere
      ? undefined
      : [{ command: nextCommand(now, ports), why: WHY[now.left] }];
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
    ...(writer === undefined
      ? {}
      : { user: writer.user, host: writer.host, job: writer.job ?? null }),
    ...countedRecord(now.header),
    ...now.counts,
    ...repairedIn(now),
    ...(running === undefined ? {} : { process: running.pid, runningSince: running.since }),
    ...(next === undefined ? {} : { next }),
  };
}

const WHY = {
  send: 'Send the rows as they were planned',
  resume: 'Send or look up the remaining rows',
  resolve: 'Check the service, then record what happened to the unconfirmed rows',
} as const;

const STATES = {
  send: 'staged',
  resume: 'unfinished',
  resolve: 'unconfirmed',
  nothing: 'finished',
} as const;
