import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { confirmEncoding } from '../../../import/source/confirm-encoding.ts';
import { readTable } from '../../../import/source/table-file.ts';
import { importsFolder } from '../../../import/store/runs.ts';
import { listSectors } from '../index.ts';
import { compareSectors, type SectorComparison } from './compare-sectors.ts';

/** Compares a file with the sectors of the service, and shows the counts on stderr. */
export async function readComparison(
  file: string,
  {
    sheet,
    encoding,
  }: { readonly sheet?: string | undefined; readonly encoding?: string | undefined },
  ports: Ports<'io' | 'lookup' | 'self' | 'ask'>,
): Promise<SectorComparison & { readonly name: string }> {
  const imports = importsFolder(ports.self);
  const table = await readTable(
    file,
    { sheet, encoding, confirmEncoding: (found) => confirmEncoding(found, file, imports, ports) },
    ports,
  );
  if (!(await ports.lookup.allowed())) {
    throw new ProcError('invalid_usage', 'cannot compare without reading the sectors', {
      hint: 'Remove --offline, and log in: proc auth login',
    });
  }
  const sectors = (await ports.lookup.call(listSectors, {})) as readonly Row[];
  const found = compareSectors(table, sectors);
  const { changes, unknown, same, unnamed, ignored } = found;
  const parts = [
    changes.length === 1 ? '1 sector differs' : `${changes.length} sectors differ`,
    `${same} the same`,
    ...(unknown.length > 0 ? [`${unknown.length} unknown to the service`] : []),
    ...(unnamed > 0 ? [`${unnamed} not in the file`] : []),
  ];
  ports.io.say({
    kind: 'notice',
    text: `Compared ${table.name} with the service: ${parts.join(', ')}`,
  });
  if (ignored.length > 0) {
    ports.io.say({ kind: 'notice', text: `Columns not compared: ${ignored.join(', ')}` });
  }
  return { ...found, name: table.name };
}
