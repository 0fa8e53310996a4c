// Memory and rate of workbooks and of flat rows that are grouped: staging and planning, and the whole.
//   npm run bench:desk-files [-- ROWS]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workbook } from '../test/support/workbook.ts';
import { openStage } from './stage.ts';

const ROWS = Number(process.argv[2] ?? 50_000);

await using stage = await openStage();
const items = [...Array(ROWS).keys()].map((n) => [`W-${n}`, `Wheel number ${n}`, 'EA', 'Brand', n]);
writeFileSync(
  join(stage.folder, 'book.xlsx'),
  workbook({ Items: [['code', 'name', 'unitOfMeasure', 'brand', 'Price'], ...items] }),
);
const flat = [...Array(ROWS).keys()].map(
  // Rows of one request stand far apart.
  (n) => `Request ${n % Math.ceil(ROWS / 10)},Plant,Part ${n},${(n % 9) + 1}`,
);
writeFileSync(join(stage.folder, 'flat.csv'), `Request,Group,Part,Qty\n${flat.join('\n')}\n`);
const map = ['--map', 'title=Request', '--map', 'group.name=Group', '--map', 'item.name=Part'];
const grouped = [
  ...[
    'requisition',
    'import',
    'flat.csv',
    '--group-by',
    'Request',
    ...map,
    '--map',
    'quantity=Qty',
  ],
  ...['--set', 'group.deliveryMethod=pickup'],
];
for (const [what, args] of [
  ['workbook, plan', ['items', 'import', 'book.xlsx', '--dry-run']],
  ['workbook, import', ['items', 'import', 'book.xlsx', '--yes']],
  ['flat rows, plan', [...grouped, '--dry-run']],
  ['flat rows, import', [...grouped, '--yes']],
] as const) {
  const { exitCode, seconds, peakMb, stdout } = await stage.run(args);
  const { rows, created } = JSON.parse(stdout);
  console.log(
    JSON.stringify({
      what,
      exitCode,
      rows,
      created,
      seconds: Number(seconds.toFixed(2)),
      fileRowsPerSecond: Math.round(ROWS / seconds),
      peakMb,
    }),
  );
  if (exitCode !== 0) process.exitCode = 1;
}
