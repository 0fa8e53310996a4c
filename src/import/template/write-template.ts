import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { csvHeader } from '../../output/format/csv.ts';
import type { SheetColumn } from '../../output/format/xlsx/cell-value.ts';
import {
  letters,
  MOST_ROWS,
  sheetHead,
  sheetRow,
  sheetTail,
} from '../../output/format/xlsx/sheet-xml.ts';
import { Styles } from '../../output/format/xlsx/styles.ts';
import { sheetPart, workbookParts } from '../../output/format/xlsx/workbook-parts.ts';
import { xmlText } from '../../output/format/xlsx/xml-text.ts';
import { type WriteBytes, ZipWriter } from '../../output/format/xlsx/zip-writer.ts';
import { openOutFile } from '../../output/out-file.ts';
import { type ImportTarget, shapeOf } from '../targets/import-target.ts';
import { columnsToFill, type TemplateColumn } from './columns-to-fill.ts';

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
    next: [
      {
        command: `proc ${target.noun} import ${inShell(file)}${grouping}`,
        why: 'Import the file once it is filled in',
      },
    ],
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

/**
 * One sheet to fill in, and one sheet with an example. Text columns have the text format, so that a
 * spreadsheet changes no code.
 */
async function templateWorkbook(
  columns: readonly TemplateColumn[],
  names: { readonly sheet: string; readonly example: string },
  write: WriteBytes,
): Promise<void> {
  const sheetColumns = columns.map(
    ({ header, kind, isRequired }): SheetColumn => ({
      field: header,
      kind: undefined,
      isIdentifier: false,
      own: kind === 'number' || kind === 'integer' ? 'number' : 'text',
      isRequired,
    }),
  );
  const example = Object.fromEntries(columns.map(({ header, example: value }) => [header, value]));
  const head = sheetHead(sheetColumns, [example]);
  const styles = new Styles();
  const zip = new ZipWriter(write);
  const count = columns.length;
  await zip.add(sheetPart(0), head + sheetTail(count, 1, validations(columns)));
  const row = sheetRow(example, 2, { columns: sheetColumns, styles });
  await zip.add(sheetPart(1), head + row + sheetTail(count, 2));
  const sheets = [
    { name: names.sheet, columns: count, rows: 1 },
    { name: names.example, columns: count, rows: 2 },
  ];
  for (const [name, text] of workbookParts(sheets, styles.xml(), 'template')) {
    await zip.add(name, text);
  }
  await zip.end();
}

function validations(columns: readonly TemplateColumn[]): string {
  const rules = columns.flatMap(({ kind, choices }, index) => {
    const column = letters(index);
    const cells = `allowBlank="1" showErrorMessage="1" sqref="${column}2:${column}${MOST_ROWS}"`;
    if (choices !== undefined) {
      return [
        `<dataValidation type="list" ${cells}><formula1>${xmlText(`"${choices.join(',')}"`)}</formula1></dataValidation>`,
      ];
    }
    return kind === 'integer'
      ? [
          `<dataValidation type="whole" operator="greaterThan" ${cells}><formula1>0</formula1></dataValidation>`,
        ]
      : [];
  });
  return rules.length === 0
    ? ''
    : `<dataValidations count="${rules.length}">${rules.join('')}</dataValidations>`;
}
