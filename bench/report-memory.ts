// Time and memory of a report about an import of ROWS rows (1,000,000), of which every tenth is
// rejected.
//   npm run bench:report-memory [-- ROWS]
import { createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { openStage } from './stage.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const BUDGET_MB = 150;

await using stage = await openStage();
const path = join(stage.folder, 'long.ndjson');
const file = createWriteStream(path);
for (let n = 0; n < ROWS; n += 1000) {
  let lines = '';
  for (let at = n; at < Math.min(n + 1000, ROWS); at++) {
    lines += `${JSON.stringify({ code: `K-${at}`, name: at % 10 === 9 ? '' : `Part ${at}, steel` })}\n`;
  }
  if (!file.write(lines)) await new Promise((done) => file.once('drain', () => done(undefined)));
}
await finished(file.end());
const imported = await stage.run(['items', 'import', path, '--yes']);
const { run, created, rejected } = JSON.parse(imported.stdout);
console.log(
  JSON.stringify({ rows: ROWS, created, rejected, seconds: Math.round(imported.seconds) }),
);
for (const [name, ...flags] of [
  ['report.html'],
  ['report.md'],
  ['report.xlsx'],
  ['all.html', '--created'],
  ['all.xlsx', '--created'],
]) {
  const out = join(stage.folder, name!);
  const { exitCode, seconds, peakMb, stderr } = await stage.run([
    ...['imports', 'report', run, '--out', out],
    ...flags,
  ]);
  if (exitCode !== 0) throw new Error(stderr);
  const kB = Math.round(statSync(out).size / 1000);
  console.log(JSON.stringify({ file: name, seconds: Number(seconds.toFixed(1)), peakMb, kB }));
  if ((peakMb ?? 0) > BUDGET_MB) process.exitCode = 1;
}
