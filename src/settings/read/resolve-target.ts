import {
  DEFAULT_DIALECT,
  type DialectSettings,
  dialectFor,
  parseDialect,
} from '../../client/dialect.ts';
import { ProcError } from '../../core/errors.ts';
import type { Env, Say } from '../../core/ports.ts';
import type { Credential, KeyedTarget } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import { fingerprint } from '../credential/clean-secret.ts';
import {
  type FoundCredential,
  findCredential,
  revealCredential,
} from '../credential/credential.ts';
import { SANDBOX_KEY } from './built-in.ts';
import { readConfig } from './file.ts';
import { configFile } from './paths.ts';
import { findProjectFile } from './project-file.ts';
import { describes, type Selection, type Sources, select, wantedProfile } from './select-target.ts';
import { type Sourced, sourced } from './setting-origin.ts';

export interface ResolveInput {
  readonly flags: { readonly profile?: string | undefined; readonly env?: string | undefined };
  readonly env: Env;
  /** Where the search for `.proc.json` begins. */
  readonly cwd: string;
  /** False: nothing will be sent (`--dry-run`, `--curl`), so a missing credential is no error. */
  readonly needCredential: boolean;
  /** Told when a key from the environment takes the place of a stored one. */
  readonly say?: Say | undefined;
}

/**
 * Where requests go: profile, environment, base URL, credential, dialect, with the precedence and
 * the rules that docs/profiles.md describes.
 *
 * @throws ProcError of exit code 3
 */
export async function resolveTarget(input: ResolveInput): Promise<KeyedTarget> {
  const sources = readSources(input);
  const selection = select(sources);
  checkTransport(selection);
  const dialect = dialectOf(sources.env, selection).value;
  const { credential, credentialProfile } = await credentialOf(sources, selection, input);
  const { known, url } = selection;
  return {
    profile: selection.profile?.value,
    environment: selection.environment?.value,
    baseUrl: selection.url.value.href,
    key:
      credential === undefined
        ? undefined
        : { scheme: credential.scheme, fingerprint: fingerprint(credential.secret) },
    credential,
    credentialProfile,
    isProjectChoice: isProjectChoice(sources, selection),
    isOtherAddress: known !== undefined && known.url.origin !== url.value.origin,
    isProtected: isProtected(selection).value,
    allowHttp: allowHttp(selection).value,
    dialect: (noun) => dialectFor(dialect, noun),
  };
}

/** What the files say; `readConfig` and the project file each throw with their own place. */
export function readSources({
  flags,
  env,
  cwd,
}: Pick<ResolveInput, 'flags' | 'env' | 'cwd'>): Sources {
  return { flags, env, project: findProjectFile(cwd, env), config: readConfig(env) };
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
      const text = `${found.place} is used, not the key stored for ${placeOf(selection)}`;
      say?.({ kind: 'warning', text });
    }
    return { credential, credentialProfile };
  }
  try {
    const found = findCredential(sources, selection);
    // A command may ask for a passphrase; not for nothing.
    const credential = found.value.kind === 'secret' ? found.value.credential : undefined;
    return { credential, credentialProfile: profileOf(found, credential, selection) };
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return { credential: undefined, credentialProfile: undefined };
  }
}

/** A key from the environment is the profile's own if it is the one that is stored there. */
function profileOf(
  found: Sourced<FoundCredential>,
  credential: Credential | undefined,
  { known, url }: Selection,
): string | undefined {
  if (known === undefined || !describes(known, url.value)) return undefined;
  const stored = known.settings === undefined ? SANDBOX_KEY : known.settings.credential?.secret;
  const isStored = credential !== undefined && credential.secret.reveal() === stored;
  return isStored || found.origin !== 'variable' ? known.profile : undefined;
}

/** Without the project file the user's own flags, variables and settings lead elsewhere. */
function isProjectChoice(sources: Sources, { profile }: Selection): boolean {
  return (
    profile?.origin === 'project' &&
    wantedProfile({ ...sources, project: undefined }).value.normalize('NFC') !== profile.value
  );
}

/** Plain http would show the key to the network: only loopback, or where it was allowed by name. */
export function checkTransport(selection: Selection): void {
  const url = selection.url.value;
  if (!url.isPlainHttp || url.isLoopback || allowHttp(selection).value) return;
  const known = selection.known;
  throw new ProcError(
    'insecure_url',
    `Plain http to ${url.origin} would send the key unencrypted`,
    {
      hint:
        known?.settings === undefined || !describes(known, url)
          ? 'Use https; or add a profile for this address and allow it there: proc profile set NAME -e ENV allowHttp=true'
          : `Use https, or allow it: proc profile set ${inShell(known.profile)} -e ${inShell(known.environment)} allowHttp=true`,
    },
  );
}

/** Every environment that is not on loopback, unless it was marked otherwise for this origin. */
export function isProtected(selection: Selection): Sourced<boolean> {
  const mark = marksOf(selection)?.protected;
  if (mark !== undefined) return sourced(mark, 'profile', placeOf(selection));
  return sourced(!selection.url.value.isLoopback, 'default');
}

export function allowHttp(selection: Selection): Sourced<boolean> {
  const mark = marksOf(selection)?.allowHttp;
  return mark === undefined
    ? sourced(false, 'default')
    : sourced(mark, 'profile', placeOf(selection));
}

/** `PROC_DIALECT` stands for the whole dialect, not for single words of it. */
export function dialectOf(
  env: Env,
  selection: Selection,
): Sourced<DialectSettings & { text: string }> {
  const variable = env.PROC_DIALECT;
  if (variable !== undefined && variable !== '') {
    const parsed = { ...parseDialect(variable, 'PROC_DIALECT'), text: variable };
    return sourced(parsed, 'variable', 'PROC_DIALECT');
  }
  const text = selection.known?.settings?.dialect;
  if (text !== undefined && text !== '') {
    const place = placeOf(selection);
    const where = `${configFile(env)}: dialect of ${place}`;
    return sourced({ ...parseDialect(text, where), text }, 'profile', place);
  }
  return sourced({ all: DEFAULT_DIALECT, byNoun: {}, text: '' }, 'default');
}

/** Marks were made for one address: they say nothing of another one in `PROC_BASE_URL`. */
function marksOf({ known, url }: Selection) {
  return known !== undefined && describes(known, url.value) ? known.settings : undefined;
}

function placeOf({ known }: Selection): string {
  return known === undefined ? '' : `${known.profile}/${known.environment}`;
}
