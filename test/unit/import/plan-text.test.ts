import { expect, it } from 'vitest';
import { storedProblem } from '../../../src/core/problem/row-problem.ts';
import { planText } from '../../../src/import/plan/plan-run.ts';
import { REQUISITION_IMPORT } from '../../../src/import/targets/requisition-import.ts';

const NONE = { create: [], existing: [], duplicates: [], invalid: [], unconfirmed: [] };

const PLANNED: Parameters<typeof planText>[0] = {
  plan: {
    counts: 'rows',
    rows: 9,
    filtered: 1,
    create: 3,
    existing: 1,
    duplicates: 1,
    invalid: 1,
    unconfirmed: 1,
    dropped: 1,
    unguarded: 1,
    samples: {
      ...NONE,
      duplicates: [
        {
          row: 3,
          line: null,
          code: 'A-1',
          reason: storedProblem({ code: 'same_as', args: { row: 1 } }),
        },
      ],
      create: [{ row: 1, line: 2, code: 'A-1', reason: null }],
      invalid: [
        {
          row: 4,
          line: 5,
          code: null,
          reason: storedProblem({ code: 'not_number', field: 'price', args: { got: '"x"' } }),
        },
      ],
    },
  },
  baseline: 'not read',
  inList: undefined,
  items: {
    counts: { lines: 5, referencedItems: 3, newItems: 2, newItemsWithoutCode: 1 },
    isLookedUp: false,
    refusal: undefined,
    findings: [],
  },
  expected: undefined,
  now: 0,
  values: undefined,
  findings: [
    { kind: 'html_entities', count: 1, samples: [{ value: 'A &amp; B', row: 9, line: 10 }] },
    {
      kind: 'twins',
      field: 'code',
      count: 2,
      samples: [{ value: 'a-1', row: 3, line: 4, other: { value: 'A-1' } }],
    },
  ],
  otherNames: {
    count: 4,
    samples: [{ row: 2, line: 3, code: 'A-2', name: 'Nut', catalogueName: 'Hex nut', id: 'i' }],
  },
  refusal: undefined,
};

it.each(['en', 'es'] as const)('the plan in %s', (lang) => {
  expect(planText(PLANNED, REQUISITION_IMPORT, 'a.csv', lang)).toBe(
    {
      en: `a.csv: 9 rows
  filtered          1
  to create         3  A-1
  sent before       1
    4 existing rows have another name in the catalogue: A-2 (file: Nut; catalogue: Hex nut), …
  unconfirmed       1
  dropped           1
  duplicates        1  A-1 (row 3: the same as row 1)
  invalid           1  row 4, line 5: price: must be a number, got "x"
  lines             5  3 of existing items
  new items         2  created with the requisitions, 1 without a code: each line creates a new item, even if the name exists
  warnings          2
    1 row has HTML entities instead of characters: A &amp; B (row 9, line 10)
    2 codes match other codes except for case, spaces, dashes or Unicode form: a-1 (row 3, line 4) and A-1 (existing), …
  (removed spreadsheet marks (' or ="…") from 1 cell; --csv-raw keeps it)
  (did not read the catalogue: existing items count as new)
  (did not check which rows already exist)`,
      es: `a.csv: 9 filas
  filtradas              1
  por crear              3  A-1
  ya enviadas            1
    4 filas existentes tienen otro nombre en el catálogo: A-2 (archivo: Nut; catálogo: Hex nut), …
  sin confirmar          1
  abandonadas            1
  duplicadas             1  A-1 (fila 3: igual que la fila 1)
  no válidas             1  fila 4, línea 5: price: debe ser un número, no "x"
  líneas                 5  3 de artículos existentes
  artículos nuevos       2  se crean con las requisiciones, 1 sin código: cada línea crea uno nuevo, aunque el nombre exista
  avisos                 2
    1 fila tiene entidades HTML en lugar de caracteres: A &amp; B (fila 9, línea 10)
    2 códigos solo se distinguen de otro por mayúsculas, espacios, guiones o forma Unicode: a-1 (fila 3, línea 4) y A-1 (existente), …
  (se quitaron marcas de hoja de cálculo (' o ="…") de 1 celda; --csv-raw lo conserva)
  (no se leyó el catálogo: los artículos existentes cuentan como nuevos)
  (no se comprobó qué filas ya existen)`,
    }[lang],
  );
});

it('a plan without anything special', () => {
  const { items: _, otherNames: __, ...rest } = PLANNED;
  const plan = {
    ...PLANNED.plan,
    filtered: 0,
    existing: 0,
    unconfirmed: 0,
    dropped: 0,
    duplicates: 0,
    invalid: 0,
    unguarded: 0,
  };
  const inList = { codes: 1, rows: 7, isAtLeast: false };
  const planned = {
    ...rest,
    plan,
    inList,
    baseline: 'complete',
    items: undefined,
    otherNames: undefined,
    findings: [],
  } as const;
  expect(planText(planned, REQUISITION_IMPORT, 'a.csv', 'en')).toBe(`a.csv: 9 rows
  to create         3  A-1
  (1 of the file's codes is in a list of 7 rows)`);
});

it.each([
  ['en', 'a.csv: 9 requisitions\n'],
  ['es', 'a.csv: 9 requisiciones\n'],
] as const)('counts requisitions if several rows make one: %s', (lang, first) => {
  const planned = { ...PLANNED, plan: { ...PLANNED.plan, counts: 'requisitions' as const } };
  expect(planText(planned, REQUISITION_IMPORT, 'a.csv', lang)).toContain(first);
});
