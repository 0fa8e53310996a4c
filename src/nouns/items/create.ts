import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import type { FoundRows } from '../../listing/search-codes.ts';
import { ensureAskable, write } from '../../write.ts';
import { readBody } from '../shared/body.ts';
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
  async run(ctx, _args, flags) {
    const fields = bodyFields(createItem, flags);
    const isAsked =
      ctx.io.terminal.interactive && flags.file === undefined && Object.keys(fields).length === 0;
    const body = await readBody(ctx, createItem, {
      file: flags.file,
      fields: isAsked ? await askItem(ctx) : fields,
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
      given: body.value,
      once: onceKey(flags),
    } as const;
    const input = async () => {
      if (code !== undefined && code !== '' && !ctx.flags.again) {
        await ensureAskable(ctx, createItem, intent.what);
        await (ctx.flags.dryRun ? foresee : refuseExisting)(code, ctx);
      }
      return { body: body.value };
    };
    return write(ctx, createItem, input, intent, (value) => ({
      kind: 'record',
      columns: ITEM_COLUMNS,
      value,
    }));
  },
});

/** Asks as the wizard does for a new item. An empty answer leaves the field out. */
async function askItem(ctx: Context): Promise<Row> {
  const name = await ctx.prompt.input('Name of the new item', {
    validate: (text) => (text.trim() === '' ? 'A new item needs a name.' : undefined),
  });
  const code = await ctx.prompt.input('Code of the new item (empty for none)');
  const unit = await ctx.prompt.input('Unit of measure, e.g. EA or KG (empty for none)');
  const answers = { name, code, unitOfMeasure: unit };
  return Object.fromEntries(
    Object.entries(answers).flatMap(([field, text]) => (text.trim() ? [[field, text.trim()]] : [])),
  );
}

/** Like {@link refuseExisting}, but a preview is also shown where the code cannot be looked up. */
async function foresee(code: string, ctx: Context): Promise<void> {
  try {
    await refuseExisting(code, ctx);
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    if (thrown.code === 'code_exists') throw thrown;
    const text = `the code ${show(code)} was not looked up: ${thrown.message}`;
    ctx.io.say({ kind: 'warning', text });
  }
}

/**
 * A second item with this code could not be deleted.
 *
 * @throws ProcError `code_exists`; `catalogue_unverified` if the list cannot tell
 */
async function refuseExisting(code: string, ctx: Context): Promise<void> {
  if (!(await ctx.http().canRead())) return;
  const anyway = 'to create it without the look-up, add --again';
  const { rows, isProved } = await found(code, ctx, anyway);
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
const NO_LIST: ReadonlySet<string> = new Set(['not_found', 'refused', 'undecodable']);

async function found(code: string, ctx: Context, anyway: string): Promise<FoundRows> {
  try {
    return await ctx.http().find(listItems, 'code', code);
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
