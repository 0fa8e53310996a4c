import { command } from '../../../core/command.ts';
import { ProcError, withHint } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { inShell } from '../../../core/text/typed.ts';
import { fingerprint, SCHEME_NAME } from '../../clean-secret.ts';
import { refuseCommandBeside, refuseSharedKey, storeCredential } from '../../edits.ts';
import { changeConfig, openSettings } from '../../open-settings.ts';
import { checkTransport } from '../../resolve-target.ts';
import { askedApiKey, pipedCredential, SECRET_FLAGS } from '../../secret-input.ts';
import type { KnownEnvironment } from '../../select-target.ts';
import { ownEnvironment } from './own-environment.ts';

export const login = command({
  path: ['auth', 'login'],
  changes: 'local',
  prints: 'record',
  summary: 'Store the key of an environment',
  description:
    'Type the key at a hidden prompt or pipe it; it is never a flag. The organization gets its key ' +
    'from the support team. proc stores the key for the current address of the environment and ' +
    'sends it nowhere else.',
  flags: SECRET_FLAGS,
  examples: [
    { run: 'proc auth login -p acme -e staging', doc: 'ask for the key' },
    { run: 'proc auth login -p acme -e staging --api-key-stdin < key.txt', doc: 'from a file' },
  ],
  exitCodes: [3],
  needs: ['io', 'ask', 'self'],
  async run({ flags }, ports) {
    const settings = openSettings(ports.self);
    const { selection, known } = ownEnvironment(settings.sources());
    const { profile, environment, url } = known;
    refuseCommandBeside(known.settings, profile, environment);
    checkTransport(selection);
    const piped = await pipedCredential(ports, flags);
    const credential = piped ?? (await askLogin(ports, known));
    if (credential === undefined) {
      ports.io.say({
        kind: 'notice',
        text: 'Nothing was stored.',
      });
      return { kind: 'none' };
    }
    return changeConfig(settings, {
      change(draft) {
        storeCredential(draft, profile, environment, credential);
      },
      result: () => ({
        kind: 'record',
        value: {
          profile,
          environment,
          origin: url.origin,
          scheme: credential.scheme,
          fingerprint: fingerprint(credential.secret),
        },
        idField: 'profile',
      }),
      done() {
        const check = `proc sectors list -p ${inShell(profile)} -e ${inShell(environment)}`;
        const text = `${SCHEME_NAME[credential.scheme]} stored for ${profile}/${environment}. To check it, run: ${check}`;
        ports.io.say({ kind: 'notice', text });
      },
    });
  },
});

async function askLogin(ports: Ports<'io' | 'ask' | 'self'>, known: KnownEnvironment) {
  const name = `${known.profile}/${known.environment}`;
  for (;;) {
    const credential = await askedApiKey(
      ports,
      `API key of ${name}, for ${known.url.origin} (hidden)`,
    );
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
