import { command } from '../../../core/command.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import { fingerprint } from '../../clean-secret.ts';
import { findCredential } from '../../credential.ts';
import { environmentNames, environmentNotFound, hasProfile, profileNotFound } from '../../names.ts';
import { openSettings } from '../../open-settings.ts';
import { type Selection, type Sources, select } from '../../select-target.ts';
import { ENVIRONMENT_COLUMNS, environmentRow } from './profile-rows.ts';

export const show = command({
  path: ['profile', 'show'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show the target in use and where its address and key come from, or a profile',
  description: 'Shows keys as fingerprints. With a name: all environments of that profile.',
  args: {
    name: { doc: 'name of the profile', optional: true, from: 'proc profile list' },
  },
  examples: [
    { run: 'proc profile show', doc: 'the target in use' },
    { run: 'proc profile show acme', doc: 'all environments of a profile' },
    { run: 'proc profile show acme -e staging', doc: 'one environment' },
  ],
  exitCodes: [3],
  needs: ['self'],
  async run({ args }, ports) {
    const settings = openSettings(ports.self);
    const config = settings.config();
    if (args.name === undefined) {
      const sources = settings.sources();
      const columns = [
        ...ENVIRONMENT_COLUMNS,
        { key: 'baseUrlFrom', header: 'ADDRESS FROM', priority: 2 },
        { key: 'credentialFrom', header: 'KEY FROM', priority: 2 },
      ];
      const rows = [targetRow(sources, select(sources))];
      return { kind: 'rows', columns, rows, idField: 'environment', empty: '' };
    }
    const profile = args.name.normalize('NFC');
    if (!hasProfile(config, profile)) throw profileNotFound(config, profile, '');
    const only = ports.self.flags.env;
    const names = environmentNames(config, profile);
    if (only !== undefined && !names.includes(only)) {
      throw environmentNotFound(config, profile, only, '--env');
    }
    return {
      kind: 'rows',
      columns: ENVIRONMENT_COLUMNS,
      rows: names
        .filter((name) => only === undefined || name === only)
        .map((name) => environmentRow(config, profile, name)),
      idField: 'environment',
      empty: `Profile "${profile}" has no environments.`,
    };
  },
});

function targetRow(sources: Sources, selection: Selection): Row {
  const { profile, environment, url, known } = selection;
  return {
    profile: profile?.value ?? null,
    ...(known === undefined
      ? { environment: environment?.value ?? null }
      : environmentRow(sources.config, known.profile, known.environment)),
    baseUrl: url.value.href,
    baseUrlFrom: url.place,
    ...credentialIn(sources, selection),
  };
}

/** Null without a key that may be sent to the address. */
function credentialIn(sources: Sources, selection: Selection) {
  try {
    const { value, place } = findCredential(sources, selection);
    const credential =
      value.kind === 'command'
        ? `command ${value.argv[0]}`
        : `${value.credential.scheme} ${fingerprint(value.credential.secret)}`;
    return { credential, credentialFrom: place };
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return { credential: null, credentialFrom: null };
  }
}
