import { command } from '../../../core/command.ts';
import { isSignalled, ProcError } from '../../../core/errors.ts';
import type { Column } from '../../../core/result.ts';
import { listSectors } from '../../../nouns/sectors/index.ts';
import { type FoundCredential, findCredential } from '../../credential/credential.ts';
import { openSettings } from '../../read/open-settings.ts';
import { isProtected } from '../../read/resolve-target.ts';
import { select } from '../../read/select-target.ts';
import type { Sourced } from '../../read/setting-origin.ts';

const COLUMNS: readonly Column[] = [
  { key: 'profile', header: 'profile' },
  { key: 'environment', header: 'environment', kind: 'environment' },
];

function storeOf({ value, origin, place }: Sourced<FoundCredential>): string {
  if (value.kind === 'command') return 'command';
  if (origin === 'variable') return place;
  return origin === 'default' ? 'built-in' : 'file';
}

export const status = command({
  path: ['auth', 'status'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show the target and the key, and test them with one read',
  description: 'Shows the key as a fingerprint.',
  examples: [{ run: 'proc auth status', doc: 'test the key with one request' }],
  exitCodes: [3, 4, 5, 6, 7],
  endpoints: [listSectors],
  needs: ['api', 'self'],
  async run(_input, ports) {
    const sources = openSettings(ports.self).sources();
    const selection = select(sources);
    const found = findCredential(sources, selection);
    const { key, baseUrl } = await ports.api.target();
    const value = {
      profile: selection.profile?.value ?? null,
      environment: selection.environment?.value ?? null,
      baseUrl,
      protected: isProtected(selection).value,
      // In a preview, `key` is undefined if only a `credentialCommand` would print it.
      scheme: key?.scheme ?? null,
      fingerprint: key?.fingerprint ?? null,
      store: storeOf(found),
      from: found.value.kind === 'command' ? `command ${found.value.argv[0]}` : found.place,
    };
    try {
      return await ports.api.read(listSectors, {}, () => ({
        kind: 'record',
        columns: COLUMNS,
        value: { ...value, check: 'ok' },
        idField: 'profile',
      }));
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      const shown = { ...value, check: thrown.code };
      return {
        kind: 'record',
        columns: COLUMNS,
        value: shown,
        idField: 'profile',
        failure: thrown,
      };
    }
  },
});
