import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Clock, Target } from '../../core/ports.ts';
import { openDatabase } from '../../store/open.ts';

const LOOK_AGAIN_MS = 200;

/**
 * One import at a time per profile, environment and noun: an exclusive lock of SQLite on a file of
 * its own. The operating system holds it for the process, so it goes however that ends.
 *
 * @param waitMs how long to wait for another import.
 * @param verb what is refused meanwhile, for the message
 * @returns what lets go of it
 * @throws ProcError `invalid_usage` where it stays taken
 */
export async function lockImport(
  folder: string,
  noun: string,
  target: Pick<Target, 'profile' | 'environment' | 'baseUrl'>,
  { clock, signal, waitMs = 0 }: { clock: Clock; signal: AbortSignal; waitMs?: number },
  verb: 'import' | 'discard' = 'import',
): Promise<() => void> {
  const bound = JSON.stringify([target.profile, target.environment, target.baseUrl]);
  const name = createHash('sha256').update(bound).digest('hex').slice(0, 12);
  const file = openDatabase(join(folder, `${noun}-${name}.lock`), { busyTimeoutMs: 0, wal: false });
  const giveUpAt = clock.now() + waitMs;
  for (;;) {
    try {
      file.exec('BEGIN EXCLUSIVE');
      return () => file.close();
    } catch (thrown) {
      if (clock.now() >= giveUpAt || (thrown as { errcode?: unknown }).errcode !== 5) {
        file.close();
        if ((thrown as { errcode?: unknown }).errcode !== 5) throw thrown;
        const where = target.profile ?? new URL(target.baseUrl).host;
        const isImport = verb === 'import';
        const who = isImport ? 'Another' : 'An';
        throw new ProcError('invalid_usage', `${who} import of ${noun} into ${where} is running`, {
          hint: `Wait for its end (proc imports list shows it)${isImport ? ', or let this one wait: --wait-lock 5m' : ''}`,
        });
      }
    }
    await clock.sleep(LOOK_AGAIN_MS, signal);
  }
}
