import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** The name and version of LibreOffice; undefined if it is missing (apt-get install libreoffice-calc). */
export const libreOffice: string | undefined = (() => {
  const { status, stdout } = spawnSync('soffice', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split(' ').slice(0, 2).join(' ') : undefined;
})();

/**
 * Opens workbooks in a window and saves them. Without a window (`--convert-to`), the frozen header would be
 * lost.
 */
const MACRO = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Resave" script:language="StarBasic">
Sub SaveAll(paths As String)
  Dim none()
  Dim filter(0) As New com.sun.star.beans.PropertyValue
  filter(0).Name = &quot;FilterName&quot;
  filter(0).Value = &quot;Calc MS Excel 2007 XML&quot;
  names = Split(paths, &quot;|&quot;)
  For n = 0 To UBound(names) - 1 Step 2
    book = StarDesktop.loadComponentFromURL(ConvertToURL(names(n)), &quot;_blank&quot;, 0, none())
    book.storeToURL(ConvertToURL(names(n + 1)), filter())
    book.close(True)
  Next n
  StarDesktop.terminate()
End Sub
</script:module>
`;

/**
 * Has LibreOffice open workbooks and save them again, with fresh settings.
 *
 * @param folder for the saved workbooks, which keep their names
 * @returns their paths, in the same order
 */
export async function savedByLibreOffice(
  files: readonly string[],
  folder: string,
): Promise<string[]> {
  const settings = join(tmpdir(), `proc-office-${process.pid}-${Date.now()}`);
  const office = (...args: string[]) =>
    promisify(execFile)('soffice', [
      `-env:UserInstallation=file://${settings}`,
      ...['--headless', '--norestore', ...args],
    ]);
  const saved = files.map((file) => join(folder, basename(file)));
  await mkdir(folder, { recursive: true });
  try {
    // The first start creates the settings, and would overwrite a macro that is already there.
    await office('--terminate_after_init');
    const library = join(settings, 'user/basic/Standard');
    const list = await readFile(join(library, 'script.xlb'), 'utf8');
    const end = '</library:library>';
    const named = list.replace(end, ` <library:element library:name="Resave"/>\n${end}`);
    await writeFile(join(library, 'script.xlb'), named);
    await writeFile(join(library, 'Resave.xba'), MACRO);
    const pairs = files.flatMap((file, index) => [file, saved[index]!]).join('|');
    await office(`macro:///Standard.Resave.SaveAll("${pairs}")`);
  } finally {
    await rm(settings, { recursive: true, force: true });
  }
  return saved;
}
