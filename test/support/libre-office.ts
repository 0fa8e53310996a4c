import { execFile, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** The name and version of LibreOffice; undefined if it is missing (apt-get install libreoffice-calc). */
export const libreOffice: string | undefined = (() => {
  const { status, stdout } = spawnSync('soffice', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split(' ').slice(0, 2).join(' ') : undefined;
})();

/** UTF-8, commas, every text quoted, the values as the cells show them. */
const CSV = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false';

/**
 * Has LibreOffice open workbooks and save them again, with fresh settings.
 *
 * @param folder for the saved files, which keep their names
 * @returns their paths, in the same order
 */
export async function savedByLibreOffice(
  files: readonly string[],
  folder: string,
  format: 'xlsx' | 'csv',
): Promise<string[]> {
  const settings = join(tmpdir(), `proc-office-${process.pid}-${Date.now()}`);
  const filter = format === 'csv' ? CSV : 'xlsx:Calc MS Excel 2007 XML';
  const convert = ['--headless', '--norestore', '--convert-to', filter, '--outdir', folder];
  try {
    const user = `-env:UserInstallation=file://${settings}`;
    await promisify(execFile)('soffice', [user, ...convert, ...files]);
  } finally {
    await rm(settings, { recursive: true, force: true });
  }
  return files.map((file) => join(folder, basename(file).replace(/xlsx$/, format)));
}
