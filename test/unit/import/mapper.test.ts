import { describe, expect, it } from 'vitest';
import { samples, unsentColumns } from '../../../src/import/map/column-use.ts';
import { compileMapping } from '../../../src/import/map/compile.ts';
import { type MappingArgs, parseMapping } from '../../../src/import/map/mapping-flags.ts';
import { matchColumns, normalise } from '../../../src/import/map/match.ts';
import type { TargetFields } from '../../../src/import/targets/import-target.ts';
import { ITEM_IMPORT_FIELDS } from '../../../src/import/targets/item-import.ts';
import { sentence } from '../../../src/messages/problems.ts';

const TARGET: TargetFields = {
  fields: [
    { name: 'name', kind: 'string', required: true, synonyms: ['Producto'] },
    { name: 'code', kind: 'string', synonyms: ['SKU'] },
    { name: 'amount', kind: 'number', synonyms: [] },
    { name: 'quantity', kind: 'integer', synonyms: [] },
    { name: 'attributes', kind: 'any', synonyms: [] },
  ],
};

function mapping(args: Partial<MappingArgs>, columns: readonly string[], target = TARGET) {
  return parseMapping({ map: [], set: [], nulls: [], ...args }, { columns }, target);
}

/** The body of one record, or `field: what is wrong`. */
function mapped(fields: Record<string, unknown>, args: Partial<MappingArgs> = {}): unknown {
  const columns = [...new Set([...Object.keys(fields), 'name', 'code'])];
  const map = compileMapping(mapping(args, columns), TARGET);
  const { body, problem } = map({ row: 1, line: 2, fields });
  if (body !== undefined) return body;
  return `${problem!.field === undefined ? 'row: ' : ''}${sentence(problem!)}`;
}

describe('a mapping', () => {
  const columns = ['SKU', 'Model', 'Color', 'name', '{odd}', 'Precio = $'];

  it('tries the exact name of a column, then a template, then JMESPath', () => {
    const made = mapping(
      {
        map: [
          'code={odd}',
          'name={Model} {Color}',
          'attributes=jmes:{m: Model}',
          'amount=Precio = $',
        ],
        set: ['quantity=3'],
        nulls: ['NA', '-', 'NA'],
      },
      columns,
    );
    expect(JSON.stringify(made)).toBe(
      '{"fields":{"name":{"template":"{Model} {Color}"},"code":{"column":"{odd}"},"amount":{"column":"Precio = $"},' +
        '"quantity":{"constant":"3"},"attributes":{"jmespath":"{m: Model}"}},"nulls":["-","NA"]}',
    );
  });

  it('does not depend on the order of the flags', () => {
    const one = mapping({ map: ['code=SKU', 'name=Model'], nulls: ['b', 'a'] }, columns);
    const other = mapping({ map: ['name=Model', 'code=SKU'], nulls: ['a', 'b'] }, columns);
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  it('uses columns named like fields without flags, unless a flag overrides them', () => {
    expect(mapping({}, columns).fields).toEqual({ name: { column: 'name' } });
    expect(mapping({ map: ['name='] }, columns).fields).toEqual({});
    expect(mapping({ map: ['name=Model'] }, columns).fields).toEqual({ name: { column: 'Model' } });
    const matched = new Map([['code', 'SKU']]);
    expect(mapping({ matched }, columns).fields).toEqual({
      name: { column: 'name' },
      code: { column: 'SKU' },
    });
  });

  it('is read back from its file; flags win over the file', () => {
    const saved = mapping(
      { map: ['code=SKU', 'name={Model}-{Color}'], set: ['quantity=1'], nulls: ['NA'] },
      columns,
    );
    const mapFile = JSON.parse(JSON.stringify(saved)) as object;
    expect(mapping({ mapFile }, columns)).toEqual(saved);
    expect(mapping({ mapFile, set: ['code=X'], nulls: ['-'] }, columns)).toEqual({
      fields: { ...saved.fields, code: { constant: 'X' } },
      nulls: ['-', 'NA'],
    });
    expect(
      mapping({ mapFile: { fields: { code: 'SKU', name: '{Model} {Color}' } } }, columns).fields,
    ).toEqual({
      name: { template: '{Model} {Color}' },
      code: { column: 'SKU' },
    });
  });

  it.each<[Partial<MappingArgs>, string, string | undefined]>([
    [{ map: ['code=SKUU'] }, '--map code=SKUU: there is no column "SKUU"', 'Did you mean "SKU"?'],
    [
      { map: ['code={Modell}'] },
      '--map code={Modell}: there is no column "Modell"',
      'Did you mean "Model"?',
    ],
    [
      { map: ['code=zzzzzz'] },
      'there is no column "zzzzzz"',
      'Columns: SKU, Model, Color, name, {odd}, Precio = $',
    ],
    [{ map: ['cod=SKU'] }, '--map cod=SKU: there is no field "cod"', 'Did you mean "code"?'],
    [{ set: ['cod=1'] }, '--set cod=1: there is no field "cod"', 'Did you mean "code"?'],
    [{ map: ['code'] }, '--map code: expected FIELD=COLUMN', 'Use e.g. --map code=SKU'],
    [
      { map: ['code=SKU', 'code=Model'] },
      'code is given twice: --map code=SKU and --map code=Model',
      undefined,
    ],
    [
      { map: ['code=SKU'], set: ['code=1'] },
      'code is given twice: --map code=SKU and --set code=1',
      undefined,
    ],
    [
      { map: ['code=jmes:a['] },
      '--map code=jmes:a[ is not a valid JMESPath expression',
      "Use e.g. --map 'code=jmes:product.name'",
    ],
    [
      { set: ['quantity=two'] },
      '--set quantity=two: must be a whole number like 12, got "two"',
      undefined,
    ],
    [
      { mapFile: { fields: { code: 1 } } },
      'map file: fields.code must be a string, or an object with one of',
      expect.any(String),
    ],
    [
      { mapFile: { fields: { code: 'Nope' } } },
      'map file: code: there is no column "Nope"',
      expect.any(String),
    ],
    [
      { mapFile: { map: {} } },
      'map file: unknown key "map", expected one of fields, nulls, decimal, values, path',
      expect.any(String),
    ],
  ])('%j is refused: %s', (args, message, hint) => {
    const refusal = expect.objectContaining({
      code: 'invalid_usage',
      message: expect.stringContaining(message),
      hint,
    });
    expect(() => mapping(args, columns)).toThrow(refusal);
  });
});

describe('a mapped row', () => {
  it('has trimmed text and no empty values', () => {
    expect(mapped({ name: '  A  b ', code: ' ', attributes: '' })).toEqual({ name: 'A  b' });
    expect(mapped({ name: 'A', code: null, attributes: null })).toEqual({
      name: 'A',
      attributes: null,
    });
    expect(mapped({ name: 'A', code: ' NA ' }, { nulls: ['NA'] })).toEqual({ name: 'A' });
    expect(mapped({ name: 'NA', code: 'na' }, { nulls: ['na'] })).toEqual({ name: 'NA' });
  });

  it.each([
    ['{Model} {Color}', 'M', 'C', 'M C'],
    ['{Model} {Color}', 'M', ' ', 'M'],
    ['{Model} {Color}', '', 'C', 'C'],
    ['{Model} - {Color} cm', 'M', '', 'M'],
    ['AC-{Model}/{Color} cm', 'M', 'C', 'AC-M/C cm'],
    ['AC-{Model}', 0, '', 'AC-0'],
  ])('%s of %j and %j is %j', (template, Model, Color, text) => {
    expect(mapped({ name: 'x', Model, Color }, { map: [`code=${template}`] })).toEqual({
      name: 'x',
      code: text,
    });
  });

  it('leaves out a field if all columns of its template are empty', () => {
    expect(
      mapped({ name: 'x', Model: '', Color: null }, { map: ['code=AC-{Model} {Color}'] }),
    ).toEqual({ name: 'x' });
  });

  it('parses numbers strictly, and keeps the exact text of a number', () => {
    expect(mapped({ name: 'x', amount: '1234.50', quantity: '007' })).toEqual({
      name: 'x',
      amount: 1234.5,
      quantity: 7,
    });
    expect(mapped({ name: 12, code: 1.5, amount: 2, quantity: 3 })).toEqual({
      name: '12',
      code: '1.5',
      amount: 2,
      quantity: 3,
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [
      { amount: '1,234.5' },
      'amount: column "amount": must be a number like 1234.5, got "1,234.5"; if points are decimals, add --decimal .',
    ],
    [
      { amount: 'Infinity' },
      'amount: column "amount": must be a number like 1234.5, got "Infinity"',
    ],
    [{ amount: '0x10' }, 'amount: column "amount": must be a number like 1234.5, got "0x10"'],
    [
      { amount: '12345678901234567890.12' },
      'amount: column "amount": the number 12345678901234567890.12 would be rounded',
    ],
    [{ quantity: '1.5' }, 'quantity: column "quantity": must be a whole number like 12, got "1.5"'],
    [{ quantity: 1.5 }, 'quantity: column "quantity": must be a whole number, got 1.5'],
    [
      { quantity: '12345678901234567000' },
      'quantity: column "quantity": must be a whole number of at most 9007199254740991, got 12345678901234567000',
    ],
    [{ code: true }, 'code: column "code": must be text, got true'],
    [{ code: { a: 1 } }, 'code: column "code": must be text, got an object'],
    [
      { amount: 'x'.repeat(200) },
      `amount: column "amount": must be a number like 1234.5, got "${'x'.repeat(58)}…`,
    ],
  ])('%j is a row problem', (fields, problem) => {
    expect(mapped({ name: 'x', ...fields })).toBe(problem);
  });

  it('without a required field, or without any field, is a row problem', () => {
    expect(mapped({ name: ' ', code: 'A' })).toBe('name: column "name": is required, but empty');
    const optional = { fields: [{ name: 'code', kind: 'string', synonyms: [] }] } as const;
    const map = compileMapping(mapping({}, ['code'], optional), optional);
    expect(map({ row: 1, line: 2, fields: { code: '' } }).problem?.code).toBe('all_empty');
  });

  it('evaluates JMESPath', () => {
    const fields = { name: 'x', product: { n: 'deep', tags: ['a', 'b'] }, price: 2.5 };
    expect(
      mapped(fields, {
        map: ['code=jmes:product.n', "attributes=jmes:{t: join('-', product.tags)}"],
      }),
    ).toEqual({
      name: 'x',
      code: 'deep',
      attributes: { t: 'a-b' },
    });
    expect(mapped(fields, { map: ['code=jmes:none', 'attributes=jmes:none'] })).toEqual({
      name: 'x',
    });
    expect(mapped(fields, { map: ['code=jmes:abs(name)'] })).toMatch(
      /^code: jmes:abs\(name\): .*abs/,
    );
  });

  it('keeps the record, and the problem of an unreadable record', () => {
    const map = compileMapping(mapping({}, ['name']), TARGET);
    const problem = { code: 'too_long', args: { limit: '1 MiB' } } as const;
    expect(map({ row: 7, line: 9, fields: undefined, problem })).toEqual({
      row: 7,
      line: 9,
      fields: undefined,
      body: undefined,
      problem,
    });
    const fields = { name: ' a ', other: '1' };
    expect(map({ row: 1, line: 2, fields })).toEqual({
      row: 1,
      line: 2,
      fields,
      body: { name: 'a' },
    });
  });

  it('does not read built-in JavaScript properties of a record', () => {
    expect(
      mapped({ name: 'x' }, { map: ['code=jmes:toString', 'attributes=jmes:constructor'] }),
    ).toEqual({ name: 'x' });
    const map = compileMapping({ fields: { name: { column: 'constructor' } }, nulls: [] }, TARGET);
    expect(map({ row: 1, line: 1, fields: {} }).problem?.code).toBe('required_empty');
  });
});

describe('columns are matched by name', () => {
  it('exactly: no confirmation is needed', () => {
    const matches = matchColumns({ columns: ['code', 'price', 'name'] }, TARGET);
    expect(matches).toMatchObject({ exact: true });
    expect([...matches.matched]).toEqual([
      ['name', 'name'],
      ['code', 'code'],
    ]);
    expect(matchColumns({ columns: ['price'] }, TARGET).exact).toBe(false);
  });

  it.each([
    [['SKU', 'Product', 'Category', 'Color'], { name: 'Product', code: 'SKU', type: 'Category' }],
    [
      ['CÓDIGO', 'Descripcion', 'Unidad de Medida', 'MARCA'],
      {
        code: 'CÓDIGO',
        name: 'Descripcion',
        unitOfMeasure: 'Unidad de Medida',
        brand: 'MARCA',
      },
    ],
    [
      ['Part No.', 'unit_of_measure', 'Material', 'Nombre del Artículo'],
      {
        name: 'Nombre del Artículo',
        code: 'Part No.',
        unitOfMeasure: 'unit_of_measure',
        material: 'Material',
      },
    ],
    [
      ['U.M.', 'N° de parte', 'Certificación', 'Título'],
      {
        code: 'N° de parte',
        unitOfMeasure: 'U.M.',
        certification: 'Certificación',
        title: 'Título',
      },
    ],
  ])('or by usual synonyms: %j', (columns, expected) => {
    const matches = matchColumns({ columns }, ITEM_IMPORT_FIELDS);
    expect(Object.fromEntries(matches.matched)).toEqual(expected);
    expect(matches.exact).toBe(false);
  });

  it('never two columns for one field', () => {
    const columns = ['SKU', 'Part No.', 'nombre', 'name'];
    const matches = matchColumns({ columns }, ITEM_IMPORT_FIELDS);
    expect([...matches.ambiguous]).toEqual([['code', ['SKU', 'Part No.']]]);
    expect([...matches.matched]).toEqual([['name', 'name']]);
  });

  it('no header matches two fields of an item', () => {
    const owners = new Map<string, string[]>();
    for (const { name, synonyms } of ITEM_IMPORT_FIELDS.fields) {
      for (const word of new Set([name, ...synonyms].map(normalise))) {
        owners.set(word, [...(owners.get(word) ?? []), name]);
      }
    }
    expect([...owners].filter(([, fields]) => fields.length > 1)).toEqual([]);
    expect(owners.has('')).toBe(false);
  });
});

describe('the report of a mapping', () => {
  const columns = ['SKU', 'Part No.', 'Model', 'Color', 'deep'];
  const made = mapping(
    {
      map: ['code=Part No.', 'name={Model} {Color}', 'attributes=jmes:deep.x'],
      set: ['quantity=1'],
      nulls: ["it's"],
    },
    columns,
  );

  it('has three sample values, and the columns that are not sent', () => {
    const head = ['a', 'a', '', 'b', 3, 'c'].map((SKU, row) => ({
      row,
      line: row,
      fields: { SKU },
    }));
    expect(samples(head, 'SKU')).toEqual(['a', 'b', '3']);
    expect(samples([{ row: 1, line: 1, fields: { SKU: 'x'.repeat(90) } }], 'SKU')[0]).toHaveLength(
      40,
    );
    expect(samples(head, 'toString')).toEqual([]);
    expect(unsentColumns(made, columns)).toEqual(['SKU']);
  });
});
