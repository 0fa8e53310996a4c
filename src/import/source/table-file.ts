import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { sentence } from '../../core/problem/sentence.ts';
import type { Row } from '../../core/result.ts';
import { placeOf } from '../report/words.ts';
import { importsFolder, openWorkplace } from '../workplace.ts';
import { removeSpool } from './bytes/spool.ts';
import { type OpenOptions, openSource } from './open-source.ts';

export interface TableFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

interface TableRow {
  /** `row 3, line 4`, for errors. */
  readonly place: string;
  readonly fields: Row;
}

type TableOptions = Pick<OpenOptions, 'sheet' | 'encoding' | 'place' | 'confirmEncoding'>;

/**
 * Reads a file that is no import, in any format that imports read. Leaves nothing in the state folder.
 *
 * @throws ProcError `unreadable_file`; `invalid_input`, with the first row that cannot be read
 */
export async function readTable(
  file: string,
  options: TableOptions,
  { io, self }: Ports<'io' | 'self'>,
): Promise<TableFile> {
  using workplace = openWorkplace(importsFolder(self), true);
  const { folder: spoolFolder } = workplace;
  const { stdin } = io.streams;
  const source = await openSource({ ...options, file, cwd: self.cwd, stdin, spoolFolder });
  try {
    const rows: TableRow[] = [];
    for await (const batch of source.records()) {
      for (const { row, line, fields, problem } of batch) {
        const place = placeOf(row, line);
        if (fields === undefined || problem !== undefined) {
          const message =
            problem === undefined
              ? 'the row cannot be read'
              : sentence({ ...problem, field: undefined });
          throw new ProcError('invalid_input', `${source.name}, ${place}: ${message}`, {
            hint: 'Fix the file and run the command again',
          });
        }
        rows.push({ place, fields });
      }
    }
    return { name: source.name, columns: source.columns, rows };
  } finally {
    removeSpool(source, spoolFolder);
  }
}
