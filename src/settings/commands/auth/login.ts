import { command, type LocalPlan } from '../../../core/command.ts';
import { ProcError, withHint } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { Secret } from '../../../core/service/secret.ts';
import type { Credential } from '../../../core/service-target.ts';
import { inShell } from '../../../core/text/typed.ts';
import { fingerprint, SCHEME_NAME } from '../../credential/clean-secret.ts';
import {
  placeOfCommand,
  removeOrWarn,
  STORES,
  storeInKeychain,
} from '../../credential/keychain.ts';
import { messagesFor } from '../../credential/require-terminal.ts';
import { askedApiKey, pipedCredential, SECRET_FLAGS } from '../../credential/secret-input.ts';
import { openSettings } from '../../read/open-settings.ts';
import { checkTransport } from '../../read/resolve-target.ts';
import { type KnownEnvironment, withoutProject } from '../../read/select-target.ts';
import { configPlan } from '../../write/config-plan.ts';
import {
  refuseCommandBeside,
  refuseKeyInKeychain,
  refuseSharedKey,
  storeCredential,
  storeKeyPlace,
} from '../../write/edits.ts';
import { ownEnvironment } from './own-environment.ts';

const nothingToDo: LocalPlan = {
  would: () => ({ kind: 'none' }),
  apply: async () => ({ kind: 'none' }),
};

export const login = command({
  path: ['auth', 'login'],
  changes: 'local',
  prints: 'record',
  shape: ({ z, record }) =>
    record(
      z.looseObject({
        profile: z.string(),
        environment: z.string(),
        origin: z.string(),
        scheme: z.string(),
        fingerprint: z.string(),
        store: z.string(),
      }),
      'Nothing if no key was stored.',
    ),
  summary: 'Store the key of an environment',
  description:
    'Type the key at a hidden prompt or pipe it; it is never a flag. The organization gets its key ' +
    'from the support team. proc stores the key for the current address of the environment and ' +
    'sends it nowhere else.',
  flags: {
    ...SECRET_FLAGS,
    store: {
      kind: 'choice',
      choices: STORES,
      value: 'keyring',
      doc: 'keep the key in this keyring, not in the configuration file; a key that is already stored moves there',
    },
  },
  examples: [
    { run: 'proc auth login -p acme -e staging', doc: 'ask for the key' },
    { run: 'proc auth login -p acme -e staging --api-key-stdin < key.txt', doc: 'from a file' },
    {
      run: 'proc auth login -p acme -e staging --store secret-tool --api-key-stdin < key.txt',
      doc: 'into the keyring of a Linux desktop',
    },
  ],
  exitCodes: [3],
  needs: ['io', 'ask', 'self'],
  async plan({ flags }, ports) {
    const settings = openSettings(ports.self);
    const { sources, selection, known } = ownEnvironment(settings.sources());
    const { profile, environment, url } = known;
    if (known.settings === undefined) {
      throw new ProcError('no_target', 'the built-in sandbox needs no login: its key is public', {
        hint: 'Select a profile with -p, or add one: proc profile add NAME -e ENV --base-url URL',
      });
    }
    const { store } = flags;
    const earlier = placeOfCommand(known.settings.credentialCommand);
    if (store === undefined || earlier === undefined) {
      refuseCommandBeside(known.settings, profile, environment);
    }
    checkTransport(selection);
    const piped = await pipedCredential(ports, flags);
    if (piped !== undefined && !isSame(withoutProject(sources, selection)?.known, known)) {
      const text = `the project file selects ${profile}/${environment}, but proc stores a piped key only for an environment that you select yourself`;
      throw new ProcError('credential_origin', text, {
        hint: `Select it yourself: proc auth login -p ${inShell(profile)} -e ${inShell(environment)} --api-key-stdin`,
      });
    }
    const here = store === undefined ? undefined : keyInFile(known);
    const credential = piped ?? here ?? (await askLogin(ports, known));
    if (credential === undefined) {
      ports.io.say({
        kind: 'notice',
        text: { en: 'Nothing was stored.', es: 'No se guardó nada.' },
      });
      return nothingToDo;
    }
    const { env } = ports.self;
    const place = { profile, environment, origin: url.origin };
    return configPlan(settings, {
      change(draft) {
        if (store === undefined) storeCredential(draft, profile, environment, credential);
        else storeKeyPlace(draft, place, credential);
      },
      async before() {
        await refuseKeyInKeychain(settings.config(), profile, credential, env);
        if (store === undefined) return undefined;
        await storeInKeychain(place, credential, env);
        // If the configuration cannot be saved, the key is removed from the keyring again, unless the
        // previous configuration also reads its key from this place.
        const isNewPlace = earlier?.origin !== place.origin;
        return isNewPlace ? () => removeOrWarn([place], ports) : undefined;
      },
      result: () => ({
        kind: 'record',
        value: {
          profile,
          environment,
          origin: url.origin,
          scheme: credential.scheme,
          fingerprint: fingerprint(credential.secret),
          store: store ?? 'file',
        },
        idField: 'profile',
      }),
      async done() {
        const scheme = SCHEME_NAME[credential.scheme];
        const done =
          store === undefined
            ? `${scheme} stored for ${profile}/${environment}.`
            : `${scheme} stored in the keyring for ${profile}/${environment}${known.settings?.credential === undefined ? '' : ', and removed from the configuration file'}.`;
        const check = `proc auth status -p ${inShell(profile)} -e ${inShell(environment)}`;
        ports.io.say({ kind: 'notice', text: `${done} To check it, run: ${check}` });
        const isMoved = earlier !== undefined && earlier.origin !== place.origin;
        if (isMoved) await removeOrWarn([earlier], ports);
      },
    });
  },
});

function keyInFile({ settings, url }: KnownEnvironment): Credential | undefined {
  const stored = settings?.credential;
  if (stored === undefined || stored.origin !== url.origin) return undefined;
  return { scheme: stored.scheme, secret: new Secret(stored.secret) };
}

function isSame(one: KnownEnvironment | undefined, other: KnownEnvironment): boolean {
  return one?.profile === other.profile && one.environment === other.environment;
}

async function askLogin(ports: Ports<'io' | 'ask' | 'self'>, known: KnownEnvironment) {
  const { auth } = await messagesFor(ports);
  const name = `${known.profile}/${known.environment}`;
  for (;;) {
    const credential = await askedApiKey(ports, auth.key(name, known.url.origin));
    if (credential === undefined) return undefined;
    // Reported, not thrown, so that the person can type another key.
    try {
      refuseSharedKey(openSettings(ports.self).config(), known.profile, credential);
      return credential;
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      ports.io.say({ kind: 'warning', text: withHint(thrown) });
    }
  }
}
