import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, ProcError, unreadable } from '../../core/errors.ts';
import { JsonError, readJson } from '../../core/text/strict-json.ts';
import { writeWholeFile } from '../../store/whole-file.ts';
import type { ImportFlags } from '../import-flags.ts';
import type { Source } from '../source/record.ts';
import { readMapFile, type SavedChoices } from './map-file.ts';
import type { Mapping } from './mapping.ts';
import { runNamedIn } from './repair/marks.ts';
import { headerOf } from './repair/recognise.ts';

export interface SavedMap {
  readonly content: object;
  readonly choices: SavedChoices;
}

/**
 * The map of `--map-file`; undefined without this flag.
 *
 * @throws ProcError `unreadable_file`, `invalid_input`
 */
export function givenMap(mapFile: string | undefined, cwd: string): SavedMap | undefined {
  if (mapFile === undefined) return undefined;
  const content = readMap(mapFile, cwd);
  return { content, choices: readMapFile(content).choices };
}

function readMap(file: string, cwd: string): object {
  try {
    const content = readJson(readFileSync(resolve(cwd, file), 'utf8').replace(/^\uFEFF/, ''));
    if (typeof content === 'object' && content !== null) return content;
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw unreadable(`--map-file ${file}`, thrown);
    throw new ProcError('invalid_input', `--map-file ${file}: ${thrown.message}`);
  }
  throw new ProcError('invalid_input', `--map-file ${file}: expected a JSON object`);
}

/**
 * Settings for reading the file; flags override them. The saved map does not apply to a file of
 * rejected rows: proc chose the layout of that file.
 *
 * @param folder of the journals
 */
export async function savedLayout(
  file: string,
  saved: SavedMap | undefined,
  folder: string,
  cwd: string,
): Promise<SavedChoices> {
  const path = resolve(cwd, file);
  const isFile = file !== '-' && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const run = isFile ? runNamedIn(path) : undefined;
  if (run === undefined) return saved?.choices ?? {};
  return { path: (await headerOf(folder, run))?.source.arrayPath };
}

export function saveMap(
  file: string,
  mapping: Mapping,
  { format, layout = {} }: Pick<Source, 'format' | 'layout'>,
  flags: Pick<ImportFlags, 'encoding' | 'groupBy' | 'onDuplicate' | 'fillDown' | 'saveMap'>,
): void {
  const isOld = format.encoding === 'windows-1252';
  const choices: SavedChoices = {
    ...layout,
    encoding: flags.encoding ?? (isOld ? 'windows-1252' : undefined),
    groupBy: flags.groupBy,
    onDuplicate: flags.onDuplicate,
    fillDown: flags.fillDown.length === 0 ? undefined : flags.fillDown,
  };
  try {
    const text = JSON.stringify({ ...mapping, ...choices }, null, 2);
    writeWholeFile(file, `${text}\n`);
  } catch (thrown) {
    throw new ProcError('unwritable_output', `--save-map ${flags.saveMap}: ${messageOf(thrown)}`);
  }
}
