import { command } from '../../../context.ts';
import { SCHEME_NAME, Secret } from '../../../core/secret.ts';
import { nameKey } from '../../../history/scope-of.ts';
import { ledgerExists } from '../../../ledger/open-ledger.ts';
import { typedPlace } from '../../config-file.ts';
import { checkTransport, ownEnvironment } from '../../resolve-target.ts';
import { refuseCommandBeside, storeCredential, updateConfig } from '../../write-config.ts';
import { askedApiKey, pipedCredential, SECRET_FLAGS } from '../secret-input.ts';

export const login = command({
  path: ['auth', 'login'],
  changes: 'local',
  prints: 'record',
  summary: 'Store the key of an environment',
  description:
    'Type the key at a hidden prompt or pipe it; it is never a flag. The organization gets its key ' +
    'from the support team. proc stores the key for the current address of the environment and ' +
    'sends it nowhere else. A key that replaces another one writes for the same organization.',
  flags: {
    ...SECRET_FLAGS,
    organization: {
      kind: 'string',
      value: 'name',
      doc: 'organization of the key, if its name is not that of the profile',
    },
  },
  examples: [
    { run: 'proc auth login -p acme -e staging', doc: 'ask for the key' },
    { run: 'proc auth login -p acme -e staging --api-key-stdin < key.txt', doc: 'from a file' },
  ],
  exitCodes: [3],
  async run(ctx, _args, flags) {
    const { selection, known } = ownEnvironment(ctx);
    const { profile, environment, url } = known;
    refuseCommandBeside(known.settings, known);
    checkTransport(selection);
    const name = `${profile}/${environment}`;
    const credential =
      (await pipedCredential(ctx, flags)) ??
      (await askedApiKey(ctx, `API key of ${name}, for ${url.origin} (hidden)`));
    if (credential === undefined) {
      ctx.io.say({ kind: 'notice', text: 'Nothing was stored.' });
      return { kind: 'none' };
    }
    const { scheme, secret } = credential;
    const stored = known.settings.credential?.secret;
    const { organization } = flags;
    if (organization !== undefined || ledgerExists(ctx)) {
      const { sql } = await ctx.ledger();
      const before = stored === undefined ? undefined : new Secret(stored);
      const key = { baseUrl: url.href, profile, secret, before, organization };
      await nameKey(key, sql);
    }
    await updateConfig(ctx.env, (draft) => storeCredential(draft, known, credential));
    const text = `${SCHEME_NAME[scheme]} stored for ${name}. To check it, run: proc sectors list -p ${typedPlace(known)}`;
    ctx.io.say({ kind: 'notice', text });
    const key = { scheme, fingerprint: secret.fingerprint };
    const value = { profile, environment, origin: url.origin, ...key };
    return { kind: 'record', value, idField: 'profile' };
  },
});
