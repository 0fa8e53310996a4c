import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { phrase } from '../../messages/writes.ts';
import { bodyFields, bodyFlags } from '../shared/body-flags.ts';
import { warnOfDoubts } from '../shared/doubtful-body.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { orderId } from '../shared/references/references.ts';
import { FILE_FLAG, ONCE_FLAG, onceKey } from '../shared/write-flags.ts';
import { createImputation } from './api.ts';
import { IMPUTATION_COLUMNS } from './columns.ts';

export const create = command({
  path: ['imputations', 'create'],
  changes: 'service',
  prints: 'record',
  summary: 'Record a cost allocation',
  description:
    'The contract has no way to list or delete imputations, so proc keeps each one in its history.',
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
  needs: ['io', 'api', 'lookup', 'input', 'store', 'self'],
  async run({ flags }, ports) {
    const fields = bodyFields(createImputation, flags);
    const body = await ports.input.body(createImputation, { file: flags.file, fields });
    if (Object.keys(body.value).length === 0) {
      throw new ProcError('invalid_usage', 'an imputation needs at least one field', {
        hint: 'List the flags: proc imputations create --help',
      });
    }
    warnOfDoubts(createImputation, body.value, flags.file, ports);
    const { amount, currency, account } = body.value;
    const intent = {
      what: phrase(
        'createImputation',
        [amount, currency].filter((part) => part !== undefined).join(' '),
        account ?? '',
      ),
      weight: 'create',
      once: onceKey(flags),
    } as const;
    await ports.api.ensureAskable(intent);
    const { sayRehearsed, tellContradiction } = await import('../../rehearsal/expected.ts');
    const expected = await sayRehearsed('imputations', ports);
    const order =
      typeof fields.orderId === 'string' ? { orderId: await orderId(ports, fields.orderId) } : {};
    const sent = { body: { ...body.value, ...order } };
    return ports.api.send(createImputation, sent, intent, async (value) => {
      await tellContradiction(value, expected, sent, ports);
      return { kind: 'record', columns: IMPUTATION_COLUMNS, value };
    });
  },
});
