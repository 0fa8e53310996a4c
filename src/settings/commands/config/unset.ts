import { command } from '../../../core/command.ts';
import { openSettings } from '../../read/open-settings.ts';
import { configPlan } from '../../write/config-plan.ts';
import { storedProfile } from '../../write/edits.ts';
import { currentProfile, SETTABLE, settable } from './settable-keys.ts';

export const unset = command({
  path: ['config', 'unset'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove a setting from the configuration file',
  args: { key: { doc: SETTABLE.join(', '), suggest: SETTABLE } },
  examples: [{ run: 'proc config unset output', doc: 'the default format again' }],
  exitCodes: [3],
  needs: ['self'],
  async plan({ args }, ports) {
    const key = settable(args.key);
    return configPlan(openSettings(ports.self), {
      change(draft) {
        if (key !== 'env') delete draft[key];
        else delete storedProfile(draft, currentProfile(draft)).defaultEnvironment;
      },
      result: () => ({ kind: 'record', value: { key, value: null }, idField: 'key' }),
    });
  },
});
