import { ProcError } from '../../../core/errors.ts';
import type { RecordResult } from '../../../core/result.ts';

export async function resolveRows(..._: readonly unknown[]): Promise<RecordResult> {
  throw new ProcError('bug', 'imports resolve moves to the one ledger');
}
