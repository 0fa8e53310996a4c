import {
  DEFAULT_DIALECT,
  type DialectSettings,
  dialectFor,
  parseDialect,
} from '../client/dialect.ts';
import { ProcError } from '../core/errors.ts';
import type { Env, Say } from '../core/ports.ts';
import { isOn } from '../core/process/is-on.ts';
import type { Credential, KeyedTarget } from '../core/service-target.ts';
import { inShell } from '../core/text/typed.ts';
import { readTimeLimit } from '../core/time/duration.ts';
import { show } from '../core/validate.ts';
import { authoritiesOf } from './certificate-setting.ts';
import { fingerprint } from './clean-secret.ts';
import { readConfig } from './config-file.ts';
import { type FoundCredential, findCredential, revealCredential } from './credential.ts';
import { configFile } from './paths.ts';
import type { Sourced } from './select-target.ts';
import {
  describes,
  type Selection,
  type Sources,
  select,
  type TargetFlags,
} from './select-target.ts';

export interface ResolveInput {
  readonly flags: TargetFlags;
  readonly env: Env;
  /** If false, a missing credential is not an error, and no `credentialCommand` runs. */
  readonly needCredential: boolean;
  /** Warns if a key from a variable overrides a stored key. */
  readonly say?: Say | undefined;
}

/**
 * Decides where requests go: profile, environment, base URL, credential and dialect. docs/profiles.md
 * describes the precedence.
 *
 * @throws ProcError
 */
export async function resolveTarget(input: ResolveInput): Promise<KeyedTarget> {
  const sources = readSources(input);
  const selection = select(sources);
  checkTransport(selection);
  const dialect = dialectOf(sources.env, selection);
  const { credential, credentialProfile } = await credentialOf(sources, selection, input);
  const { known, url } = selection;
  return {
    profile: selection.profile?.value,
    environment: selection.environment?.value,
    baseUrl: selection.url.value.href,
    key: credential === undefined ? undefined : keyOf(credential),
    credential,
    credentialProfile,
    isOtherAddress: known !== undefined && known.url.origin !== url.value.origin,
    readOnly: readOnlyOf(sources, selection),
    isProtected: marksOf(selection)?.protected ?? !url.value.isLoopback,
    allowHttp: marksOf(selection)?.allowHttp === true,
    settleMs: settleOf(sources.env, selection),
    concurrency: concurrencyOf(sources.env, selection),
    patienceMs: timeIn(sources.env, 'PROC_PATIENCE'),
    authorities: authoritiesOf(sources.env, selection),
    dialect: (noun) => dialectFor(dialect, noun),
  };
}

/** Computed on use, because only a few commands show the fingerprint. */
function keyOf({ scheme, secret }: Credential): NonNullable<KeyedTarget['key']> {
  return {
    scheme,
    get fingerprint() {
      return fingerprint(secret);
    },
  };
}

/** Needs no key. If no target can be selected, nothing can be sent anyway. */
export function readOnlyTarget(input: Pick<ResolveInput, 'flags' | 'env'>) {
  try {
    const sources = readSources(input);
    const selection = select(sources);
    const { profile, environment } = selection;
    return {
      readOnly: readOnlyOf(sources, selection),
      profile: profile?.value,
      environment: environment?.value,
    };
  } catch (thrown) {
    if (thrown instanceof ProcError) return { readOnly: undefined };
    throw thrown;
  }
}

/** The setting holds for every address to which its environment is sent. */
export function readOnlyOf(
  { env }: Pick<Sources, 'env'>,
  { known }: Selection,
): KeyedTarget['readOnly'] {
  if (isOn(env.PROC_READ_ONLY)) return 'PROC_READ_ONLY';
  return known?.settings.readOnly === true ? 'setting' : undefined;
}

export function readSources({ flags, env }: Pick<ResolveInput, 'flags' | 'env'>): Sources {
  return { flags, env, config: readConfig(env) };
}

async function credentialOf(
  sources: Sources,
  selection: Selection,
  { needCredential, say }: ResolveInput,
): Promise<Pick<KeyedTarget, 'credential' | 'credentialProfile'>> {
  if (needCredential) {
    const found = findCredential(sources, selection);
    const credential = await revealCredential(found.value, sources.env);
    const credentialProfile = profileOf(found, credential, selection);
    const stored = marksOf(selection)?.credential;
    if (stored !== undefined && stored.secret !== credential.secret.reveal()) {
      const text = `using ${found.place} instead of the key stored for ${placeOf(selection)}`;
      say?.({ kind: 'warning', text });
    }
    return { credential, credentialProfile };
  }
  try {
    const found = findCredential(sources, selection);
    // A `credentialCommand` does not run here, because it may ask for a passphrase.
    const credential = found.value.kind === 'secret' ? found.value.credential : undefined;
    return { credential, credentialProfile: profileOf(found, credential, selection) };
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return { credential: undefined, credentialProfile: undefined };
  }
}

/**
 * The profile that the key belongs to. A key from a variable belongs to the selected profile only if
 * the selected environment stores the same key.
 */
function profileOf(
  found: Sourced<FoundCredential>,
  credential: Credential | undefined,
  { known, url }: Selection,
): string | undefined {
  if (known === undefined || !describes(known, url.value)) return undefined;
  const stored = known.settings.credential?.secret;
  const isStored = credential !== undefined && credential.secret.reveal() === stored;
  return isStored || found.origin !== 'variable' ? known.profile : undefined;
}

/** Plain http exposes the key on the network. It is allowed for loopback, or with `allowHttp`. */
export function checkTransport(selection: Selection): void {
  const url = selection.url.value;
  if (!url.isPlainHttp || url.isLoopback || marksOf(selection)?.allowHttp === true) return;
  const known = selection.known;
  throw new ProcError(
    'insecure_url',
    `plain http to ${url.origin} would send the key unencrypted`,
    {
      hint:
        known === undefined || !describes(known, url)
          ? 'Use https, or add a profile for this address and allow http: proc profile set NAME -e ENV allowHttp=true'
          : `Use https, or allow http: proc profile set ${inShell(known.profile)} -e ${inShell(known.environment)} allowHttp=true`,
    },
  );
}

/** @throws ProcError `config_unreadable`, `invalid_setting` */
export function settleOf(env: Env, selection: Selection): number | undefined {
  const given = timeIn(env, 'PROC_SETTLE');
  const text = marksOf(selection)?.settle;
  if (given !== undefined || text === undefined) return given;
  const ms = readTimeLimit(text);
  if (ms !== undefined) return ms;
  throw new ProcError(
    'config_unreadable',
    `${configFile(env)}: settle of ${placeOf(selection)} must be a time, got ${show(text)}`,
    { hint: 'Set it again, e.g.: proc profile set NAME -e ENV settle=5s' },
  );
}

/** @throws ProcError `invalid_setting` */
function timeIn(env: Env, variable: string): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const ms = readTimeLimit(text);
  if (ms !== undefined) return ms;
  throw new ProcError('invalid_setting', `${variable} must be a time, got ${show(text)}`, {
    hint: `Use e.g. ${variable}=30s`,
  });
}

/** @throws ProcError `invalid_setting` */
function concurrencyOf(env: Env, selection: Selection): number | undefined {
  const text = env.PROC_CONCURRENCY;
  if (text === undefined || text === '') return marksOf(selection)?.concurrency;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 256) return count;
  throw new ProcError(
    'invalid_setting',
    `PROC_CONCURRENCY must be a number from 1 to 256, got ${show(text)}`,
  );
}

/** `PROC_LIST_NAMES` replaces all list names of the environment. */
export function dialectOf(
  { PROC_LIST_NAMES: variable, ...env }: Env,
  selection: Selection,
): DialectSettings & { readonly text: string } {
  const text = variable || selection.known?.settings.listNames;
  if (!text) return { all: DEFAULT_DIALECT, byNoun: {}, text: '' };
  const where = variable
    ? 'PROC_LIST_NAMES'
    : `${configFile(env)}: listNames of ${placeOf(selection)}`;
  return { ...parseDialect(text, where), text };
}

/** The settings of the environment. Undefined if `PROC_BASE_URL` has another origin. */
export function marksOf({ known, url }: Selection) {
  return known !== undefined && describes(known, url.value) ? known.settings : undefined;
}

export function placeOf({ known }: Selection): string {
  return known === undefined ? '' : `${known.profile}/${known.environment}`;
}
