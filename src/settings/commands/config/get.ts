import { command } from '../../../core/command.ts';
import { ProcError } from '../../../core/errors.ts';
import { ENVIRONMENT_KEYS, plainKey, SETTINGS } from '../../keys.ts';
import { openSettings } from '../../read/open-settings.ts';
import { OVERVIEW_KEYS, overview } from '../../read/overview.ts';
import { unknownKey } from './settable-keys.ts';
import { COLUMNS, tell } from './settings-shown.ts';

export const get = command({
  path: ['config', 'get'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show one effective setting and where it comes from',
  args: {
    key: {
      doc: 'e.g. profile, env, base-url, output',
      suggest: OVERVIEW_KEYS,
      from: 'proc config list',
    },
  },
  examples: [
    { run: 'proc config get base-url -o id', doc: 'only the value, for scripts' },
    { run: 'proc config get env', doc: 'the default environment and where it comes from' },
  ],
  exitCodes: [3],
  needs: ['io', 'self'],
  async run({ args }, ports) {
    const { rows, problems } = overview(openSettings(ports.self));
    const key = plainKey(args.key);
    const value = rows.find((row) => plainKey(String(row.key)) === key);
    if (value === undefined) {
      refuseHidden(args.key);
      throw unknownKey(
        args.key,
        rows.map((row) => String(row.key)),
      );
    }
    // If the setting has a value, problems with other settings do not matter.
    if (value.value === null) tell(ports, problems);
    return { kind: 'record', columns: COLUMNS, value, idField: 'value' };
  },
});

function refuseHidden(typed: string): void {
  const key = ENVIRONMENT_KEYS.find((one) => plainKey(one) === plainKey(typed));
  const hint = key === undefined ? undefined : SETTINGS[key].elsewhere;
  if (hint === undefined) return;
  throw new ProcError('invalid_usage', `config get does not show ${typed}`, { hint });
}
