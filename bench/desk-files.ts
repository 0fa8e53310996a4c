// Memory and rate for everyday files: workbooks, flat rows with --group-by, and imputations.
//   npm run bench:desk-files [-- ROWS [WHAT]]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workbook } from '../test/support/workbook.ts';
import { openStage } from './stage.ts';

const ROWS = Number(process.argv[2] ?? 50_000);
/** Run only cases whose name contains this. */
const ONLY = process.argv[3] ?? '';

await using stage = await openStage();
const items = [...Array(ROWS).keys()].map((n) => [`W-${n}`, `Wheel number ${n}`, 'EA', 'Brand', n]);
writeFileSync(
  join(stage.folder, 'book.xlsx'),
  workbook({ Items: [['code', 'name', 'unitOfMeasure', 'brand', 'Price'], ...items] }),
);
const flat = [...Array(ROWS).keys()].map(
  // The rows of one requisition are far apart.
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
const imputations = [...Array(ROWS).keys()].map(
  (n) => `R-${n},${n % 900}.5,USD,Note number ${n} of a usual length`,
);
writeFileSync(
  join(stage.folder, 'imputations.csv'),
  `reference,amount,currency,notes\n${imputations.join('\n')}\n`,
);
const imputed = ['imputations', 'import', 'imputations.csv'];
const planned = ['items', 'import', 'book.xlsx', '--dry-run', '--offline'];
for (const [what, args, exit] of [
  ['workbook, plan', planned, 0],
  ...['xlsx', 'csv', 'ndjson'].map(
    (ending) =>
      [`workbook, plan to plan.${ending}`, [...planned, '--plan', `plan.${ending}`], 0] as const,
  ),
  ['workbook, import', ['items', 'import', 'book.xlsx', '--yes'], 0],
  ['flat rows, plan', [...grouped, '--dry-run'], 0],
  ['flat rows, import', [...grouped, '--yes', '--first-run'], 0],
  ['imputations, import', [...imputed, '--yes', '--first-run'], 0],
  ['imputations, refused', [...imputed, '--yes'], 2],
  ['imputations, skipped', [...imputed, '--yes', '--on-sent', 'skip'], 0],
] as const) {
  if (!what.includes(ONLY)) continue;
  const { exitCode, seconds, peakMb, stdout } = await stage.run(args);
  const { rows, created } = stdout === '' ? {} : JSON.parse(stdout);
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
  if (exitCode !== exit || (peakMb ?? 0) > 150) process.exitCode = 1;
}
