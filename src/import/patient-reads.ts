import type { Context } from '../context.ts';
import { elapsedText } from '../core/time.ts';
import type { Patience } from '../http/call.ts';
import { READ_PATIENCE_MS } from '../listing/list-pages.ts';

/** From this failure of a read on, the user learns why nothing moves. */
const SAID_AT = 3;

/**
 * How the reads of an import retry. They are as patient as sending: only the patience ends them. A dry run
 * sends nothing, so it ends after `--retries`.
 */
export function importPatience(ctx: Context, patienceMs = READ_PATIENCE_MS): Patience {
  const { clock, signal, flags } = ctx;
  const { retries } = flags;
  return {
    clock,
    signal,
    patienceMs,
    retries: ctx.flags.dryRun ? retries : Number.POSITIVE_INFINITY,
    lastingRetries: retries,
    onWait({ attempt, failure }) {
      if (attempt !== SAID_AT) return;
      const text = `${failure().message}; proc reads again for up to ${elapsedText(patienceMs / 1_000)}`;
      ctx.io.say({ kind: 'warning', text });
    },
  };
}
