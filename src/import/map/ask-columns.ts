import { existsSync } from 'node:fs';
import { parse, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import type { Choice } from '../../core/io.ts';
import { typedAgain } from '../../core/wording.ts';
import { isAddedColumn, type Source } from '../source/record.ts';
import type { ImportField } from '../targets/import-target.ts';
import { firstValue } from './convert.ts';
import { columnsSent, type Mapping } from './mapping.ts';

export const STOP = { name: 'None: stop', value: undefined } as const;

interface Open {
  readonly source: Source;
  /** Columns that may fill fields. */
  readonly columns: readonly string[];
  readonly fields: readonly ImportField[];
}

interface Answers {
  /** With all answers so far. */
  mapping(): Mapping;
  map(field: string, column: string): void;
}

/**
 * Asks for the column of each required field that has none, and then for the other columns.
 *
 * @param missing each with its alternatives
 * @returns false if the person stops
 */
export async function askColumns(
  missing: readonly (readonly string[])[],
  { source, columns, fields }: Open,
  ctx: Context,
  answers: Answers,
): Promise<boolean> {
  const named = (name: string): Choice<string> => ({ name, value: name });
  const shown = (column: string): Choice<string> => {
    return { name: `${column}  (${firstValue(source, column) || 'empty'})`, value: column };
  };
  const own = columns.filter((column) => !isAddedColumn(column));
  for (const names of missing) {
    const field =
      names.length === 1
        ? names[0]!
        : await ctx.prompt.select('Which of these does the file have?', names.map(named));
    const column = await ctx.prompt.select<string | undefined>(`Which column fills ${field}?`, [
      ...own.map(shown),
      STOP,
    ]);
    if (column === undefined) return false;
    answers.map(field, column);
  }
  const sent = columnsSent(answers.mapping());
  const others = own.filter((column) => !sent.has(column));
  const open = () => fields.filter(({ name }) => answers.mapping().fields[name] === undefined);
  if (others.length === 0 || open().length === 0) return true;
  const question = 'Which other columns do you want to send?';
  for (const column of await ctx.prompt.checkbox(question, others.map(shown))) {
    if (open().length === 0) break;
    const choices = open().map(({ name }) => named(name));
    answers.map(await ctx.prompt.select(`Which field does ${column} fill?`, choices), column);
  }
  return true;
}

/**
 * Offers to save the answers, and says how to run the import without these questions.
 *
 * @returns the file; undefined if there are no answers, or the person does not want it
 */
export async function saveFile(
  answers: readonly string[],
  { name }: Source,
  ctx: Context,
): Promise<string | undefined> {
  if (answers.length === 0) return undefined;
  const file = `${name === 'standard input' ? 'import' : parse(name).name}.map.json`;
  const over = existsSync(resolve(ctx.cwd, file)) ? ', over the one that exists' : '';
  const isSaved = await ctx.prompt.confirm(`Save this map to ${file}${over}?`);
  const command = typedAgain(ctx.typed, isSaved ? ['--map-file', file] : answers);
  ctx.io.say({ kind: 'notice', text: `To skip these questions next time, run: ${command}` });
  return isSaved ? file : undefined;
}
