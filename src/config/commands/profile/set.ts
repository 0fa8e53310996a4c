import { command } from '../../../context.ts';
import { ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/wording.ts';
import { parseBaseUrl } from '../../addresses.ts';
import { storedEnvironment, typedPlace } from '../../config-file.ts';
import { SETTABLE_DOC, setKeys } from '../../settings.ts';
import { updateConfig } from '../../write-config.ts';
import { environmentResult } from './profile-rows.ts';

export const set = command({
  path: ['profile', 'set'],
  changes: 'local',
  prints: 'record',
  summary: 'Change settings of an environment',
  description: `Settings: ${SETTABLE_DOC}. An empty value removes the setting.`,
  args: {
    name: { doc: 'name of the profile', from: 'proc profile list' },
    settings: { doc: 'KEY=VALUE, e.g. protected=false', variadic: true },
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
  async run(ctx, args) {
    const profile = args.name.normalize('NFC');
    let environment = '';
    const after = await updateConfig(ctx.env, (draft) => {
      const { name, settings } = storedEnvironment(draft, profile, ctx.flags.env);
      environment = name;
      setKeys(settings, args.settings, ctx.cwd);
      if (settings.credential === undefined || settings.credentialCommand === undefined) return;
      throw new ProcError('invalid_setting', `${profile}/${name} has a stored credential`, {
        hint: `Remove it first: proc auth logout -p ${typedPlace({ profile, environment })}`,
      });
    });
    const { settings } = storedEnvironment(after, profile, environment);
    const { origin } = parseBaseUrl(settings.baseUrl, 'base-url');
    const { credential, credentialCommand: command } = settings;
    const bound = credential ?? command;
    if (bound !== undefined && bound.origin !== origin) {
      const at = typedPlace({ profile, environment });
      const fix =
        command === undefined
          ? `proc auth login -p ${at}`
          : `proc profile set ${at} ${inShell(`credentialCommand=${JSON.stringify(command.argv)}`)}`;
      const text = `The credential belongs to ${bound.origin} and is not sent to ${origin}. For the new address: ${fix}`;
      ctx.io.say({ kind: 'warning', text });
    }
    return environmentResult(after, profile, environment);
  },
});
