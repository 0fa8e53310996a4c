import type { FlagSpecs } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';

export const FILE_FLAG = {
  file: {
    kind: 'string',
    value: 'file',
    short: 'f',
    doc: 'read the body from a JSON or YAML file (- for JSON on stdin); flags override it',
  },
} as const satisfies FlagSpecs;

const LONGEST = 255;

export const ONCE_FLAG = {
  once: {
    kind: 'string',
    value: 'key',
    doc: 'create at most once with this key, which never expires; run again, it prints the first result',
  },
} as const satisfies FlagSpecs;

/** @throws ProcError `invalid_usage` */
export function onceKey({ once }: { readonly once?: string | undefined }): string | undefined {
  if (once === undefined) return undefined;
  if (once.length > LONGEST || /\p{C}/u.test(once)) {
    throw new ProcError(
      'invalid_usage',
      `--once: expected at most ${LONGEST} characters, without control characters`,
      { hint: 'Use e.g. --once inv-77, or --once "$(uuidgen)" kept beside the job' },
    );
  }
  return once.normalize('NFC');
}
