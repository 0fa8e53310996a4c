import { command } from '../../../core/command.ts';
import { openSettings } from '../../read/open-settings.ts';
import { overview } from '../../read/overview.ts';
import { COLUMNS, tell } from './settings-shown.ts';

export const list = command({
  path: ['config', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List effective settings and where each comes from',
  description:
    'Order of precedence: flags, environment variables, the profile ' +
    'and the configuration file, defaults. Shows keys as fingerprints only.',
  examples: [
    { run: 'proc config list', doc: 'all settings and their origins' },
    { run: 'proc config list --where origin=variable', doc: 'settings from environment variables' },
  ],
  exitCodes: [3],
  needs: ['io', 'self'],
  async run(_input, ports) {
    const { rows, problems } = overview(openSettings(ports.self));
    tell(ports, problems);
    return { kind: 'rows', columns: COLUMNS, rows, idField: 'key', empty: 'No settings.' };
  },
});
