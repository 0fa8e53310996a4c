import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Written } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';

const NAMED = 5;

/**
 * If a write succeeded but its result could not be printed, returns an error that names the write.
 * Returns any other error unchanged.
 */
export function undelivered(
  thrown: unknown,
  written: readonly Written[],
  result?: Result,
): unknown {
  const isOutput = thrown instanceof ProcError && thrown.code === 'unwritable_output';
  if (!isOutput || written.length === 0) return thrown;
  const failure = result !== undefined && 'failure' in result ? result.failure : undefined;
  // An unknown outcome or a signal matters more than lost output.
  if (failure instanceof ProcError && outranks(failure)) return failure;
  const named = written.slice(0, NAMED).map(({ what, created }) => {
    return created === undefined ? what : `${what} (${created})`;
  });
  const more = written.length > NAMED ? `, and ${written.length - NAMED} more` : '';
  return new ProcError(
    'undelivered',
    `done: ${named.join(', ')}${more}, but the result could not be written: ${thrown.message}`,
    {
      hint: `See it: ${written[0]!.see}`,
      details: { written: written.map(({ what, created = null }) => ({ what, created })) },
      cause: thrown,
    },
  );
}

function outranks({ exitCode }: ProcError): boolean {
  return exitCode === EXIT.outcomeUnknown || exitCode >= EXIT.hungUp;
}
