import { command } from '../../../context.ts';
import { storedEnvironment } from '../../config-file.ts';
import { ownEnvironment } from '../../resolve-target.ts';
import { updateConfig } from '../../write-config.ts';

export const logout = command({
  path: ['auth', 'logout'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove the stored key of an environment',
  examples: [
    { run: 'proc auth logout -p acme -e staging', doc: 'the profile stays' },
    { run: 'proc auth logout -p acme -e staging -o json', doc: 'the same, for a script' },
  ],
  exitCodes: [3],
  async run(ctx) {
    const { profile, environment, settings } = ownEnvironment(ctx).known;
    const removed = settings.credential !== undefined;
    if (removed) {
      await updateConfig(ctx.env, (draft) => {
        delete storedEnvironment(draft, profile, environment).settings.credential;
      });
    } else {
      ctx.io.say({ kind: 'notice', text: `No key is stored for ${profile}/${environment}.` });
    }
    const value = { profile, environment, removed };
    return { kind: 'record', value, idField: 'profile' };
  },
});
