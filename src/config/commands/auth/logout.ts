import { command } from '../../../core/command.ts';
import { storedEnvironment } from '../../edits.ts';
import { changeConfig, openSettings } from '../../open-settings.ts';
import { ownEnvironment } from './own-environment.ts';

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
  needs: ['io', 'self'],
  async run(_input, ports) {
    const settings = openSettings(ports.self);
    const { known } = ownEnvironment(settings.sources());
    const { profile, environment } = known;
    const removed = known.settings.credential !== undefined;
    const result = () =>
      ({
        kind: 'record',
        value: { profile, environment, removed },
        idField: 'profile',
      }) as const;
    if (!removed) {
      ports.io.say({ kind: 'notice', text: `No key is stored for ${profile}/${environment}.` });
      return result();
    }
    return changeConfig(settings, {
      change(draft) {
        const { settings } = storedEnvironment(draft, profile, environment);
        delete settings.credential;
      },
      result,
    });
  },
});
