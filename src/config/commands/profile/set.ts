import { command } from '../../../core/command.ts';
import { inShell } from '../../../core/text/typed.ts';
import { parseBaseUrl } from '../../base-url.ts';
import { storedEnvironment } from '../../edits.ts';
import { SETTABLE_DOC, setKeys } from '../../environment-settings.ts';
import { changeConfig, openSettings } from '../../open-settings.ts';
import { environmentResult } from './profile-rows.ts';

export const set = command({
  path: ['profile', 'set'],
  changes: 'local',
  prints: 'record',
  summary: 'Change settings of an environment',
  description: `Settings: ${SETTABLE_DOC}. An empty value removes the setting.`,
  args: {
    name: { doc: 'name of the profile', from: 'proc profile list' },
    settings: {
      doc: 'KEY=VALUE, e.g. protected=false',
      variadic: true,
    },
  },
  examples: [
    {
      run: 'proc profile set acme -e staging protected=false',
      doc: 'no confirmation before writes to staging',
    },
    {
      run: `proc profile set acme -e staging credentialCommand='["pass", "show", "acme"]'`,
      doc: 'get the key from a password manager',
    },
  ],
  exitCodes: [3],
  needs: ['io', 'self'],
  async run({ args }, ports) {
    const profile = args.name.normalize('NFC');
    let environment = '';
    return changeConfig(openSettings(ports.self), {
      change(draft) {
        const found = storedEnvironment(draft, profile, ports.self.flags.env);
        environment = found.name;
        const { cwd } = ports.self;
        setKeys(found.settings, args.settings, { profile, environment }, cwd);
      },
      result: (after) => environmentResult(after, profile, environment),
      done(after) {
        const { settings } = storedEnvironment(after, profile, environment);
        const { origin } = parseBaseUrl(settings.baseUrl, 'base-url');
        const warn = (text: string) => ports.io.say({ kind: 'warning', text });
        const { credentialCommand, credentialCommandOrigin } = settings;
        if (credentialCommandOrigin !== undefined && credentialCommandOrigin !== origin) {
          const text = `The credentialCommand belongs to ${credentialCommandOrigin}, and its key is not sent to ${origin}. To use it for the new address: proc profile set ${inShell(profile)} -e ${inShell(environment)} credentialCommand=${inShell(JSON.stringify(credentialCommand))}`;
          warn(text);
        }
        const stored = settings.credential;
        if (stored === undefined || stored.origin === origin) return;
        const text = `The stored key belongs to ${stored.origin} and is not sent to ${origin}. To store a key for the new address: proc auth login -p ${inShell(profile)} -e ${inShell(environment)}`;
        warn(text);
      },
    });
  },
});
