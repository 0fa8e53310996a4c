import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { placeName } from '../../core/service-target.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import { hasEnded, isSent } from '../phases.ts';
import { placeWords, runCommand } from '../report/old-next-steps.ts';
import type { RunHeader } from '../store/facts.ts';
import { damaged } from '../store/ledger-failure.ts';
import type { Run } from '../store/run-file.ts';
import { summary } from '../store/run-summary.ts';
import { eachRun, findRun, headerOfRun, importsFolder, runPath } from '../store/runs.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import type { NamedRun } from '../with-run.ts';

export interface TargetedRun extends NamedRun {
  readonly target: ImportTarget;
}

/**
 * The run that a command means. Reads nothing that can change.
 *
 * @param typed name of the run; undefined for the only unfinished run
 * @throws ProcError `reference_not_found`, `ambiguous_reference`, `invalid_usage`
 */
export async function whichRun(
  targets: readonly ImportTarget[],
  typed: string | undefined,
  { self }: Ports<'self'>,
): Promise<TargetedRun> {
  const folder = importsFolder(self);
  const run =
    typed === undefined ? await onlyUnfinished(folder, self.typed) : await findRun(folder, typed);
  const path = runPath(folder, run);
  const header = await headerOfRun(folder, run);
  if (header === undefined) throw damaged(path);
  const target = targets.find(({ noun }) => noun === header.noun);
  if (target !== undefined) return { folder, path, header, target };
  throw new ProcError(
    'invalid_usage',
    `${run} imports ${header.noun}, which this version of proc does not support`,
  );
}

async function onlyUnfinished(folder: string, typed: readonly string[]): Promise<string> {
  const runs = await eachRun(folder, (run) => {
    const { phase, header } = run;
    if (!isSent(phase)) return undefined;
    return { header, left: hasEnded(phase) ? summary(run).left : 'unfinished' };
  });
  const those = (left: (typeof runs)[number]['left']) =>
    runs.flatMap((run) => (run.left === left ? run.header : []));
  const unconfirmed = those('resolve');
  const unfinished = those('unfinished');
  const resumable = unfinished.length > 0 ? unfinished : those('resume');
  const found = resumable.length > 0 ? resumable : unconfirmed.length === 1 ? unconfirmed : [];
  if (found.length === 1) return found[0]!.run;
  if (found.length === 0 && unconfirmed.length > 0) throw onlyUnconfirmed(unconfirmed);
  throw found.length === 0
    ? new ProcError('reference_not_found', 'there is no unfinished import', {
        hint: 'List all runs: proc imports list',
      })
    : new ProcError('ambiguous_reference', `there are ${found.length} unfinished imports`, {
        hint: `Name one: ${resumeAgain(typed, found.at(-1)!)}`,
        details: { candidates: found.map(({ run }) => run) },
      });
}

/** Adds the name and the profile of the run to the typed command. */
function resumeAgain(typed: readonly string[], header: RunHeader): string {
  const [place, without] = placeWords(header);
  return typedAgain(typed, [header.run, ...place], without);
}

function onlyUnconfirmed(runs: readonly RunHeader[]): ProcError {
  return new ProcError(
    'ambiguous_reference',
    `there is no unfinished import, but ${runs.length} imports have unconfirmed rows`,
    {
      hint: `Check the service, then record the outcome: ${runCommand('resolve', runs.at(-1)!)}`,
      details: { candidates: runs.map(({ run }) => run) },
    },
  );
}

/** @throws ProcError `invalid_usage` */
export function refuseUnsent({ header: { run, source }, isSent }: Run): void {
  if (isSent) return;
  throw new ProcError('invalid_usage', `${run} has sent nothing`, {
    hint: `Import its file again: ${inShell(source.name)}`,
    details: { run },
  });
}

const VERBS = { resume: 'Resume', resolve: 'Resolve' } as const;

/**
 * @throws ProcError `invalid_usage` if the run belongs to another service, profile, environment or
 *   organization than the command
 */
export async function checkDestination(
  run: Pick<Run, 'header' | 'get'>,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  verb: 'resume' | 'resolve' = 'resume',
): Promise<void> {
  const { run: name, profile, environment, baseUrl, organization } = run.header;
  const target = await ports.api.target();
  const scope = await ports.store.scope();
  const ownership = scope.ownershipOf(run.header);
  const isNamed = target.profile === profile && target.environment === environment;
  // A run without a profile is tied only to an address. A profile with the same address may
  // continue the run.
  const isThere = ownership !== 'elsewhere' && (isNamed || profile === undefined);
  if (isThere && ownership === 'foreign') {
    const again = typedAgain(ports.self.typed, ['--organization', organization!]);
    throw new ProcError(
      'invalid_usage',
      `${name} imports into the organization ${organization}, but the key belongs to ${scope.organization}`,
      {
        hint: `Use the key of ${organization}. If this is a new key of ${organization}, run: ${again}`,
      },
    );
  }
  if (isThere) {
    if (target.isProtected) {
      ports.io.say({
        kind: 'notice',
        tone: 'protected',
        text: `▸ ${placeName(target)}`,
      });
    }
    return;
  }
  const flags = `${profile === undefined ? '' : ` -p ${inShell(profile)}`}${environment === undefined ? '' : ` -e ${inShell(environment)}`}`;
  const needsUrl = isNamed || profile === undefined;
  throw new ProcError(
    'invalid_usage',
    isNamed
      ? `${name} imports into ${baseUrl}, not into ${target.baseUrl}`
      : `${name} imports into ${placeOf(run.header)}, not into ${placeOf(target)}`,
    {
      hint: `${VERBS[verb]} it there: ${needsUrl ? `PROC_BASE_URL=${inShell(baseUrl)} ` : ''}proc imports ${verb} ${inShell(name)}${needsUrl ? '' : flags}`,
    },
  );
}

/** `acme/production (https://procurement.example.com/api/v1)` */
function placeOf({
  profile,
  environment,
  baseUrl,
}: Pick<RunHeader, 'profile' | 'environment' | 'baseUrl'>): string {
  if (profile === undefined) return baseUrl;
  return `${profile}${environment === undefined ? '' : `/${environment}`} (${baseUrl})`;
}
