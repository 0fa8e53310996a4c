// Rejected rows are repaired in LibreOffice (without a window) and imported again, as CSV and as
// .xlsx. Every value must arrive as in the first file. If codes became numbers, proc must refuse
// the file.
//   npm run bench:round-trip [-- ROWS [--workbook]]   --workbook: only the rejected rows of a workbook
// Without `soffice` (apt-get install libreoffice-calc), a CSV library saves the file instead.
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { roundTrip, workbookRoundTrip } from '../test/e2e/round-trip.ts';
import { libreOffice as office, savedByLibreOffice } from '../test/support/libre-office.ts';
import { csvLibrary, type Spreadsheet } from '../test/support/resave.ts';
import { openStage } from './stage.ts';

const ROWS = Number(process.argv[2] ?? 50_000);

/**
 * Import filter of LibreOffice: comma, quote, UTF-8, from line 1. Then the columns; 2 means text.
 */
const OPENED = {
  text: `CSV:44,34,76,1,${[...Array(20).keys()].map((n) => `${n + 1}/2`).join('/')}`,
  guessed: 'CSV:44,34,76,1,,1033,false,true',
};
const SAVED = {
  csv: 'csv:Text - txt - csv (StarCalc):44,34,76,1,,1033,false,true,false',
  xlsx: 'xlsx:Calc MS Excel 2007 XML',
};

const spreadsheet = libreOffice() ?? csvLibrary;
let isGood = true;
const isWorkbookOnly = process.argv.includes('--workbook');
for (const as of isWorkbookOnly ? [] : (['csv', 'xlsx'] as const)) {
  await using stage = await openStage();
  const trip = await roundTrip({ ...stage, rows: ROWS, as, spreadsheet });
  const { careless, repaired, afterwards, again, first } = trip;
  console.log(JSON.stringify({ as, through: spreadsheet.name, ...trip }));
  isGood &&= first.exitCode === 8 && trip.created + trip.rejected === ROWS;
  isGood &&= careless.exitCode === 2 && careless.sent === 0;
  isGood &&=
    repaired.exitCode === 0 && repaired.created === trip.rejected && repaired.rejected === 0;
  isGood &&= afterwards.created === ROWS && afterwards.repaired === trip.rejected;
  isGood &&= again.exitCode === 2 && again.sent === 0;
  isGood &&= trip.stored === ROWS && trip.wrong === 0;
}
{
  // The cells of a workbook have types, so opening it cannot turn codes into numbers.
  await using stage = await openStage();
  const trip = await workbookRoundTrip({ ...stage, rows: ROWS }, async (file) => {
    if (office === undefined) return file;
    const [saved] = await savedByLibreOffice([file], join(stage.folder, 'saved'));
    return saved!;
  });
  console.log(JSON.stringify({ as: 'workbook', through: office ?? 'read-excel-file', ...trip }));
  isGood &&= trip.changed === 0 && trip.repaired.exitCode === 0 && trip.wrong === 0;
  isGood &&= trip.created + trip.rejected === ROWS && trip.stored === ROWS;
  isGood &&= trip.afterwards.repaired === trip.rejected && trip.afterwards.created === ROWS;
}
console.log(isGood ? 'passed' : 'FAILED');
process.exitCode = isGood ? 0 : 1;

function libreOffice(): Spreadsheet | undefined {
  let name: string;
  try {
    name = execFileSync('soffice', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
  return {
    name: name.split(' ').slice(0, 2).join(' '),
    async save(from, to, as, columns) {
      // LibreOffice names the output after its input, so the input is copied under that name.
      const folder = join(tmpdir(), `proc-office-${process.pid}`);
      mkdirSync(folder, { recursive: true });
      try {
        const input = join(folder, `${basename(to).replace(/\.\w+$/, '')}.csv`);
        copyFileSync(from, input);
        await promisify(execFile)('soffice', [
          `-env:UserInstallation=file://${folder}/settings`,
          '--headless',
          `--infilter=${OPENED[columns]}`,
          ...['--convert-to', SAVED[as], '--outdir', dirname(to), input],
        ]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
