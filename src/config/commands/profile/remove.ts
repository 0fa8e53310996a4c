import { command } from '../../../core/command.ts';
import type { Ports } from '../../../core/ports.ts';
import { confirmChange } from '../../../terminal/confirm-change.ts';
import { storedEnvironment, storedProfile } from '../../edits.ts';
import { changeConfig, openSettings } from '../../open-settings.ts';

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
  needs: ['io', 'ask', 'self'],
  async run({ args }, ports) {
    const settings = openSettings(ports.self);
    const profile = args.name.normalize('NFC');
    const environment = ports.self.flags.env;
    let wasCurrent = false;
    let hasKey = false;
    return changeConfig(settings, {
      change(draft) {
        const { environments } = storedProfile(draft, profile);
        if (environment === undefined) {
          hasKey = Object.values(environments).some((one) => one.credential !== undefined);
          delete draft.profiles![profile];
          wasCurrent = draft.profile === profile;
          if (wasCurrent) delete draft.profile;
          return;
        }
        const { settings } = storedEnvironment(draft, profile, environment);
        hasKey = settings.credential !== undefined;
        delete environments[environment];
        const now = storedProfile(draft, profile);
        if (now.defaultEnvironment === environment) delete now.defaultEnvironment;
      },
      result: () => ({
        kind: 'record',
        value: { profile, environment: environment ?? null, removed: true },
        idField: 'profile',
      }),
      confirm: () =>
        confirmRemoval(
          environment === undefined ? profile : `${profile}/${environment}`,
          hasKey,
          ports,
        ),
      done() {
        if (!wasCurrent) return;
        const text = `No profile is current. To select one, run: proc profile use NAME`;
        ports.io.say({ kind: 'notice', text });
      },
    });
  },
});

function confirmRemoval(
  name: string,
  hasKey: boolean,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<void> {
  const change = {
    async question() {
      return hasKey ? `Remove ${name} and the key stored there?` : `Remove ${name}?`;
    },
    what: `remove ${name}${hasKey ? ' and its key' : ''}`,
  };
  return confirmChange(change, ports);
}
