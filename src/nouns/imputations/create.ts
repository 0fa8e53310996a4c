import { type Context, command } from '../../context.ts';
import { EXIT, ProcError, WRITE_CODES, withHint } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { ensureAskable, write } from '../../write.ts';
import { listOrders } from '../orders/index.ts';
import { bodyFields, bodyFlags, FILE_FLAG, ONCE_FLAG, onceKey, readBody } from '../shared/body.ts';
import { lookUp, recordName, recordsMeant } from '../shared/references.ts';
import { createImputation, IMPUTATION_COLUMNS } from './index.ts';

export const create = command({
  path: ['imputations', 'create'],
  changes: 'service',
  prints: 'record',
  summary: 'Record a cost allocation',
  description:
    'Without flags, proc asks on a terminal. The contract has no way to list or delete imputations, so proc keeps each one in its history. An amount without --currency is in the currency of its --order.',
  flags: { ...FILE_FLAG, ...bodyFlags(createImputation), ...ONCE_FLAG },
  examples: [
    {
      run: 'proc imputations create --order po-1 --account 6100 --amount 222.15 --currency USD --reference INV-77',
      doc: 'from flags',
    },
    { run: 'proc imputations create --file examples/imputation.json', doc: 'from a file' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createImputation],
  async run(ctx, _args, flags) {
    const given = bodyFields(createImputation, flags);
    const isAsked =
      ctx.io.terminal.interactive && flags.file === undefined && Object.keys(given).length === 0;
    const asked = isAsked ? await askImputation(ctx) : undefined;
    const fields = asked?.fields ?? given;
    const body = await readBody(ctx, createImputation, { file: flags.file, fields });
    if (Object.keys(body.value).length === 0) {
      throw new ProcError('invalid_usage', 'an imputation needs at least one field', {
        hint: 'List the flags: proc imputations create --help',
      });
    }
    await ensureAskable(ctx, createImputation, whatOf(body.value));
    // Only a flag may have a reference to look up. An id in a file is sent unchanged.
    const order =
      typeof fields.orderId === 'string'
        ? (asked?.order ?? (await recordsMeant(ctx, listOrders, [fields.orderId]))(fields.orderId))
        : undefined;
    const whole = {
      ...body.value,
      ...(order === undefined
        ? {}
        : { orderId: String(order.id), ...currencyOf(order, body.value, ctx) }),
    };
    const name = recordName(order ?? { id: whole.orderId });
    const shown = name === '' ? undefined : { ...whole, orderId: name };
    const intent = { what: whatOf(whole, name), once: onceKey(flags), shown };
    return write(ctx, createImputation, { body: whole }, intent, (value) => ({
      kind: 'record',
      columns: IMPUTATION_COLUMNS,
      value,
    }));
  },
});

interface Asked {
  readonly fields: Record<string, unknown>;
  /** Undefined if the order was not looked up. */
  readonly order: Row | undefined;
}

/** An empty answer leaves the field out. */
async function askImputation(ctx: Context): Promise<Asked> {
  const amount = await ctx.prompt.input('Amount, e.g. 222.15', {
    validate: (text) =>
      /^-?\d+(\.\d+)?$/.test(text.trim())
        ? undefined
        : `"${text.trim()}" is not a number such as 222.15.`,
  });
  const { typed, order } = await askOrder('Order: code or id (empty for none)', ctx);
  const account = (await ctx.prompt.input('Account to charge (empty for none)')).trim();
  const reference = (await ctx.prompt.input('Your reference (empty for none)')).trim();
  const fields = {
    amount: Number(amount.trim()),
    ...(typed === '' ? {} : { orderId: typed }),
    ...(account === '' ? {} : { account }),
    ...(reference === '' ? {} : { reference }),
  };
  return { fields, order };
}

/** Asks until an order is found, or none is given. The question before sending shows which one was found. */
async function askOrder(
  question: string,
  ctx: Context,
): Promise<{ readonly typed: string; readonly order: Row | undefined }> {
  for (;;) {
    const typed = (await ctx.prompt.input(question)).trim();
    if (typed === '' || !(await ctx.http().canRead())) return { typed, order: undefined };
    const order = (await lookUp(listOrders, [typed], ctx.http(), { needsFields: true }))(typed);
    if (!(order instanceof ProcError)) return { typed, order };
    if (order.exitCode !== EXIT.usage && order.code !== 'incomplete') throw order;
    ctx.io.say({ kind: 'warning', text: withHint(order) });
  }
}

/** An amount without a currency is in the currency of its order. */
function currencyOf(
  order: Row,
  { amount, currency }: { readonly amount?: number; readonly currency?: string },
  ctx: Context,
): { readonly currency?: string } {
  const own = order.currency;
  if (typeof own !== 'string' || own === '' || amount === undefined) return {};
  if (currency === undefined) {
    ctx.io.say({
      kind: 'notice',
      text: `The amount is in ${own}, the currency of ${recordName(order)}.`,
    });
    return { currency: own };
  }
  if (currency !== own) {
    const text = `${recordName(order)} is in ${own}, not in ${currency}`;
    ctx.io.say({ kind: 'warning', text });
  }
  return {};
}

function whatOf({ amount, currency, account }: Row, order = ''): string {
  const sum = [amount, currency].filter((part) => part !== undefined).join(' ');
  const on = account ? ` on account ${String(account)}` : '';
  return `create an imputation ${sum && 'of '}${sum || 'without an amount'}${on}${order && ` for ${order}`}`;
}
