import { command } from '../../../core/command.ts';
import { ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/text/typed.ts';
import { ENVIRONMENT_KEYS, type EnvironmentSettings, SETTINGS } from '../../keys.ts';
import { hasProfile } from '../../read/lookup.ts';
import { openSettings } from '../../read/open-settings.ts';
import { configPlan } from '../../write/config-plan.ts';
import { addEnvironment, storedEnvironment, storedProfile } from '../../write/edits.ts';

export const copy = command({
  path: ['profile', 'copy'],
  changes: 'local',
  prints: 'record',
  shape: ({ z, record }) =>
    record(
      z.looseObject({
        profile: z.string(),
        copiedFrom: z.string(),
        environments: z.array(z.string()),
      }),
    ),
  summary: 'Copy a profile without its keys',
  description:
    'For another organization of the same service. Copies the settings of every environment, e.g. base URL, dialect and access level; with -e, only of this environment. A key belongs to one organization, so keys, credential commands and client certificates are not copied.',
  args: {
    from: { doc: 'name of the profile to copy', from: 'proc profile list' },
    to: { doc: 'name of the new profile' },
  },
  examples: [
    { run: 'proc profile copy acme globex', doc: 'all environments' },
    { run: 'proc profile copy acme globex -e staging', doc: 'one environment' },
  ],
  exitCodes: [3],
  needs: ['io', 'self'],
  async plan({ args }, ports) {
    const from = args.from.normalize('NFC');
    const to = args.to.normalize('NFC');
    const only = ports.self.flags.env;
    let names: readonly string[] = [];
    return configPlan(openSettings(ports.self), {
      change(draft) {
        const { environments, defaultEnvironment } = storedProfile(draft, from);
        names =
          only === undefined
            ? Object.keys(environments)
            : [storedEnvironment(draft, from, only).name];
        if (only === undefined && hasProfile(draft, to)) throw alreadyThere(from, to);
        for (const name of names) addEnvironment(draft, to, name, withoutKey(environments[name]!));
        if (only === undefined && defaultEnvironment !== undefined) {
          storedProfile(draft, to).defaultEnvironment = defaultEnvironment;
        }
      },
      result: () => ({
        kind: 'record',
        value: { profile: to, copiedFrom: from, environments: names },
        idField: 'profile',
      }),
      done() {
        const text = `"${to}" has no keys yet. To store one, run: proc auth login -p ${inShell(to)} -e ${inShell(names[0] ?? 'ENV')}`;
        ports.io.say({ kind: 'notice', text });
      },
    });
  },
});

function withoutKey(settings: EnvironmentSettings): EnvironmentSettings {
  const copy = structuredClone(settings);
  for (const key of ENVIRONMENT_KEYS) if (!SETTINGS[key].copied) delete copy[key];
  return copy;
}

function alreadyThere(from: string, to: string): ProcError {
  return new ProcError('invalid_usage', `the profile ${to} already exists`, {
    hint: `Choose another name, or copy one environment: proc profile copy ${inShell(from)} ${inShell(to)} -e ENV`,
  });
}
