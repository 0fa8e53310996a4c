import { command } from '../../../core/command.ts';
import { openSettings } from '../../read/open-settings.ts';
import { OVERVIEW_KEYS, overview } from '../../read/overview.ts';
import { unknownKey } from './settable-keys.ts';
import { COLUMNS, tell } from './settings-shown.ts';

export const get = command({
  path: ['config', 'get'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show one effective setting and where it comes from',
  args: { key: { doc: 'e.g. profile, env, base-url, output', suggest: OVERVIEW_KEYS } },
  examples: [
    { run: 'proc config get base-url -o id', doc: 'only the value, for scripts' },
    { run: 'proc config get env', doc: 'the default environment and where it comes from' },
  ],
  exitCodes: [3],
  needs: ['io', 'self'],
  async run({ args }, ports) {
    const { rows, problems } = overview(openSettings(ports.self));
    const value = rows.find((row) => row.key === args.key);
    if (value === undefined) {
      throw unknownKey(
        args.key,
        rows.map((row) => String(row.key)),
      );
    }
    // Problems with other settings do not matter here.
    if (value.value === null) tell(ports, problems);
    return { kind: 'record', columns: COLUMNS, value, idField: 'value' };
  },
});
