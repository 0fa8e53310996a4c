import { command } from '../../../context.ts';
import { ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/wording.ts';
import { parseNewBaseUrl } from '../../addresses.ts';
import { typedPlace } from '../../config-file.ts';
import { addEnvironment, updateConfig } from '../../write-config.ts';
import { pipedCredential, SECRET_FLAGS } from '../secret-input.ts';
import { environmentResult } from './profile-rows.ts';

export const add = command({
  path: ['profile', 'add'],
  changes: 'local',
  prints: 'record',
  summary: 'Add a profile, or an environment to a profile',
  description:
    'A profile is an organization with one or more environments, each with its own address and key. ' +
    'Name the environment with -e. The first profile becomes the current one.',
  args: { name: { doc: 'name of the profile' } },
  flags: {
    baseUrl: {
      kind: 'string',
      value: 'url',
      required: true,
      doc: 'address of the service, including /api/v1',
    },
    ...SECRET_FLAGS,
  },
  examples: [
    {
      run: 'proc profile add acme -e staging --base-url https://staging.example.com/api/v1',
      doc: 'add an environment; store its key later: proc auth login',
    },
    {
      run: 'proc profile add acme -e production --base-url https://procurement.example.com/api/v1 --api-key-stdin < key.txt',
      doc: 'with its key, from a file or secret store',
    },
  ],
  exitCodes: [3],
  async run(ctx, args, flags) {
    const environment = ctx.flags.env;
    if (environment === undefined) {
      throw new ProcError('invalid_usage', 'missing environment', {
        hint: `Add -e, e.g.: proc profile add ${inShell(args.name)} -e production --base-url URL`,
      });
    }
    const url = parseNewBaseUrl(flags.baseUrl, '--base-url');
    const credential = await pipedCredential(ctx, flags);
    const profile = args.name.normalize('NFC');
    const place = { profile, environment };
    let isCurrent = false;
    const after = await updateConfig(ctx.env, (draft) => {
      isCurrent = addEnvironment(draft, place, { baseUrl: url.href }, credential);
    });
    const notice = (text: string) => ctx.io.say({ kind: 'notice', text });
    if (isCurrent) notice(`"${profile}" is now the current profile.`);
    if (credential === undefined) {
      notice(
        `No key yet. Your organization gets one from the service's support team. To store it, run: proc auth login -p ${typedPlace(place)}`,
      );
    }
    return environmentResult(after, profile, environment);
  },
});
