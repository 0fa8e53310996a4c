import { existsSync } from 'node:fs';
import { authoritiesOf } from '../config/certificate-setting.ts';
import { fingerprint } from '../config/clean-secret.ts';
import { findCredential } from '../config/credential.ts';
import type { Settings } from '../config/open-settings.ts';
import { dialectOf, readOnlyOf, settleOf } from '../config/resolve-target.ts';
import { type Selection, select } from '../config/select-target.ts';
import { ProcError } from '../core/errors.ts';
import { placeName } from '../core/service-target.ts';
import { chooseFormat } from '../output/format.ts';
import { checkFolder } from '../store/folder.ts';
import { type Check, ok, problem } from './check.ts';

/**
 * Checks each part of the settings separately, so that an invalid part does not hide the others.
 */
export function checkSettings(settings: Settings): {
  readonly checks: readonly Check[];
  /** Undefined if the settings select no target. */
  readonly selection: Selection | undefined;
} {
  const checks: Check[] = [];
  const selection = attempt(checks, 'config', () => {
    const { url, profile, environment, known } = select(settings.sources());
    const exists = existsSync(settings.path);
    checks.push(ok('config', exists ? settings.path : `${settings.path} (none yet)`));
    const { href: baseUrl, origin } = url.value;
    const name = placeName({
      profile: profile?.value,
      environment: environment?.value,
      baseUrl,
      isOtherAddress: known !== undefined && known.url.origin !== origin,
    });
    checks.push(ok('target', profile === undefined ? baseUrl : `${name}: ${baseUrl}`));
    return select(settings.sources());
  });
  if (selection !== undefined) {
    const sources = settings.sources();
    attempt(checks, 'credential', () => {
      const { value, place } = findCredential(sources, selection);
      const shown =
        value.kind === 'command'
          ? `${value.scheme} from the command ${value.argv[0]}`
          : `${value.credential.scheme} ${fingerprint(value.credential.secret)}`;
      checks.push(ok('credential', place === '' ? shown : `${shown}, from ${place}`));
    });
    const rest = [
      () => dialectOf(sources.env, selection),
      () => settleOf(sources.env, selection),
      () => authoritiesOf(sources.env, selection),
    ];
    for (const read of rest) attemptConfig(checks, read);
    const output = { env: sources.env.PROC_OUTPUT, flag: undefined, outFile: undefined };
    attempt(checks, 'output', () => chooseFormat({ ...output, stdoutIsTerminal: false }));
    const readOnly = readOnlyOf(settings.sources(), selection);
    if (readOnly !== undefined) {
      checks.push(
        ok(
          'read-only',
          `by ${readOnly === 'setting' ? 'readOnly' : readOnly}: proc sends no write`,
        ),
      );
    }
  }
  attempt(checks, 'state folder', () => {
    checkFolder(settings.stateDir);
    checks.push(ok('state folder', settings.stateDir));
  });
  return { checks, selection };
}

function attempt<T>(checks: Check[], name: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    checks.push(problem(name, thrown));
    return undefined;
  }
}

/** A setting with a problem must not be listed as ok too. */
function attemptConfig(checks: Check[], read: () => unknown): void {
  const before = checks.length;
  attempt(checks, 'config', read);
  const fine = checks.findIndex(({ check, status }) => check === 'config' && status === 'ok');
  if (checks.length > before && fine >= 0) checks.splice(fine, 1);
}
