import { ProcError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { cellText, type TableFile } from '../../../import/source/table-file.ts';

const FIELDS = ['key', 'name', 'description'] as const;

export interface SectorChange {
  readonly id: string;
  readonly sector: Row;
  /** `row 3, line 4` */
  readonly place: string;
  readonly body: Row;
}

export interface SectorComparison {
  readonly changes: readonly SectorChange[];
  readonly unknown: readonly { readonly place: string; readonly name: string }[];
  readonly same: number;
  readonly unnamed: number;
  /** Columns of the file that are not compared. */
  readonly ignored: readonly string[];
}

/**
 * Compares a file with the sectors of the service. A row names its sector by `id`, or by `key` if the id
 * is empty. An empty cell changes nothing.
 *
 * @throws ProcError `invalid_input`, e.g. if two rows name the same sector
 */
export function compareSectors(file: TableFile, sectors: readonly Row[]): SectorComparison {
  const columns = new Map(file.columns.map((column) => [column.trim().toLowerCase(), column]));
  if (!columns.has('id') && !columns.has('key')) {
    throw new ProcError(
      'invalid_input',
      `${file.name} has no column "id" and no column "key"; its columns: ${file.columns.join(', ')}`,
      {
        hint: 'Add one of them. To write a file that has both: proc sectors list --out sectors.csv',
      },
    );
  }
  const changes: SectorChange[] = [];
  const unknown: { place: string; name: string }[] = [];
  const places = new Map<Row, string>();
  for (const { place, fields } of file.rows) {
    const cell = (field: string) => cellText(fields[columns.get(field) ?? field]);
    const id = cell('id');
    const key = cell('key');
    if (id === '' && key === '') {
      throw invalid(
        file,
        place,
        'the id and the key are empty, so proc cannot tell which sector this is',
      );
    }
    const found = sectors.filter((sector) =>
      id === '' ? asText(sector.key) === key : asText(sector.id) === id,
    );
    if (found.length > 1) throw invalid(file, place, `several sectors have the key ${key}`);
    const [sector] = found;
    if (sector === undefined) {
      unknown.push({ place, name: id === '' ? `key ${key}` : `id ${id}` });
      continue;
    }
    const before = places.get(sector);
    if (before !== undefined) throw invalid(file, place, `the same sector as ${before}`);
    places.set(sector, place);
    const body = Object.fromEntries(
      FIELDS.map((field) => [field, cell(field)] as const).filter(
        ([field, value]) => value !== '' && value !== asText(sector[field]),
      ),
    );
    if (Object.keys(body).length > 0) {
      changes.push({ id: String(sector.id), sector, place, body });
    }
  }
  return {
    changes,
    unknown,
    same: places.size - changes.length,
    unnamed: sectors.length - places.size,
    ignored: [...columns]
      .filter(([name]) => name !== 'id' && !(FIELDS as readonly string[]).includes(name))
      .map(([, column]) => column),
  };
}

function invalid(file: TableFile, place: string, what: string): ProcError {
  return new ProcError('invalid_input', `${file.name}, ${place}: ${what}`, {
    hint: 'Fix the file and run the command again. Nothing was changed',
  });
}

/** Some services send ids as numbers. To compare them with a file, they become text. */
function asText(value: unknown): unknown {
  return numberText(value) ?? value;
}
