import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { kebab } from '../../core/text/kebab.ts';
import { phrase } from '../../messages/writes.ts';
import { bodyFields, bodyFlags } from '../shared/body-flags.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { FILE_FLAG } from '../shared/file-flag.ts';
import { findText } from '../shared/find-text.ts';
import { invisibleIn } from '../shared/invisible.ts';
import { createItem } from './api.ts';
import { ITEM_COLUMNS } from './columns.ts';

export const create = command({
  path: ['items', 'create'],
  changes: 'service',
  prints: 'record',
  summary: 'Create an item in the catalogue',
  description:
    'The contract has no way to delete an item. To check whether it exists: proc items find',
  flags: { ...FILE_FLAG, ...bodyFlags(createItem) },
  examples: [
    {
      run: 'proc items create --name "Adjustable Race" --code AR-5381 --unit-of-measure EA',
      doc: 'from flags',
    },
    { run: 'proc items create --file examples/item.json', doc: 'from a file' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createItem],
  needs: ['io', 'api', 'input'],
  async run({ flags }, ports) {
    const body = await ports.input.body(createItem, {
      file: flags.file,
      fields: bodyFields(createItem, flags),
    });
    const { name, code } = body.value;
    warnOfInvisible(body.value, flags.file, ports);
    if (name === undefined) {
      // The API does not say whether a name is required, so a file may omit it. With flags, a missing name
      // is most likely a mistake.
      if (flags.file === undefined) {
        throw new ProcError('invalid_usage', 'an item needs a name', {
          hint: 'Add --name TEXT, or pass the whole body with --file',
        });
      }
      ports.io.say({ kind: 'warning', text: `${flags.file}: the item has no name` });
    }
    return ports.api.send(
      createItem,
      { body: body.value },
      {
        what: phrase('createItem', name ?? code ?? ''),
        weight: 'create',
      },
      (value) => ({ kind: 'record', columns: ITEM_COLUMNS, value }),
    );
  },
});

/** Nobody would notice these characters, and the item cannot be deleted. */
function warnOfInvisible(body: object, file: string | undefined, ports: Ports<'io'>): void {
  const problem = findText(body, (text, key) => invisibleIn(text, key === 'code'));
  if (problem === undefined) return;
  const place = file === undefined ? `--${kebab(problem.field)}` : `${file}: ${problem.field}`;
  ports.io.say({ kind: 'warning', text: `${place} contains ${problem.found}` });
}
