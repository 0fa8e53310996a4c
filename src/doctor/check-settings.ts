import { existsSync } from 'node:fs';
import { ProcError } from '../core/errors.ts';
import { placeName } from '../core/service-target.ts';
import type { Settings } from '../settings/read/open-settings.ts';
import { overview } from '../settings/read/overview.ts';
import { readOnlyOf } from '../settings/read/resolve-target.ts';
import { type Selection, select } from '../settings/read/select-target.ts';
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
    const { rows, problems } = overview(settings);
    for (const one of problems) {
      const name = one.code.includes('credential')
        ? 'credential'
        : one.message.startsWith('PROC_OUTPUT')
          ? 'output'
          : 'config';
      // A setting with a problem must not be listed as ok too.
      const fine = checks.findIndex(({ check, status }) => check === name && status === 'ok');
      if (fine >= 0) checks.splice(fine, 1);
      checks.push(problem(name, one));
    }
    const { value, place } = rows.find(({ key }) => key === 'credential') ?? {};
    if (typeof value === 'string') {
      checks.push(ok('credential', typeof place === 'string' ? `${value}, from ${place}` : value));
    }
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
