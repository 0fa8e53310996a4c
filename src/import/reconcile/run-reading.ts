import type { Context } from '../../context.ts';
import { foldCode } from '../../core/fold-code.ts';
import type { Sender } from '../../core/service.ts';
import type { KeyedRow, RunLedger } from '../../ledger/run-ledger.ts';
import { patientReader } from '../../listing/list-pages.ts';
import { Listing } from '../../listing/listing.ts';
import { Search } from '../../listing/search.ts';
import type { Findings } from '../ended-run.ts';
import type { Gate } from '../gate.ts';
import type { RunHeader } from '../run-header.ts';
import type { RunOptions } from '../run-options.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { importsFolder } from '../workplace.ts';
import { finderFor, textsIn } from './find-by-fold.ts';
import type { LookUpsPorts } from './look-ups.ts';
import { verify } from './verify.ts';

export interface RunReading extends Pick<LookUpsPorts, 'find'> {
  /**
   * Searches for a row that was not sent.
   *
   * @returns ids of the records with its code, if a search can tell
   * @throws ProcError
   */
  search(row: KeyedRow): Promise<readonly string[]>;
  /** What the list shows of the rows that the run has created. @throws ProcError */
  verify(created: number): Promise<Findings>;
}

interface ReadingPorts {
  readonly target: ImportTarget;
  readonly sender: Sender;
  readonly gate: Gate;
  readonly options: Pick<RunOptions, 'patienceMs' | 'settleMs'>;
  readonly header: Pick<RunHeader, 'choices'>;
}

/** How a run reads the list of its noun. Nobody calls it for a noun without one. */
export function readingOf(
  { target, sender, gate, options, header }: ReadingPorts,
  ledger: RunLedger,
  number: number,
  ctx: Context,
): RunReading {
  const { keyField } = target;
  const { clock, signal } = ctx;
  const { patienceMs, settleMs } = options;
  const fold = header.choices.exactCodes ? (code: string) => code : foldCode;
  const read = patientReader(sender, {
    ...{ clock, signal, patienceMs },
    // As for creates, only the patience decides when to give up.
    retries: Number.POSITIVE_INFINITY,
    lastingRetries: Number.POSITIVE_INFINITY,
    onWait({ ms, outcome, reason }) {
      if (outcome.kind === 'throttled') gate.close(ms, { text: reason });
    },
  });
  const listing = () => new Listing(target, { target: sender.target, read });
  const codeIn = (body: string) => textsIn(body, keyField)[0] ?? '';
  return {
    find: finderFor(ledger, number, listing, codeIn, fold),
    async search({ body }) {
      const search = new Search(listing());
      const found = (await search.isUsable()) ? await search.find(codeIn(body)) : undefined;
      return [...(found?.keys() ?? [])];
    },
    verify: (created) =>
      verify({
        ...{ ledger, number, created, listing, fold, clock, signal, settleMs },
        folder: importsFolder(ctx),
        shownOf: (body) => textsIn(body, keyField, target.listing!.nameField),
      }),
  };
}
