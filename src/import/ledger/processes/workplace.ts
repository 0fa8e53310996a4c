import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../../store/folder.ts';
import { keepInputs, removeLeftovers } from './inputs.ts';

export interface Workplace extends Disposable {
  readonly folder: string;
}

/**
 * A dry run gets a temporary folder, so that it does not change the state folder.
 *
 * @throws ProcError `state_unwritable`
 */
export async function openWorkplace(imports: string, isDryRun: boolean): Promise<Workplace> {
  if (isDryRun) {
    const folder = mkdtempSync(join(tmpdir(), 'proc-plan-'));
    return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  }
  makeFolder(imports);
  await removeLeftovers(imports);
  const inputs = keepInputs(imports);
  return { folder: imports, [Symbol.dispose]: () => inputs[Symbol.dispose]() };
}
