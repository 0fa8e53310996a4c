import { command } from '../../../context.ts';
import { confirmChange } from '../../../terminal/confirm-change.ts';
import { readConfig, storedEnvironment, storedProfile } from '../../config-file.ts';
import type { Config } from '../../settings.ts';
import { updateConfig } from '../../write-config.ts';

export const remove = command({
  path: ['profile', 'remove'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove a profile and its keys, or with -e one environment',
  description: 'Asks first; in a script, add --yes. Changes nothing in the service.',
  args: { name: { doc: 'name of the profile', from: 'proc profile list' } },
  examples: [
    { run: 'proc profile remove acme -e staging --yes', doc: 'one environment' },
    { run: 'proc profile remove acme --yes', doc: 'the whole profile' },
  ],
  exitCodes: [3],
  async run(ctx, args) {
    const { env, flags } = ctx;
    const profile = args.name.normalize('NFC');
    const hasKey = removeFrom(readConfig(env), profile, flags.env);
    const name = flags.env === undefined ? profile : `${profile}/${flags.env}`;
    await confirmChange(`remove ${name}${hasKey ? ' and its key' : ''}`, ctx);
    await updateConfig(env, (draft) => {
      removeFrom(draft, profile, flags.env);
      if (draft.profile === profile && flags.env === undefined) delete draft.profile;
    });
    const value = { profile, environment: flags.env ?? null, removed: true };
    return { kind: 'record', value, idField: 'profile' };
  },
});

/** @returns whether a key is removed too */
function removeFrom(draft: Config, profile: string, environment: string | undefined): boolean {
  const stored = storedProfile(draft, profile);
  if (environment === undefined) {
    delete draft.profiles![profile];
    return Object.values(stored.environments).some((one) => one.credential !== undefined);
  }
  const { settings } = storedEnvironment(draft, profile, environment);
  delete stored.environments[environment];
  if (stored.defaultEnvironment === environment) delete stored.defaultEnvironment;
  return settings.credential !== undefined;
}
