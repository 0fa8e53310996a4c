import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import type { ImportFlags } from '../import-flags.ts';
import { namedColumns } from '../source/columns.ts';
import type { Fits } from '../source/likely-header.ts';
import type { Source, SourceLayout } from '../source/record.ts';
import type { TargetFields } from '../targets/import-target.ts';
import { parseTemplate } from './mapping.ts';
import { matchColumns } from './match.ts';

/** Adds a hint to an `invalid_usage` error, if the records seem to be elsewhere in the file. */
export async function withPlaceHint(
  thrown: unknown,
  source: Source,
  target: { readonly fields: TargetFields },
  flags: Pick<ImportFlags, 'map'>,
  ports: Ports<'self'>,
): Promise<unknown> {
  if (!(thrown instanceof ProcError) || thrown.code !== 'invalid_usage') return thrown;
  const found = await placeOf(source, target, flags);
  if (found === undefined) return thrown;
  const { headerRow, sheet, path } = found;
  const words = [
    ...(path === undefined ? [] : ['--path', path]),
    ...(sheet === undefined ? [] : ['--sheet', sheet]),
    ...(headerRow === undefined ? [] : ['--header-row', String(headerRow)]),
  ];
  const replaced = ['--path', '--sheet', '--header-row', '--skip-rows'];
  const command = typedAgain(ports.self.typed, words, replaced);
  return new ProcError(thrown.code, thrown.message, {
    hint: `${textOf(found)}. Try: ${command}`,
    details: { ...(thrown.details as object | undefined), command },
    cause: thrown,
  });
}

export async function placeOf(
  source: Source,
  { fields }: { readonly fields: TargetFields },
  flags: Pick<ImportFlags, 'map'>,
): Promise<SourceLayout | undefined> {
  return source.elsewhere?.(fitsOf(fields, flags));
}

function textOf({ headerRow, sheet, path }: SourceLayout): string {
  if (path !== undefined) return `The records seem to be at ${path}`;
  const within = sheet === undefined ? '' : ` of sheet ${JSON.stringify(sheet)}`;
  return headerRow === undefined
    ? `The records seem to be in sheet ${JSON.stringify(sheet)}`
    : `Row ${headerRow}${within} looks like the header`;
}

/** Scores a header: 1 for each column that matches a field, 2 for each column that `--map` names. */
function fitsOf(fields: TargetFields, { map }: Pick<ImportFlags, 'map'>): Fits {
  const typed = map.flatMap((text) => {
    const value = text.slice(text.indexOf('=') + 1).trim();
    return parseTemplate(value)?.parts.map(({ column }) => column) ?? [value];
  });
  return (cells) => {
    const trimmed = cells.map((cell) => cell.trim());
    const named = typed.filter((name) => trimmed.includes(name)).length;
    const { names, repeated } = namedColumns(cells);
    const table = { width: names.length, repeated };
    return 2 * named + matchColumns({ columns: names, table }, fields).matched.size;
  };
}
