import { command } from '../../../core/command.ts';
import { PREFERENCES } from '../../keys.ts';
import { checkLedger } from '../../read/ledger-place.ts';
import { hasProfile, profileNotFound } from '../../read/lookup.ts';
import { openSettings } from '../../read/open-settings.ts';
import { oneOf } from '../../read/preferences.ts';
import { configPlan } from '../../write/config-plan.ts';
import { storedEnvironment, storedProfile } from '../../write/edits.ts';
import { currentProfile, SETTABLE, settable } from './settable-keys.ts';

export const set = command({
  path: ['config', 'set'],
  changes: 'local',
  prints: 'record',
  summary: 'Store a setting in the configuration file',
  description: 'The setting env is the default environment of the current profile.',
  args: {
    key: { doc: SETTABLE.join(', '), suggest: SETTABLE, from: 'proc config list' },
    value: { doc: 'new value' },
  },
  examples: [
    { run: 'proc config set output json', doc: 'JSON, also on a terminal' },
    {
      run: 'proc config set ledger postgres://proc@db.example/ledger',
      doc: 'a ledger that a team shares',
    },
  ],
  exitCodes: [3],
  needs: ['self'],
  async plan({ args }, ports) {
    const key = settable(args.key);
    return configPlan(openSettings(ports.self), {
      change(draft) {
        if (key === 'profile') {
          if (!hasProfile(draft, args.value)) throw profileNotFound(draft, args.value, '');
          draft.profile = args.value;
        } else if (key === 'env') {
          const profile = currentProfile(draft);
          storedEnvironment(draft, profile, args.value);
          storedProfile(draft, profile).defaultEnvironment = args.value;
        } else if (key === 'ledger') draft.ledger = checkLedger(args.value, ports.self.env);
        else {
          const values: readonly string[] = PREFERENCES[key].values;
          draft[key] = values.length === 0 ? args.value : oneOf(values, args.value, key);
        }
      },
      result: () => ({ kind: 'record', value: { key, value: args.value }, idField: 'value' }),
    });
  },
});
