import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import { bulkMessages } from '../../messages/bulk.ts';
import { type ImportPlanMessages, importPlanMessages } from '../../messages/planning.ts';
import { fieldsOf } from '../../nouns/shared/references/look-up-references.ts';
import { needsConfirmation } from '../../terminal/confirm-change.ts';
import type { ImportFlags } from '../import-flags.ts';
import type { Source } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import type { Mapping } from './mapping.ts';
import { type Matches, matchColumns } from './match.ts';
import { parseMapping } from './parse.ts';
import { isAddedColumn } from './repair/added-columns.ts';
import { replacedColumns, samples, unsentColumns } from './report.ts';

type MappingFlags = Pick<ImportFlags, 'map' | 'set' | 'null' | 'decimal' | 'groupBy'>;

/** The part of a noun, or of its flat rows, that the mapping needs. */
export type MappingTarget = Pick<ImportTarget, 'noun' | 'one' | 'keyField' | 'fields'> & {
  readonly references?: ImportTarget['references'];
};

/**
 * Maps the source's columns to fields: from flags and files; or else by columns with the same names
 * as the fields; or else by similar names, which a person must confirm.
 *
 * @param given the map of `--map-file` or `--map-from`
 * @param earlier mapping of the run that the source repairs, unless a flag names another
 * @throws ProcError `invalid_usage`; `confirmation_required` with the complete command
 */
export async function chooseMapping(
  source: Source,
  target: MappingTarget,
  flags: MappingFlags,
  given: object | undefined,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
  earlier?: object | undefined,
): Promise<Mapping> {
  const { fields } = target;
  // An empty array has no rows and no columns, so there is nothing to map.
  if (source.columns.length === 0 && source.head.length === 0) return { fields: {}, nulls: [] };
  const mapFile = given ?? earlier;
  const args = {
    map: flags.map,
    set: flags.set,
    nulls: flags.null,
    decimal: flags.decimal,
    // Only references that are a single word, as in `@order.currency`.
    references: new Map(
      (target.references ?? [])
        .filter(({ field }) => /^\w+$/.test(field))
        .map(({ field, to }) => [field, fieldsOf(to)] as const),
    ),
    allowUnknown: ports.self.flags.allowUnknown,
    mapFile,
    isRepair: given === undefined && earlier !== undefined,
  };
  let mapping: Mapping;
  if (mapFile !== undefined || flags.map.length > 0) {
    mapping = parseMapping(args, source, fields);
  } else {
    const matches = matchColumns(source, fields);
    if (!matches.exact) await confirmMatches(source, target, matches, args, ports);
    mapping = parseMapping({ ...args, matched: matches.matched }, source, fields);
  }
  const replaced = replacedColumns(mapping, source.columns);
  const unsent = unsentColumns(mapping, source.columns).filter(
    (column) => !isAddedColumn(column) && column !== flags.groupBy && !replaced.includes(column),
  );
  if (unsent.length > 0) {
    ports.io.say({ kind: 'notice', text: `Columns not sent: ${shortList(unsent)}` });
  }
  if (replaced.length > 0) {
    const text = `Columns overridden by the mapping: ${shortList(replaced)}`;
    ports.io.say({ kind: 'notice', text });
  }
  return mapping;
}

async function confirmMatches(
  source: Source,
  target: MappingTarget,
  matches: Matches,
  args: Parameters<typeof parseMapping>[0],
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<void> {
  const { matched } = matches;
  if (matched.size === 0) {
    throw new ProcError(
      'invalid_usage',
      `no column of ${source.name} matches a field of ${target.one === 'item' ? 'an item' : `a ${target.one}`}: ${shortList(source.columns)}`,
      {
        hint: `Map the columns, e.g. --map ${target.keyField}=${inShell(source.columns[0] ?? 'COLUMN')} …`,
        details: { columns: source.columns, fields: target.fields.fields.map(({ name }) => name) },
      },
    );
  }
  const { fields } = parseMapping({ ...args, matched }, source, target.fields);
  const flags = [...matched].flatMap(([field, column]) => {
    const rule = fields[field];
    // If another flag overrides the match, the user already typed that flag.
    return rule !== undefined && 'column' in rule && rule.column === column
      ? ['--map', `${field}=${column}`]
      : [];
  });
  // A session that is not interactive cannot answer the import's own question either, so the
  // command includes --yes.
  const { yes } = ports.self.flags;
  const agreed = yes || ports.api.isPreview || ports.io.terminal.interactive ? [] : ['--yes'];
  const command = typedAgain(ports.self.typed, [...flags, ...agreed]);
  if (!ports.io.terminal.interactive) {
    throw new ProcError(
      'confirmation_required',
      `${matchesText(source, matches, importPlanMessages.en)}\n${needsConfirmation('This match')}`,
      {
        hint: `If it is right, run: ${command}`,
        details: { matched: Object.fromEntries(matched), command },
      },
    );
  }
  const lang = await ports.io.lang();
  const text = matchesText(source, matches, importPlanMessages[lang]);
  ports.io.say({ kind: 'notice', text });
  if (ports.self.flags.yes) return;
  const words = bulkMessages[lang];
  if (await ports.ask.confirm(words.useColumns, true)) return;
  throw new ProcError(
    'confirmation_required',
    'the column mapping was not confirmed; nothing was sent',
    {
      hint: `Map the columns yourself, e.g.: ${command}`,
    },
  );
}

function matchesText(
  { head }: Source,
  { matched, ambiguous }: Matches,
  words: ImportPlanMessages,
): string {
  const lines = [
    ...[...matched].map(
      ([field, column]) =>
        `  ${field} ← ${column}  (${samples(head, column).join(' · ') || words.emptyColumn})`,
    ),
    ...[...ambiguous].map(([field, columns]) => words.columnAmbiguous(field, columns.join(', '))),
  ];
  return words.columnsMatched(lines.join('\n'));
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}
