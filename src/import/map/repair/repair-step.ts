import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { RunHeader } from '../../ledger/header.ts';
import { Journal } from '../../ledger/journal.ts';
import { importsFolder, journalPath } from '../../ledger/runs.ts';
import type { MappedRow, SourceRecord } from '../../source/record.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { textOf } from '../convert.ts';
import { codeComparison } from './changed-codes.ts';
import { isMarked } from './recognise.ts';
import { stillUnread } from './still-unread.ts';

/** Codes that changed which a message names. */
const NAMED = 5;

/** Codes that changed which its details hold: all may have, and a million of them help nobody. */
const DETAILED = 100;

/** Gives the row with the one that it repairs. Notes codes that are others than they were. */
type Follow = (row: MappedRow, record: SourceRecord) => MappedRow;

/** A file of rejected rows that comes back: what was done to it is undone, and what it mends is known. */
export interface Mended {
  /** The rows stood in a workbook once. */
  readonly isOfWorkbook: boolean;
  /** Begins to read the source, once more perhaps: what was noted before is forgotten. */
  follow(): Follow;
  /** @throws ProcError `invalid_input` where codes changed and nobody said that this is right */
  checkCodes(): void;
  close(): void;
}

/** @returns undefined where the source is no file of rejected rows */
export function openMended(
  header: RunHeader,
  target: ImportTarget,
  ports: Ports<'self'>,
): Mended | undefined {
  const { mends, source, choices } = header;
  if (mends === undefined && !isMarked(source.columns)) return undefined;
  const earlier =
    mends === undefined
      ? undefined
      : Journal.open(journalPath(importsFolder(ports.self.env), mends), true);
  const codes = earlier && codeComparison(earlier, header, target);
  const unread = earlier && stillUnread(earlier);
  const changed = new Map<number, string>();
  let changes = 0;
  return {
    isOfWorkbook: earlier?.header.source.format.workbook !== undefined,
    follow() {
      const compare = codes?.();
      changed.clear();
      changes = 0;
      return (row, { fields }) => {
        const run = textOf(fields?._run)?.trim() ?? '';
        if (mends === undefined || run === '') return row;
        if (run !== mends) {
          const message = `is of the run ${run}, the rows before of ${mends}; import them one by one`;
          return { ...row, body: undefined, problem: { field: '_run', message } };
        }
        const was = Number(textOf(fields?._row));
        if (!(Number.isSafeInteger(was) && was > 0)) {
          const message = 'says no more which row of that run it is; leave it as it was';
          return { ...row, body: undefined, problem: { field: '_row', message } };
        }
        const still = unread?.(was, row);
        if (still !== undefined) {
          return { ...row, body: undefined, problem: { message: still }, mends: was };
        }
        const change = compare?.(was, row);
        if (change !== undefined && ++changes <= DETAILED) changed.set(row.row, change);
        return { ...row, mends: was };
      };
    },
    checkCodes() {
      if (changes === 0 || choices.acceptChangedCodes) return;
      const shown = [...changed].slice(0, NAMED).map(([row, change]) => `row ${row}: ${change}`);
      throw new ProcError(
        'invalid_input',
        `${changes === 1 ? '1 row has another code than when it was' : `${changes} rows have another code than when they were`} rejected: ${shown.join('; ')}${changes > NAMED ? '; …' : ''}. Nothing was sent`,
        {
          hint: 'Spreadsheets take zeros from codes: put them back, with the column as text. If the new codes are right: --accept-changed-codes',
          details: { changed: Object.fromEntries(changed) },
        },
      );
    },
    close: () => earlier?.close(),
  };
}
