import type { Ports } from '../../core/ports.ts';
import { importingFile } from '../../messages/bulk.ts';
import { type ImportLock, lockImport } from '../ledger/processes/import-lock.ts';
import type { Source } from '../source/record.ts';
import type { ImportRequest } from './import-request.ts';
import { refuseUnfinished } from './refuse-unfinished.ts';

/**
 * Without `--stage`, first checks that a confirmation is possible: nobody should wait for the lock
 * in vain.
 *
 * @throws ProcError `confirmation_required`; `import_busy`; `import_unfinished`
 */
export async function lockStart(
  source: Source,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<ImportLock> {
  const { target, folder, destination, scope, flags } = request;
  if (flags.stage !== true) {
    await ports.api.ensureAskable({
      what: importingFile(target.many, source.name),
      weight: 'bulk',
    });
  }
  const { clock, signal } = ports.self;
  const lock = await lockImport(
    {
      folder,
      noun: target.noun,
      baseUrl: destination.baseUrl,
      organization: scope.organization,
    },
    { clock, signal, waitMs: flags.waitLock ?? 0 },
  );
  try {
    // The import that held the lock may have imported the same file.
    refuseUnfinished(source, request, ports);
    return lock;
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}
