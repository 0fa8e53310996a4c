import { command } from '../../../core/command.ts';
import {
  environmentNames,
  environmentNotFound,
  hasProfile,
  profileNotFound,
} from '../../read/lookup.ts';
import { openSettings } from '../../read/open-settings.ts';
import { wantedProfile } from '../../read/select-target.ts';
import { ENVIRONMENT_COLUMNS, environmentRow } from './profile-rows.ts';

export const show = command({
  path: ['profile', 'show'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show the environments of a profile, keys as fingerprints',
  args: {
    name: {
      doc: 'name of the profile (default: the current one)',
      optional: true,
      from: 'proc profile list',
    },
  },
  examples: [
    { run: 'proc profile show sandbox', doc: 'the built-in profile' },
    { run: 'proc profile show acme -e staging', doc: 'one environment' },
  ],
  exitCodes: [3],
  needs: ['self'],
  async run({ args }, ports) {
    const settings = openSettings(ports.self);
    const config = settings.config();
    const profile = (args.name ?? wantedProfile(settings.sources()).value).normalize('NFC');
    if (!hasProfile(config, profile)) throw profileNotFound(config, profile, '');
    const only = ports.self.flags.env;
    const names = environmentNames(config, profile);
    if (only !== undefined && !names.includes(only)) {
      throw environmentNotFound(config, profile, only, '--env');
    }
    return {
      kind: 'rows',
      columns: ENVIRONMENT_COLUMNS,
      rows: names
        .filter((name) => only === undefined || name === only)
        .map((name) => environmentRow(config, profile, name, ports)),
      idField: 'environment',
      empty: `Profile "${profile}" has no environments.`,
    };
  },
});
