import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { accessOf } from '../credential/access-level.ts';
import { clientCertificateOf } from '../credential/certificate-setting.ts';
import { fingerprint } from '../credential/clean-secret.ts';
import { findCredential } from '../credential/credential.ts';
import type { Settings } from './open-settings.ts';
import { sourcedLimits } from './request-limits.ts';
import { allowHttp, dialectOf, isProtected, settleOf } from './resolve-target.ts';
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

/** All keys, for completion. Without a target, some keys have no row. */
export const OVERVIEW_KEYS = [
  'profile',
  'env',
  'base-url',
  'credential',
  'protected',
  'access',
  'allow-http',
  'settle',
  'dialect',
  'client-cert',
  'client-key',
  'output',
  'lang',
  'timeout',
  'retries',
  'config-file',
  'project-file',
  'state-folder',
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
  const preferences = attempt(() => settings.preferences());
  const limits = sourcedLimits(settings.limits);
  const project = sources.project?.path;
  return {
    rows: [
      ...target,
      row('output', preferences?.output),
      row('lang', preferences?.lang),
      row('timeout', limits.timeout),
      row('retries', limits.retries),
      row('config-file', pathOf(settings.path, sources.env.PROC_CONFIG_DIR, 'PROC_CONFIG_DIR')),
      row('project-file', project === undefined ? undefined : sourced(project, 'project', project)),
      row('state-folder', pathOf(settings.stateDir, sources.env.PROC_STATE_DIR, 'PROC_STATE_DIR')),
    ],
    problems,
  };
}

function targetRows(
  sources: Sources,
  selection: Selection,
  attempt: <T>(work: () => T) => T | undefined,
): Row[] {
  const { url } = selection;
  const certificate = attempt(() => clientCertificateOf(sources, selection));
  return [
    row('profile', selection.profile),
    row('env', selection.environment),
    row('base-url', { ...url, value: url.value.href }),
    row(
      'credential',
      attempt(() => credentialText(sources, selection)),
    ),
    row('protected', isProtected(selection)),
    accessRow(sources, selection),
    row('allow-http', allowHttp(selection)),
    row(
      'settle',
      attempt(() => settleText(sources, selection)),
    ),
    row(
      'dialect',
      attempt(() => dialectText(sources, selection)),
    ),
    row('client-cert', certificate && { ...certificate, value: certificate.value.cert }),
    row('client-key', certificate && { ...certificate, value: certificate.value.key }),
  ];
}

function settleText(sources: Sources, selection: Selection): Sourced<string> | undefined {
  const found = settleOf(sources.env, selection);
  return found && { ...found, value: found.value.text };
}

function accessRow(sources: Sources, selection: Selection): Row {
  const { level, place } = accessOf(sources, selection);
  const origin = place === '' ? 'default' : place === 'PROC_READ_ONLY' ? 'variable' : 'profile';
  return row('access', sourced(level, origin, place));
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

function row(key: (typeof OVERVIEW_KEYS)[number], from: Sourced<unknown> | undefined): Row {
  const { value, origin, place } = from ?? { value: null, origin: 'default', place: '' };
  return { key, value: value ?? null, origin, place: place || null };
}
