import { command } from '../../core/command.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { FoundRows, Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { bodyFields, bodyFlags, FILE_FLAG, ONCE_FLAG, onceKey } from '../shared/write-flags.ts';
import { createItem, ITEM_COLUMNS, listItems } from './index.ts';

export const create = command({
  path: ['items', 'create'],
  changes: 'service',
  prints: 'record',
  summary: 'Create an item in the catalogue',
  description:
    'Without flags, proc asks on a terminal. The contract has no way to delete an item, so proc first looks its code up, and sends nothing if an item has it. --again leaves the look-up out.',
  flags: { ...FILE_FLAG, ...bodyFlags(createItem), ...ONCE_FLAG },
  examples: [
    {
      run: 'proc items create --name "Blade" --code BL-2036 --unit-of-measure EA',
      doc: 'from flags',
    },
    { run: 'proc items create --file examples/item.json', doc: 'from a file' },
    {
      run: 'proc items create --name Washer --once job-17-washer',
      doc: 'in a job that may run twice',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createItem, listItems],
  needs: ['io', 'api', 'input', 'lookup', 'ask', 'self'],
  async run({ flags }, ports) {
    const fields = bodyFields(createItem, flags);
    const isAsked =
      ports.io.terminal.interactive && flags.file === undefined && Object.keys(fields).length === 0;
    const body = await ports.input.body(createItem, {
      file: flags.file,
      fields: isAsked ? await askItem(ports) : fields,
    });
    const { name, code } = body.value;
    // The API does not say whether a name is required, so a file may omit it. With flags, a missing name
    // is most likely a mistake.
    if (name === undefined && flags.file === undefined) {
      throw new ProcError('invalid_usage', 'an item needs a name', {
        hint: 'Add --name TEXT, or pass the whole body with --file',
      });
    }
    const intent = {
      what: `create item "${name ?? code ?? ''}"`,
      weight: 'create',
      given: body.value,
      once: onceKey(flags),
    } as const;
    const input = async () => {
      if (code !== undefined && code !== '' && !ports.self.flags.again) {
        await ports.api.ensureAskable(intent);
        const { isPreview } = ports.api;
        await (isPreview ? foresee : refuseExisting)(code, ports);
      }
      return { body: body.value };
    };
    return ports.api.send(createItem, input, intent, (value) => ({
      kind: 'record',
      columns: ITEM_COLUMNS,
      value,
    }));
  },
});

/** Asks as the wizard does for a new item. An empty answer leaves the field out. */
async function askItem({ ask }: Ports<'io' | 'ask'>): Promise<Row> {
  const name = await ask.input('Name of the new item', {
    validate: (text) => (text.trim() === '' ? 'A new item needs a name.' : undefined),
  });
  const code = await ask.input('Code of the new item (empty for none)');
  const unit = await ask.input('Unit of measure, e.g. EA or KG (empty for none)');
  const answers = { name, code, unitOfMeasure: unit };
  return Object.fromEntries(
    Object.entries(answers).flatMap(([field, text]) => (text.trim() ? [[field, text.trim()]] : [])),
  );
}

/** Like {@link refuseExisting}, but a preview is also shown where the code cannot be looked up. */
async function foresee(code: string, ports: Ports<'io' | 'lookup'>): Promise<void> {
  try {
    await refuseExisting(code, ports);
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    if (thrown.code === 'code_exists') throw thrown;
    const text = `the code ${show(code)} was not looked up: ${thrown.message}`;
    ports.io.say({ kind: 'warning', text });
  }
}

/**
 * A second item with this code could not be deleted.
 *
 * @throws ProcError `code_exists`; `catalogue_unverified` if the list cannot tell
 */
async function refuseExisting(code: string, ports: Ports<'io' | 'lookup'>): Promise<void> {
  if (!(await ports.lookup.allowed())) return;
  const anyway = 'to create it without the look-up, add --again';
  const { rows, isProved } = await found(code, ports, anyway);
  const [item] = rows;
  if (item !== undefined) {
    const which = rows.map(({ id, name }) => `${id} (${name ?? 'no name'})`).join(', ');
    throw new ProcError(
      'code_exists',
      `the code ${show(code)} exists: ${which}; nothing was sent`,
      {
        hint: `See it: proc items get id=${inShell(String(item.id))}. To create another item with this code, add --again`,
        details: { items: rows },
      },
    );
  }
  if (!isProved) {
    throw new ProcError(
      'catalogue_unverified',
      `no item with the code ${show(code)} was found, but the list of items may be incomplete; nothing was sent`,
      {
        hint: `Detect the parameter names: proc doctor. Or, ${anyway}`,
      },
    );
  }
}

/** Errors of a service that does not have the list. */
const NO_LIST: ReadonlySet<string> = new Set(['not_found', 'refused', 'undecodable', 'redirected']);

async function found(code: string, ports: Ports<'lookup'>, anyway: string): Promise<FoundRows> {
  try {
    return await ports.lookup.find(listItems, 'code', code);
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || !NO_LIST.has(thrown.code)) throw thrown;
    throw new ProcError(
      'catalogue_unverified',
      `the items cannot be listed, so proc cannot tell whether the code ${show(code)} exists; nothing was sent: ${thrown.message}`,
      {
        hint: `Check the service: proc doctor. Or, ${anyway}`,
        status: thrown.status,
        requestId: thrown.requestId,
        cause: thrown,
      },
    );
  }
}
