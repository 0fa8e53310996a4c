import { rmSync } from 'node:fs';
import type { Context } from '../core/command.ts';
import { ProcError } from '../core/errors.ts';
import type { ImportTarget } from '../resources/import-target.ts';
import type { Journal } from './journal/journal.ts';
import { compileMapping } from './mapper/compile.ts';
import type { Mapping } from './mapper/mapping.ts';
import { stage } from './plan/stage.ts';
import type { MappedRow, Source } from './record.ts';
import type { Progress } from './report/progress.ts';

/**
 * Reads and maps a source into its journal.
 *
 * @throws ProcError where more rows are invalid than the user allows, before anything is sent
 */
export async function stageSource(
  journal: Journal,
  target: ImportTarget,
  source: Source,
  ctx: Context,
  progress: Progress,
): Promise<void> {
  const { choices, mapping } = journal.header;
  const isListed = target.listing !== undefined;
  await stage(journal, mapped(source, mapping as Mapping, target), {
    keyField: target.keyField,
    nameField: isListed && choices.noCode === 'name' ? target.listing?.nameField : undefined,
    rejectWithoutKey: isListed && choices.noCode === 'reject',
    onInvalid(count, first) {
      const most = choices.failFast ? 0 : choices.maxErrors;
      if (most === undefined || count <= most) return;
      const flag = choices.failFast ? '--fail-fast' : `--max-errors ${most}`;
      throw new ProcError('invalid_input', `${source.name}, ${first} (${flag}); nothing was sent`);
    },
    onProgress: (rows) => progress.step(`Reading: ${rows} rows`, { step: 'read', rows }),
    signal: ctx.signal,
  });
}

async function* mapped(
  source: Source,
  mapping: Mapping,
  target: ImportTarget,
): AsyncGenerator<readonly MappedRow[]> {
  const map = compileMapping(mapping, target.fields);
  for await (const records of source.records()) yield records.map(map);
}

/** The kept copy of standard input has served once its rows are in the journal, or none will be. */
export function removeSpool(path: string, folder: string): void {
  if (path.startsWith(folder)) rmSync(path, { force: true });
}
