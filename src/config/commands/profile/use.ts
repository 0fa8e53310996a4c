import { command } from '../../../core/command.ts';
import { inShell } from '../../../core/text/typed.ts';
import { storedProfile } from '../../edits.ts';
import { environmentNames, environmentNotFound, hasProfile, profileNotFound } from '../../names.ts';
import { changeConfig, openSettings } from '../../open-settings.ts';
import { defaultOf } from './profile-rows.ts';

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
  needs: ['io', 'self'],
  async run({ args }, ports) {
    const environment = ports.self.flags.env;
    const profile = args.name.normalize('NFC');
    return changeConfig(openSettings(ports.self), {
      change(draft) {
        if (!hasProfile(draft, profile)) throw profileNotFound(draft, args.name, '');
        const names = environmentNames(draft, profile);
        if (environment !== undefined) {
          if (!names.includes(environment)) {
            throw environmentNotFound(draft, profile, environment, '--env');
          }
          storedProfile(draft, profile).defaultEnvironment = environment;
        }
        draft.profile = profile;
      },
      result: (after) => ({
        kind: 'record',
        value: { profile, defaultEnvironment: defaultOf(after, profile) },
        idField: 'profile',
      }),
      done(after) {
        if (defaultOf(after, profile) !== null) return;
        const names = environmentNames(after, profile).join(', ');
        const text = `"${profile}" has several environments (${names}). Select one with -e each time, or set the default: proc profile use ${inShell(profile)} -e ENV`;
        ports.io.say({ kind: 'notice', text });
      },
    });
  },
});
