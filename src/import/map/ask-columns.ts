import type { Choice, Ports } from '../../core/ports.ts';
import { columnMessages } from '../../messages/columns.ts';
import type { Source } from '../source/record.ts';
import { samples } from './column-use.ts';
import { isAddedColumn } from './repair/added-columns.ts';

type Answer = { readonly column: string } | 'none' | 'rest' | 'back';

/**
 * At the end the user accepts the mapping or begins again.
 *
 * @param fields in the order of the questions
 * @param proposed the column that is preselected for each field
 */
export async function askColumns(
  source: Source,
  fields: readonly string[],
  proposed: ReadonlyMap<string, string>,
  show: (matched: ReadonlyMap<string, string>) => void,
  ports: Ports<'io' | 'ask'>,
): Promise<ReadonlyMap<string, string>> {
  const words = columnMessages[await ports.io.lang()];
  const chosen = new Map([...proposed].filter(([field]) => fields.includes(field)));
  const columns = source.columns.filter((column) => !isAddedColumn(column));
  const choices = columns.map((column): Choice<Answer> => {
    const values = samples(source.head, column).join(' · ') || words.empty;
    return { name: `${column}  (${values})`, value: { column } };
  });
  for (let at = 0; ; ) {
    const field = fields[at];
    if (field === undefined) {
      if (chosen.size > 0) show(chosen);
      if (await ports.ask.confirm(words.use(chosen.size), chosen.size > 0)) return chosen;
      at = 0;
      continue;
    }
    const others: Choice<Answer>[] = [{ name: words.none, value: 'none' }];
    if (at < fields.length - 1) others.push({ name: words.rest, value: 'rest' });
    if (at > 0) others.push({ name: words.back(fields[at - 1]!), value: 'back' });
    const now = columns.indexOf(chosen.get(field) ?? '');
    const question = words.which(field, at + 1, fields.length);
    const preselected = now < 0 ? choices.length : now;
    const answer = await ports.ask.select(question, [...choices, ...others], preselected);
    if (answer === 'back') at--;
    else if (answer === 'rest') {
      for (const left of fields.slice(at)) chosen.delete(left);
      at = fields.length;
    } else {
      if (answer === 'none') chosen.delete(field);
      else chosen.set(field, answer.column);
      at++;
    }
  }
}
