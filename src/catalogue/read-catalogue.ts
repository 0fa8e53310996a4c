import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { progressFor } from '../import/report/progress.ts';
import { ITEM_IMPORT } from '../import/targets/item-import.ts';
import { type Listed, Listing } from '../listing/listing.ts';
import { patientReader, READ_PATIENCE_MS } from '../listing/patient-reader.ts';
import { scanInBatches } from '../listing/scan.ts';
import { importPlanMessages } from '../messages/planning.ts';

const CONNECTIONS = 6;
const ROWS_AT_ONCE = 1_000;

/**
 * Reads all items of the catalogue, and passes many at a time to `onRows`.
 *
 * @returns the number of items
 * @throws ProcError `incomplete` if the end of the list cannot be verified
 */
export async function readCatalogueTo(
  onRows: (rows: readonly Listed[]) => void,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<number> {
  const { clock, signal, flags } = ports.self;
  const sender = await ports.api.sender(CONNECTIONS);
  const patience = { clock, signal, retries: flags.retries, patienceMs: READ_PATIENCE_MS };
  const listing = new Listing(ITEM_IMPORT, {
    target: sender.target,
    read: patientReader(sender, patience),
  });
  const progress = progressFor(ports, undefined);
  const { steps } = importPlanMessages[await ports.io.lang()];
  let count = 0;
  const isComplete = await scanInBatches(listing, ROWS_AT_ONCE, (rows) => {
    onRows(rows);
    count += rows.length;
    progress.step(steps.readingCatalogue(count), { step: 'catalogue', rows: count });
  });
  progress.finish();
  if (isComplete) return count;
  throw new ProcError(
    'incomplete',
    `nothing was compared: ${count === 1 ? '1 item was' : `${count} items were`} read, but the list may be incomplete`,
    {
      hint: 'Detect the parameter names: proc doctor. If the service returns every list in one response, set PROC_DIALECT=paging=none',
    },
  );
}
