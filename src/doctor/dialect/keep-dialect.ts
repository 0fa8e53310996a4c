import type { Ports } from '../../core/ports.ts';
import type { Config } from '../../settings/read/config-schema.ts';
import { openSettings } from '../../settings/read/open-settings.ts';
import { dialectOf } from '../../settings/read/resolve-target.ts';
import type { Selection } from '../../settings/read/select-target.ts';
import { storedEnvironment } from '../../settings/write/edits.ts';
import { type Findings, learnedDialect } from './learn-dialect.ts';

export type Stored =
  | {
      readonly kind: 'stored';
      readonly place: string;
      readonly text: string;
      readonly isOverridden: boolean;
    }
  | { readonly kind: 'no place'; readonly why: string; readonly text: string };

export function dialectWith(
  ports: Ports<'self'>,
  selection: Selection,
  findings: Findings,
): string {
  return learnedDialect(dialectOf(ports.self.env, selection).value.text, findings);
}

/** Stores the detected names in the selected environment. A dry run only shows them. */
export async function storeDialect(
  ports: Ports<'self'>,
  selection: Selection,
  findings: Findings,
): Promise<Stored> {
  const { known, profile, environment } = selection;
  if (known?.settings === undefined || profile === undefined || environment === undefined) {
    const why =
      known === undefined ? 'no profile is selected' : 'the built-in profile cannot be changed';
    return { kind: 'no place', why, text: dialectWith(ports, selection, findings) };
  }
  let text = '';
  const change = (draft: Config): void => {
    const { settings } = storedEnvironment(draft, profile.value, environment.value);
    text = learnedDialect(settings.dialect ?? '', findings);
    settings.dialect = text;
  };
  await openSettings(ports.self).update(change);
  const isOverridden = (ports.self.env.PROC_DIALECT ?? '') !== '';
  return { kind: 'stored', place: `${profile.value} · ${environment.value}`, text, isOverridden };
}
