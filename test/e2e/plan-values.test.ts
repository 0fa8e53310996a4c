import { afterEach, beforeEach, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';

assumeFirstRuns();

let sandbox: LoggedSandbox;
let here: World;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  here = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

interface Samples {
  readonly rows: readonly {
    readonly row: number;
    readonly shows: readonly string[];
    readonly values: Readonly<Record<string, unknown>>;
    readonly lines?: number;
  }[];
  readonly fields: readonly { readonly field: string }[];
}

async function samplesOf(args: readonly string[]): Promise<Samples> {
  const ran = await here.run([...args, '--dry-run']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(ran.stdout).samples;
}

const BIG = [
  'code,name,unitOfMeasure,brand',
  ...Array.from({ length: 400 }, (_, at) => {
    const name = at === 150 ? 'A very long name that nobody typed by hand' : `Bolt ${1000 + at}`;
    const unit = at === 390 ? 'BOX' : at > 300 ? 'EA' : 'PCS';
    return `C-${1000 + at},${at === 222 ? 'Nuß ☂' : at === 310 ? 'Nut' : name},${unit},${at === 7 ? 'Acme' : ''}`;
  }),
].join('\n');

it('a plan has at most eight rows that show what is special about each field, and figures of each field', async () => {
  await here.file('big.csv', BIG);
  const samples = await samplesOf(['items', 'import', 'big.csv']);
  expect(samples.rows.length).toBeLessThanOrEqual(8);
  expect(samples.rows.map(({ row }) => row)).toEqual(
    samples.rows.map(({ row }) => row).sort((a, b) => a - b),
  );
  const shown = Object.fromEntries(samples.rows.map(({ row, shows }) => [row, shows]));
  expect(shown[1]).toEqual(['longest unitOfMeasure', 'frequent unitOfMeasure']);
  expect(samples.rows.slice(0, 2).map(({ row }) => row)).toEqual([1, 2]);
  expect(shown[151]).toEqual(['longest name']);
  expect(shown[223]).toEqual(['unusual name']);
  expect(shown[311]).toEqual(['shortest name']);
  expect(samples.rows[0]!.values).toEqual({
    code: 'C-1000',
    name: 'Bolt 1000',
    unitOfMeasure: 'PCS',
  });
  expect(samples.fields).toEqual([
    expect.objectContaining({ field: 'name', filled: 400, distinct: 400, shortest: 'Nut' }),
    {
      ...{ field: 'code', filled: 400, distinct: 400 },
      shortest: 'C-1000',
      longest: 'C-1000',
      sample: 'C-1000',
    },
    {
      ...{ field: 'unitOfMeasure', filled: 400, distinct: 3, shortest: 'EA', longest: 'PCS' },
      ...{ frequent: { value: 'PCS', count: 301 }, sample: 'PCS' },
    },
    {
      ...{ field: 'brand', filled: 1, distinct: 1 },
      shortest: 'Acme',
      longest: 'Acme',
      sample: 'Acme',
    },
  ]);
  // The order is stable.
  expect(await samplesOf(['items', 'import', 'big.csv'])).toEqual(samples);
});

it('of amounts the smallest and the largest; of requisitions the lines', async () => {
  await here.file('a.csv', 'reference,amount,contractId\nR-1,9,c\nR-2,10.5,c\nR-3,-100,c\n');
  const { fields } = await samplesOf(['imputations', 'import', 'a.csv']);
  expect(fields[1]).toMatchObject({ field: 'amount', shortest: -100, longest: 10.5, sample: 9 });
  await here.file(
    'lines.csv',
    'title,group.deliveryMethod,item.name,quantity\nOne,pickup,Bolt,1\nOne,pickup,Nut,20\n',
  );
  const lines = await samplesOf(['requisition', 'import', 'lines.csv', '--group-by', 'title']);
  expect(lines.rows).toMatchObject([
    {
      ...{ row: 1, lines: 2 },
      values: { title: 'One', 'group.deliveryMethod': 'pickup', 'item.name': 'Bolt', quantity: 1 },
    },
  ]);
  expect(lines.fields.map(({ field }) => field)).toEqual([
    ...['title', 'group.deliveryMethod', 'item.name', 'quantity'],
  ]);
});

it('a person sees the values before the question', async () => {
  await here.file('few.csv', 'code,name,brand\nHB-12,Bolt M8,Acme\nHB-13,"Nut, large",Acme\n');
  const terminal = startTerminal(here, ['items', 'import', 'few.csv'], { cols: 120 });
  await terminal.waitFor('Create 2 items from few.csv');
  const text = terminal.text();
  expect(text).toMatch(/field +filled +distinct +shortest +longest/);
  expect(text).toMatch(/brand +2 +1 +Acme +Acme/);
  expect(text).toContain('row 1, line 2: name Bolt M8 · code HB-12 · brand Acme');
  expect(text).toContain('row 2, line 3: name Nut, large · code HB-13 · brand Acme');
  terminal.type('n\r');
  expect(await terminal.exited).toBe(2);
});
