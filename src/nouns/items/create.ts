import { type Context, command } from '../../context.ts';
import { failing, ProcError, WRITE_CODES } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { show } from '../../core/validate.ts';
import { inShell } from '../../core/wording.ts';
import { ensureAskable, write } from '../../write.ts';
import { bodyFields, bodyFlags, FILE_FLAG, ONCE_FLAG, onceKey, readBody } from '../shared/body.ts';
import { itemLabel, itemOf } from '../shared/catalogue.ts';
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
        await refuseExisting(code, ctx);
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

/** Errors of a service that does not have the list. */
const NO_LIST: ReadonlySet<string> = new Set(['not_found', 'refused', 'undecodable']);

/**
 * A second item with this code could not be deleted. A dry run only warns if the list cannot tell.
 *
 * @throws ProcError `code_exists`; `catalogue_unverified` if the list cannot tell
 */
async function refuseExisting(code: string, ctx: Context): Promise<void> {
  if (!(await ctx.http().canRead())) return;
  const found = await failing(() => ctx.http().find(listItems, [code]));
  const error = found instanceof ProcError ? found : undefined;
  const { rows, isProved } = found instanceof ProcError ? { rows: [], isProved: false } : found;
  if (rows.length > 0) {
    const items = rows.flatMap(itemOf);
    const which = items.map((item) => `${itemLabel(item)} (${item.id})`).join(', ');
    const message = `the code ${show(code)} exists: ${which}; nothing was sent`;
    const hint = `See it: proc items get id=${inShell(items[0]?.id ?? '')}. To create another item with this code, add --again`;
    throw new ProcError('code_exists', message, { hint, details: { items: rows } });
  }
  if (isProved) return;
  const why = error?.message ?? 'the list of items may be incomplete';
  const message = `proc cannot tell whether the code ${show(code)} exists: ${why}`;
  if (ctx.flags.dryRun) return ctx.io.say({ kind: 'warning', text: message });
  if (error !== undefined && !NO_LIST.has(error.code)) throw error;
  throw new ProcError('catalogue_unverified', `${message}; nothing was sent`, {
    hint: 'If an import writes the list, run it again later; or check the service: proc doctor. To create it without the look-up, add --again',
    ...{ status: error?.status, requestId: error?.requestId, cause: error },
  });
}
