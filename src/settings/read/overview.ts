import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { kebab } from '../../core/text/kebab.ts';
import { authoritiesOf } from '../credential/certificate-setting.ts';
import { fingerprint } from '../credential/clean-secret.ts';
import { findCredential } from '../credential/credential.ts';
import {
  ENVIRONMENT_KEYS,
  type EnvironmentKey,
  PREFERENCES,
  type PreferenceKey,
  SETTINGS,
} from '../keys.ts';
import { ledgerSetting } from './ledger-place.ts';
import type { Settings } from './open-settings.ts';
import { preference } from './preferences.ts';
import { sourcedLimits } from './request-limits.ts';
import {
  allowHttp,
  dialectOf,
  marksOf,
  mostCreatedOf,
  placeOf,
  readOnlyOf,
  settleOf,
} from './resolve-target.ts';
import {
  type Selection,
  type Sources,
  select,
  wantedEnvironment,
  wantedProfile,
} from './select-target.ts';
import { type Sourced, sourced } from './setting-origin.ts';

export interface Overview {
  readonly rows: readonly Row[];
  readonly problems: readonly ProcError[];
}

const LISTED = ENVIRONMENT_KEYS.filter((key) => {
  const { show, elsewhere } = SETTINGS[key];
  return show !== undefined && elsewhere === undefined;
});

/** The settings of the process that do not select the target. */
const OWN = (Object.keys(PREFERENCES) as readonly PreferenceKey[]).filter(
  (key) => key !== 'profile' && key !== 'env',
);

/** All keys, for completion. Without a target, some keys have no row. */
export const OVERVIEW_KEYS = [
  'profile',
  'env',
  ...LISTED.map(kebab),
  ...OWN,
  'timeout',
  'retries',
  'config-file',
  'state-folder',
  'ledger',
] as const;

export function overview(settings: Settings): Overview {
  const problems: ProcError[] = [];
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      problems.push(thrown);
      return undefined;
    }
  };
  const sources = settings.sources();
  const selection = attempt(() => select(sources));
  const target =
    selection === undefined
      ? [row('profile', wantedProfile(sources)), row('env', wantedEnvironment(sources))]
      : targetRows(sources, selection, attempt);
  const limits = sourcedLimits(settings.limits);
  return {
    rows: [
      ...target,
      ...OWN.map((key) =>
        row(
          key,
          key === 'output' ? attempt(() => settings.outputFormat()) : preference(key, sources),
        ),
      ),
      row('timeout', limits.timeout),
      row('retries', limits.retries),
      row('config-file', pathOf(settings.path, sources.env.PROC_CONFIG_DIR, 'PROC_CONFIG_DIR')),
      row('state-folder', pathOf(settings.stateDir, sources.env.PROC_STATE_DIR, 'PROC_STATE_DIR')),
      row('ledger', ledgerSetting(sources)),
    ],
    problems,
  };
}

function targetRows(
  sources: Sources,
  selection: Selection,
  attempt: <T>(work: () => T) => T | undefined,
): Row[] {
  return [
    row('profile', selection.profile),
    row('env', selection.environment),
    ...LISTED.map((key) => {
      const effective = EFFECTIVE[key] ?? (() => stored(key, selection));
      return row(
        kebab(key),
        attempt(() => effective(sources, selection)),
      );
    }),
  ];
}

/** Settings that more than the environment decides. */
const EFFECTIVE: {
  readonly [K in EnvironmentKey]?: (
    sources: Sources,
    selection: Selection,
  ) => Sourced<unknown> | undefined;
} = {
  baseUrl: (_, { url }) => ({ ...url, value: url.value.href }),
  credential: credentialText,
  readOnly: readOnlyValue,
  allowHttp: (_, selection) => allowHttp(selection),
  settle: settleText,
  maxCreate: ({ env }, selection) => {
    const found = mostCreatedOf(env, selection);
    return (
      found && sourced(found.count, /^PROC/.test(found.from) ? 'variable' : 'profile', found.from)
    );
  },
  caFile: (sources, selection) => {
    const found = authoritiesOf(sources, selection);
    return found && { ...found, value: found.value.path };
  },
  dialect: dialectText,
};

function stored(key: EnvironmentKey, selection: Selection): Sourced<unknown> {
  const settings = marksOf(selection);
  const value = settings?.[key];
  const shown = SETTINGS[key].show?.(value, { ...settings, url: selection.url.value });
  return value === undefined
    ? sourced(shown, 'default')
    : sourced(shown, 'profile', placeOf(selection));
}

function settleText(sources: Sources, selection: Selection): Sourced<string> | undefined {
  const found = settleOf(sources.env, selection);
  return found && { ...found, value: found.value.text };
}

function readOnlyValue(sources: Sources, selection: Selection): Sourced<boolean> {
  const found = readOnlyOf(sources, selection);
  if (found === undefined) return sourced(false, 'default');
  return found === 'setting'
    ? sourced(true, 'profile', placeOf(selection))
    : sourced(true, 'variable', found);
}

function credentialText(sources: Sources, selection: Selection): Sourced<string> {
  const found = findCredential(sources, selection);
  const value =
    found.value.kind === 'command'
      ? `${found.value.scheme} from the command ${found.value.argv[0]}`
      : `${found.value.credential.scheme} ${fingerprint(found.value.credential.secret)}`;
  return { ...found, value };
}

function dialectText(sources: Sources, selection: Selection): Sourced<string | null> {
  const dialect = dialectOf(sources.env, selection);
  return { ...dialect, value: dialect.value.text || null };
}

function pathOf(path: string, variable: string | undefined, name: string): Sourced<string> {
  return variable ? sourced(path, 'variable', name) : sourced(path, 'default');
}

function row(key: string, from: Sourced<unknown> | undefined): Row {
  const { value, origin, place } = from ?? { value: null, origin: 'default', place: '' };
  return { key, value: value ?? null, origin, place: place || null };
}
