import { looseFingerprintOf } from '../../../history/fingerprints.ts';
import type { RowStep } from '../row-step.ts';

/** Recognises bodies that were sent before, of nouns that cannot be listed: no list tells that. */
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
