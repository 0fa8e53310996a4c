import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { csvHeader } from '../../output/format/csv.ts';
import { openOutFile } from '../../output/out-file.ts';
import { type ImportTarget, shapeOf } from '../targets/import-target.ts';
import { columnsToFill, type TemplateColumn } from './columns-to-fill.ts';
import { templateWorkbook } from './template-workbook.ts';

const SHEETS = {
  en: {
    items: 'Items',
    requisition: 'Requisitions',
    imputations: 'Imputations',
    example: 'Example',
  },
  es: {
    items: 'Artículos',
    requisition: 'Requisiciones',
    imputations: 'Imputaciones',
    example: 'Ejemplo',
  },
} as const;

/**
 * An existing file is never overwritten, because it may contain data.
 *
 * @throws ProcError `invalid_usage`, `unwritable_output`
 */
export async function writeTemplate(
  target: ImportTarget,
  file: string,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<Result> {
  const { cwd, flags } = ports.self;
  const [ending] = /\.(?:csv|xlsx)$/i.exec(file) ?? [];
  if (ending === undefined) {
    throw new ProcError(
      'invalid_usage',
      `--template ${file}: its extension selects the format, one of: .xlsx, .csv`,
      { hint: `Use e.g. --template ${target.many}.xlsx` },
    );
  }
  const path = resolve(cwd, file);
  if (existsSync(path)) {
    throw new ProcError(
      'invalid_usage',
      `--template ${file}: the file already exists and may contain data`,
      {
        hint: 'Choose another name, or remove the file first',
      },
    );
  }
  const lang = await ports.io.lang();
  const isFlat = target.grouped !== undefined;
  const shape = shapeOf(target, isFlat ? '' : undefined);
  const columns = columnsToFill(shape.fields, lang);
  const title = columns.find(({ field }) => field === target.grouped?.titleField)?.header;
  // For example the order or the contract of an imputation.
  const choices = (target.needed ?? []).flatMap(({ fields }) => {
    const headers = columns.filter(({ field }) => fields.includes(field)).map((one) => one.header);
    return headers.length > 1 ? [headers] : [];
  });
  const grouping = title === undefined ? '' : ` --group-by ${inShell(title)}`;
  const value = {
    template: path,
    columns: columns.map(({ header }) => header),
    required: columns.filter(({ isRequired }) => isRequired).map(({ header }) => header),
    ...(choices.length === 0 ? {} : { requiredOneOf: choices }),
    example: Object.fromEntries(
      columns.flatMap(({ header, example }) => (example === undefined ? [] : [[header, example]])),
    ),
    next: `proc ${target.noun} import ${inShell(file)}${grouping}`,
  };
  if (ports.api.isPreview) return { kind: 'record', value: { dryRun: true, ...value } };
  const out = await openOutFile(path, '--template');
  try {
    if (ending.toLowerCase() === '.csv') await out.write(csvTemplate(columns, flags.csvDialect));
    else {
      const words = SHEETS[lang];
      const sheet = words[target.noun as keyof typeof words];
      await templateWorkbook(columns, { sheet, example: words.example }, (bytes) =>
        out.write(bytes),
      );
    }
    await out.commit();
  } catch (thrown) {
    await out.abort();
    throw thrown;
  }
  return { kind: 'record', value };
}

/** Only the header: a row with an example would be imported by mistake. */
function csvTemplate(
  columns: readonly TemplateColumn[],
  dialect: 'rfc4180' | 'excel' | 'excel-es' = 'rfc4180',
): string {
  const line = csvHeader(
    columns.map(({ header }) => header),
    { dialect, raw: false },
  );
  // Without a byte order mark, Excel misreads accents.
  return line.startsWith('\ufeff') || /^[\0-\x7f]*$/.test(line) ? line : `\ufeff${line}`;
}
