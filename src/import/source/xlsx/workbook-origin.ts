import { readLayout } from './layout.ts';
import { WorkbookError, Zip } from './zip.ts';

/**
 * The run whose rejected rows the workbook has, or a word such as `report`. Undefined if proc did
 * not write the file.
 *
 * @throws the system's error if the file cannot be read
 */
export async function originOf(path: string): Promise<string | undefined> {
  let zip: Zip | undefined;
  try {
    zip = await Zip.open(path);
    return (await readLayout(zip)).origin;
  } catch (thrown) {
    if (thrown instanceof WorkbookError) return undefined;
    throw thrown;
  } finally {
    zip?.close();
  }
}
