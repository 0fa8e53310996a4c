import { ProcError } from '../../../core/errors.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { show } from '../../../core/validate.ts';
import { type Config, PREFERENCES, type PreferenceKey } from '../../keys.ts';

type SettableKey = PreferenceKey | 'ledger';

export const SETTABLE = [...Object.keys(PREFERENCES), 'ledger'] as readonly SettableKey[];

export function settable(key: string): SettableKey {
  const found = SETTABLE.find((one) => one === key);
  if (found === undefined) throw unknownKey(key, SETTABLE);
  return found;
}

export function unknownKey(key: string, known: readonly string[]): ProcError {
  const near = nearest(key, known);
  const suggestion = near === undefined ? '' : `Did you mean "${near}"? `;
  return new ProcError('invalid_usage', `unknown setting ${show(key)}`, {
    hint: `${suggestion}Use one of: ${known.join(', ')}. To change an environment: proc profile set NAME -e ENV KEY=VALUE`,
  });
}

export function currentProfile(config: Config): string {
  return config.profile ?? '';
}
