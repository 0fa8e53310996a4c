import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { listOrdersHint } from '../orders/get.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { recordName } from '../shared/references/record-name.ts';
import { recordMeant, rowsMeant } from '../shared/references/references.ts';
import { bodyFields, bodyFlags, FILE_FLAG, ONCE_FLAG, onceKey } from '../shared/write-flags.ts';
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
  needs: ['io', 'api', 'lookup', 'input', 'ask', 'store', 'self'],
  async run({ flags }, ports) {
    const given = bodyFields(createImputation, flags);
    const isAsked =
      ports.io.terminal.interactive && flags.file === undefined && Object.keys(given).length === 0;
    const asked = isAsked ? await askImputation(ports) : undefined;
    const fields = asked?.fields ?? given;
    const body = await ports.input.body(createImputation, { file: flags.file, fields });
    if (Object.keys(body.value).length === 0) {
      throw new ProcError('invalid_usage', 'an imputation needs at least one field', {
        hint: 'List the flags: proc imputations create --help',
      });
    }
    const intentOf = ({ amount, currency, account }: typeof body.value, order: string) => ({
      what: whatIsCreated(
        [amount, currency].filter((part) => part !== undefined).join(' '),
        account,
        order,
      ),
      weight: 'create' as const,
      once: onceKey(flags),
    });
    await ports.api.ensureAskable(intentOf(body.value, ''));
    // Only a flag may have a reference to look up. An id in a file is sent unchanged.
    const order =
      typeof fields.orderId === 'string'
        ? (asked?.order ?? (await recordMeant(ports, 'order', fields.orderId)))
        : undefined;
    const whole = {
      ...body.value,
      ...(order === undefined
        ? {}
        : { orderId: String(order.id), ...currencyOf(order, body.value, ports) }),
    };
    const name = recordName(order ?? { id: whole.orderId });
    const sent = { body: whole };
    const intent = { ...intentOf(whole, name), names: name === '' ? {} : { orderId: name } };
    return ports.api.send(createImputation, sent, intent, (value) => ({
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
async function askImputation(
  ports: Ports<'io' | 'ask' | 'lookup' | 'store' | 'self'>,
): Promise<Asked> {
  const { ask } = ports;
  const amount = await ask.input('Amount, e.g. 222.15', {
    validate: (text) =>
      /^-?\d+(\.\d+)?$/.test(text.trim())
        ? undefined
        : `"${text.trim()}" is not a number such as 222.15.`,
  });
  const { typed, order } = await askOrder('Order: code or id (empty for none)', ports);
  const account = (await ask.input('Account to charge (empty for none)')).trim();
  const reference = (await ask.input('Your reference (empty for none)')).trim();
  const fields = {
    amount: Number(amount.trim()),
    ...(typed === '' ? {} : { orderId: typed }),
    ...(account === '' ? {} : { account }),
    ...(reference === '' ? {} : { reference }),
  };
  return { fields, order };
}

const ASKED_AGAIN: ReadonlySet<string> = new Set([
  'not_found',
  'invalid_usage',
  'reference_not_found',
  'ambiguous_reference',
]);

/** Asks until an order is found, or none is given. The question before sending shows which one was found. */
async function askOrder(
  question: string,
  ports: Ports<'io' | 'ask' | 'lookup' | 'store' | 'self'>,
): Promise<{ readonly typed: string; readonly order: Row | undefined }> {
  for (;;) {
    const typed = (await ports.ask.input(question)).trim();
    if (typed === '' || !(await ports.lookup.allowed())) return { typed, order: undefined };
    try {
      const meant = await rowsMeant(ports, 'order', [typed], listOrdersHint);
      return { typed, order: meant(typed) };
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || !ASKED_AGAIN.has(thrown.code)) throw thrown;
      ports.io.say({ kind: 'warning', text: thrown.message });
    }
  }
}

/** An amount without a currency is in the currency of its order. */
function currencyOf(
  order: Row,
  { amount, currency }: { readonly amount?: number; readonly currency?: string },
  { io }: Ports<'io'>,
): { readonly currency?: string } {
  const own = order.currency;
  if (typeof own !== 'string' || own === '' || amount === undefined) return {};
  if (currency === undefined) {
    io.say({
      kind: 'notice',
      text: `The amount is in ${own}, the currency of ${recordName(order)}.`,
    });
    return { currency: own };
  }
  if (currency !== own) {
    const text = `${recordName(order)} is in ${own}, not in ${currency}`;
    io.say({ kind: 'warning', text });
  }
  return {};
}

function whatIsCreated(amount: string, account: string | null | undefined, order: string): string {
  const of = amount === '' ? 'without an amount' : `of ${amount}`;
  return `create an imputation ${of}${account ? ` on account ${account}` : ''}${order === '' ? '' : ` for ${order}`}`;
}
