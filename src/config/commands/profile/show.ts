import { command } from '../../../context.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import { readConfig, storedEnvironment, storedProfile } from '../../config-file.ts';
import { findCredential, resolve, type Selection, shownCredential } from '../../resolve-target.ts';
import type { Config } from '../../settings.ts';
import { ENVIRONMENT_COLUMNS, environmentRow } from './profile-rows.ts';

export const show = command({
  path: ['profile', 'show'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show the target in use and where its address and key come from, or a profile',
  description: 'Shows keys as fingerprints. With a name: all environments of that profile.',
  args: { name: { doc: 'name of the profile', optional: true, from: 'proc profile list' } },
  examples: [
    { run: 'proc profile show', doc: 'the target in use' },
    { run: 'proc profile show acme', doc: 'all environments of a profile' },
    { run: 'proc profile show acme -e staging', doc: 'one environment' },
  ],
  exitCodes: [3],
  async run(ctx, args) {
    const config = readConfig(ctx.env);
    const shown = { kind: 'rows', idField: 'environment' } as const;
    if (args.name === undefined) {
      const columns = [...ENVIRONMENT_COLUMNS, ...FROM_COLUMNS];
      return { ...shown, columns, rows: [inUse(config, resolve(ctx))], empty: '' };
    }
    const profile = args.name.normalize('NFC');
    const { environments } = storedProfile(config, profile);
    const only = ctx.flags.env;
    const names =
      only === undefined
        ? Object.keys(environments)
        : [storedEnvironment(config, profile, only).name];
    const rows = names.map((name) => environmentRow(config, profile, name));
    const empty = `Profile "${profile}" has no environments.`;
    return { ...shown, columns: ENVIRONMENT_COLUMNS, rows, empty };
  },
});

const FROM_COLUMNS = [
  { key: 'baseUrlFrom', header: 'ADDRESS FROM', priority: 2 },
  { key: 'credentialFrom', header: 'KEY FROM', priority: 2 },
];

function inUse(config: Config, selection: Selection): Row {
  const { profile, environment, url, known } = selection;
  const stored =
    known === undefined
      ? { environment: environment ?? null }
      : environmentRow(config, known.profile, known.environment);
  const from = { baseUrl: url.value.href, baseUrlFrom: url.place };
  const row = { profile: profile ?? null, ...stored, ...from };
  try {
    const { value, place } = findCredential(selection);
    return { ...row, credential: shownCredential(value), credentialFrom: place };
  } catch (thrown) {
    // There is no key that may be sent to the address.
    if (!(thrown instanceof ProcError)) throw thrown;
    return { ...row, credential: null, credentialFrom: null };
  }
}
