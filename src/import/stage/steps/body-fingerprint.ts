import { looseFingerprintOf } from '../../../history/fingerprints.ts';
import type { RowStep } from '../row-step.ts';

/** For nouns without a list, only the fingerprint of the body shows that a row was sent before. */
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
