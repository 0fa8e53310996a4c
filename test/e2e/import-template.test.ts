import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import readXlsxFile from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workbookParts } from '../support/edit-workbook.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { zip } from '../support/workbook.ts';

let sandbox: LoggedSandbox;
beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

function sql(query: string): Record<string, unknown>[] {
  const database = new DatabaseSync(sandbox.dbPath, { readOnly: true });
  try {
    return database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

interface Template {
  readonly template: string;
  readonly columns: readonly string[];
  readonly required: readonly string[];
  readonly requiredOneOf?: readonly (readonly string[])[];
  readonly example: Readonly<Record<string, string | number>>;
  readonly next: readonly { readonly command: string }[];
}

async function template(world: World, noun: string, file: string, ...flags: string[]) {
  const ran = await world.run([noun, 'import', '--template', file, ...flags]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(ran.stdout) as Template;
}

async function fillIn({ template, columns }: Template, row: Readonly<Record<string, unknown>>) {
  const parts = await workbookParts(template);
  const sheet = 'xl/worksheets/sheet1.xml';
  const cells = columns.map((header, at) => {
    const place = `${String.fromCharCode(65 + at)}2`;
    const value = row[header];
    if (value === undefined) return '';
    return typeof value === 'number'
      ? `<c r="${place}"><v>${value}</v></c>`
      : `<c r="${place}" s="1" t="inlineStr"><is><t>${value}</t></is></c>`;
  });
  parts[sheet] = parts[sheet]!.replace(
    '</sheetData>',
    `<row r="2">${cells.join('')}</row></sheetData>`,
  );
  await writeFile(template, zip(parts));
}

describe('import --template', () => {
  it('writes a workbook with all headers, and an example that no import reads', async () => {
    const world = await freshWorld(sandbox.target);
    const made = await template(world, 'items', 'items.xlsx');
    expect(made).toMatchObject({
      template: join(world.cwd, 'items.xlsx'),
      required: ['name', 'code'],
      next: [{ command: 'proc items import items.xlsx', why: expect.any(String) }],
    });
    const [sheet, example, ...others] = await readXlsxFile(made.template);
    expect(others).toEqual([]);
    expect(sheet).toEqual({ sheet: 'Items', data: [[...made.columns]] });
    expect(example).toEqual({
      sheet: 'Example',
      data: [[...made.columns], made.columns.map((header) => made.example[header] ?? null)],
    });
    const before = sql('SELECT count(*) AS n FROM items');
    const flags = ['--yes', '--allow', 'incomplete'];
    const ran = await world.run(['items', 'import', 'items.xlsx', ...flags]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 0, created: 0 });
    expect(sql('SELECT count(*) AS n FROM items')).toEqual(before);
  });

  it('names what an imputation needs: the amount, and one of order and contract', async () => {
    const world = await freshWorld(sandbox.target);
    const made = await template(world, 'imputations', 'i.xlsx');
    expect(made).toMatchObject({ required: ['amount'], requiredOneOf: [['contractId', 'order']] });
    const spanish = await template(world, 'imputations', 'es.csv', '--lang', 'es');
    expect(spanish.required).toEqual(['Importe']);
    expect(spanish.requiredOneOf).toEqual([['Contrato', 'Orden de compra']]);
    expect(await template(world, 'items', 'a.csv')).not.toHaveProperty('requiredOneOf');
  });

  it('has fields to choose from, and marks those that a row needs', async () => {
    const world = await freshWorld(sandbox.target);
    const { template: file, columns } = await template(world, 'requisition', 'r.xlsx');
    const sheet = (await workbookParts(file))['xl/worksheets/sheet1.xml']!;
    const method = String.fromCharCode(65 + columns.indexOf('group.deliveryMethod'));
    const quantity = String.fromCharCode(65 + columns.indexOf('quantity'));
    expect(sheet).toContain(
      `sqref="${method}2:${method}1048576"><formula1>&quot;pickup,delivery&quot;</formula1>`,
    );
    expect(sheet).toContain(`sqref="${quantity}2:${quantity}1048576"><formula1>0</formula1>`);
    const styleOf = (at: string) => new RegExp(`<c r="${at}1" s="(\\d)"`).exec(sheet)?.[1];
    expect(styleOf('A')).toBe(styleOf(method));
    expect(styleOf('A')).not.toBe(styleOf('B'));
  });

  it.each(['en', 'es'])('is imported as it is once it is filled in (%s)', async (lang) => {
    const world = await freshWorld(sandbox.target);
    const flags = ['--lang', lang];
    const items = await template(world, 'items', 'items.xlsx', ...flags);
    const code = lang === 'es' ? 'Código' : 'code';
    await fillIn(items, { ...items.example, [code]: `00-${lang}` });
    const ran = await world.run(['items', 'import', 'items.xlsx', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 1, created: 1 });
    expect(sql(`SELECT name, brand, type FROM items WHERE code = '00-${lang}'`)).toEqual([
      lang === 'es'
        ? { name: 'Perno hexagonal M8 x 40', brand: 'Acme', type: 'Sujeción' }
        : { name: 'Hex bolt M8 x 40', brand: 'Acme', type: 'Fasteners' },
    ]);

    const imputations = await template(world, 'imputations', 'i.xlsx', ...flags);
    const { [lang === 'es' ? 'Orden de compra' : 'order']: _, ...own } = imputations.example;
    const contract = lang === 'es' ? 'Contrato' : 'contractId';
    await fillIn(imputations, { ...own, [contract]: `contract-${lang}` });
    const charged = await world.run(['imputations', 'import', 'i.xlsx', '--yes']);
    expect(charged, charged.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(charged.stdout)).toMatchObject({ rows: 1, created: 1 });

    const lines = await template(world, 'requisition', 'r.xlsx', ...flags);
    await fillIn(lines, {
      ...lines.example,
      [lang === 'es' ? 'Código de ítem' : 'item.code']: `00-${lang}`,
    });
    expect(lines.next[0]!.command).toBe(
      `proc requisition import r.xlsx --group-by ${lang === 'es' ? "'Título'" : 'title'}`,
    );
    const args = lines.next[0]!.command.replaceAll("'", '').split(' ').slice(1);
    const asked = await world.run([...args, '--yes']);
    expect(asked, asked.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(asked.stdout)).toMatchObject({ rows: 1, created: 1 });
  });

  it.each([
    [
      'en',
      'items.csv',
      'name,code,description,unitOfMeasure,brand,material,certification,type,title\r\n',
    ],
    [
      'es',
      'items.csv',
      '\ufeffNombre,Código,Descripción,Unidad de medida,Marca,Material,Certificación,Tipo,Título\r\n',
    ],
  ])('writes a CSV file with only the header (%s)', async (lang, file, content) => {
    const world = await freshWorld(sandbox.target);
    await template(world, 'items', file, '--lang', lang);
    expect(await readFile(join(world.cwd, file), 'utf8')).toBe(content);
    await writeFile(join(world.cwd, file), `${content}Tuerca,CSV-${lang},,,,,,,\r\n`);
    const ran = await world.run(['items', 'import', file, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 1, created: 1 });
  });

  it('still asks for a file with only some of the Spanish headers', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('own.csv', 'Nombre,Código\nTuerca,X-1\n');
    const ran = await world.run(['items', 'import', 'own.csv', '--yes']);
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(errorOf(ran).code).toBe('confirmation_required');
  });

  it('never overwrites a file, and refuses what it cannot write', async () => {
    const world = await freshWorld();
    await world.file('mine.xlsx', 'filled in');
    const cases: readonly (readonly [readonly string[], string])[] = [
      [
        ['--template', 'mine.xlsx'],
        '--template mine.xlsx: the file already exists and may contain data',
      ],
      [
        ['--template', 'mine.ods'],
        '--template mine.ods: its extension selects the format, one of: .xlsx, .csv',
      ],
      [
        ['mine.xlsx', '--template', 'new.xlsx'],
        '--template writes the empty file new.xlsx, and would not import mine.xlsx',
      ],
      [[], '<file> is missing: the file to import'],
    ];
    for (const [args, message] of cases) {
      const ran = await world.run(['items', 'import', ...args]);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(errorOf(ran).message).toBe(message);
    }
    expect(await readFile(join(world.cwd, 'mine.xlsx'), 'utf8')).toBe('filled in');
    const dry = await world.run(['items', 'import', '--template', 'dry.xlsx', '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, required: ['name', 'code'] });
    expect(await readdir(world.cwd)).toEqual(['mine.xlsx']);
  });
});
