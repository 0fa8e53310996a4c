import { command } from '../../../core/command.ts';
import { openSettings } from '../../read/open-settings.ts';
import { overview } from '../../read/overview.ts';
import { COLUMNS, tell } from './settings-shown.ts';

export const list = command({
  path: ['config', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List every setting that holds here, with its origin',
  description:
    'Flags win over environment variables, then the project file (.proc.json), then the profile ' +
    'and the configuration file, then the defaults. Keys are shown as fingerprints only.',
  examples: [
    { run: 'proc config list', doc: 'Where would a command go, and why there?' },
    { run: 'proc config list --where origin=variable', doc: 'What the environment sets' },
  ],
  exitCodes: [3],
  needs: ['io', 'self'],
  async run(_input, ports) {
    const { rows, problems } = overview(openSettings(ports.self));
    tell(ports, problems);
    return { kind: 'rows', columns: COLUMNS, rows, idField: 'key', empty: 'No settings' };
  },
});
