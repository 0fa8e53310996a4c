import { afterEach, beforeEach, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

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
    readonly values: Readonly<Record<string, unknown>>;
    readonly lines?: number;
  }[];
}

async function samplesOf(args: readonly string[]): Promise<Samples> {
  const ran = await here.run([...args, '--dry-run']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(ran.stdout).samples;
}

it('a plan has the values of its first and last rows', async () => {
  const rows = Array.from({ length: 400 }, (_, at) => `C-${1000 + at},Bolt ${at},PCS`);
  await here.file('big.csv', `code,name,unitOfMeasure\n${rows.join('\n')}\n`);
  const samples = await samplesOf(['items', 'import', 'big.csv']);
  expect(samples.rows.map(({ row }) => row)).toEqual([1, 2, 3, 399, 400]);
  const values = { code: 'C-1399', name: 'Bolt 399', unitOfMeasure: 'PCS' };
  expect(samples.rows.at(-1)!.values).toEqual(values);
});

it('of requisitions the values of the first line and the number of lines', async () => {
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
});
