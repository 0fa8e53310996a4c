import { command } from '../../../context.ts';
import { defaultEnvironment, storedEnvironment, storedProfile } from '../../config-file.ts';
import { updateConfig } from '../../write-config.ts';

export const use = command({
  path: ['profile', 'use'],
  changes: 'local',
  prints: 'record',
  summary: 'Select the current profile; with -e, also set its default environment',
  args: { name: { doc: 'name of the profile', from: 'proc profile list' } },
  examples: [
    { run: 'proc profile use acme', doc: 'the profile of commands without -p' },
    { run: 'proc profile use acme -e staging', doc: 'a profile and its default environment' },
  ],
  exitCodes: [3],
  async run(ctx, args) {
    const profile = args.name.normalize('NFC');
    const after = await updateConfig(ctx.env, (draft) => {
      const stored = storedProfile(draft, profile);
      if (ctx.flags.env !== undefined) {
        stored.defaultEnvironment = storedEnvironment(draft, profile, ctx.flags.env).name;
      }
      draft.profile = profile;
    });
    const value = { profile, defaultEnvironment: defaultEnvironment(after, profile) ?? null };
    return { kind: 'record', value, idField: 'profile' };
  },
});
