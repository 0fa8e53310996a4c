import { looseFingerprintOf } from '../../../history/fingerprints.ts';
import type { RowStep } from '../row-step.ts';

/**
 * Computes a fingerprint of each body, to recognise rows that were sent before. Only for nouns
 * without a list, where no list shows what exists.
 */
export const bodyFingerprint: RowStep = {
  name: 'body fingerprint',
  begin({ target: { listing, create } }) {
    if (listing !== undefined) return undefined;
    return {
      apply: (row) =>
        row.problem === undefined
          ? { ...row, fingerprint: looseFingerprintOf(create.method, create.path, row.body) }
          : row,
    };
  },
};
