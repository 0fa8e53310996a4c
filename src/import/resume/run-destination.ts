import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { placeName } from '../../core/service-target.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import type { RunHeader } from '../store/facts.ts';
import type { Run } from '../store/run-file.ts';

const VERBS = { resume: 'Resume', resolve: 'Resolve', send: 'Send' } as const;

/**
 * @throws ProcError `invalid_usage` if the run belongs to another service, profile, environment or
 *   organization than the command
 */
export async function checkDestination(
  run: Pick<Run, 'header' | 'get'>,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  verb: 'resume' | 'resolve' | 'send' = 'resume',
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
        text: `▸ ${placeName(target, await ports.io.lang())}`,
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
