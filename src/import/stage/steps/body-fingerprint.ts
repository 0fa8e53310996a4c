import { looseFingerprintOf } from '../../../history/fingerprints.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { RowStep } from '../row-step.ts';

/** For nouns without a list, only the fingerprint of the body shows that a row was sent before. */
export const bodyFingerprint: RowStep = {
  name: 'body fingerprint',
  begin({ target }) {
    if (target.listing !== undefined) return undefined;
    const fingerprintOf = bodyFingerprintOf(target);
    return {
      apply: (row) =>
        row.problem === undefined ? { ...row, fingerprint: fingerprintOf(row.body) } : row,
    };
  },
};

/** Undefined for nouns with a list. */
export function bodyFingerprintOf({ listing, create: { method, path } }: ImportTarget) {
  return listing === undefined
    ? (body: unknown) => looseFingerprintOf(method, path, body)
    : () => undefined;
}
