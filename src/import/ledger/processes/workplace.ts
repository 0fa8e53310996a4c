import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../../store/folder.ts';
import { keepInputs, removeLeftovers } from './inputs.ts';

/** Where an import keeps its journal, and what it unpacks while it reads. */
export interface Workplace extends Disposable {
  readonly folder: string;
}

/**
 * The folder of all imports, cleaned of what killed ones left; for a dry run one of its own that goes
 * with it, so that the state folder stays as it is.
 *
 * @throws ProcError `state_unwritable`
 */
export function openWorkplace(imports: string, isDryRun: boolean): Workplace {
  if (isDryRun) {
    const folder = mkdtempSync(join(tmpdir(), 'proc-plan-'));
    return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  }
  makeFolder(imports);
  removeLeftovers(imports);
  const inputs = keepInputs(imports);
  return { folder: imports, [Symbol.dispose]: () => inputs[Symbol.dispose]() };
}
