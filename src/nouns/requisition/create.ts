import { COMPOSE_FLAGS } from '../../compose/flags.ts';
import { definitionsIn } from '../../compose/items-in-place.ts';
import { composeBody } from '../../compose/requisition-body.ts';
import { command } from '../../context.ts';
import { WRITE_CODES } from '../../core/errors.ts';
import { write } from '../../write.ts';
import { bodyFlags, FILE_FLAG, ONCE_FLAG, onceKey } from '../shared/body.ts';
import type { CatalogueItem } from '../shared/catalogue.ts';
import { createRequisition, REQUISITION_COLUMNS } from './index.ts';

export const create = command({
  path: ['requisition', 'create'],
  changes: 'service',
  prints: 'record',
  summary: 'Create a requisition with groups and items',
  description:
    'Flags override the file (--file). To answer questions instead, or to order again, use proc requisition wizard. The service cannot list requisitions, so proc keeps each one in its history.',
  flags: { ...FILE_FLAG, ...bodyFlags(createRequisition), ...COMPOSE_FLAGS, ...ONCE_FLAG },
  examples: [
    {
      run: 'proc requisition create --title "Spare parts" --deliver-to adr-1 --item CS-4759=4',
      doc: 'one group, one existing item',
    },
    {
      run: `proc requisition create --title Tools --group delivery=pickup --new-item 'name="Wrench, 8 mm",code=WR-8,quantity=2' -o id`,
      doc: 'define an item in place, print only the id',
    },
    {
      run: 'proc requisition create --file examples/requisition.json --title "Spare parts, July"',
      doc: 'from a file, with another title',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  async run(ctx, _args, flags) {
    const met = new Map<string, CatalogueItem>();
    const { value, place } = await composeBody(flags, met, ctx);
    let payload = value;
    const input = async () => {
      if (definitionsIn(value).length > 0) {
        const { resolveItems } = await import('../../compose/resolve-items.ts');
        payload = await resolveItems(value, { met, place }, ctx);
      }
      return { body: payload };
    };
    const what = `create requisition "${value.title}" with ${value.groups.length === 1 ? '1 group' : `${value.groups.length} groups`}`;
    return write(
      ctx,
      createRequisition,
      input,
      {
        ...{ what, given: value },
        once: onceKey(flags),
        shown: async () =>
          (await import('../../compose/review-table.ts')).reviewPayload(payload, met, ctx),
      },
      (answer) => ({
        ...{ kind: 'record', columns: REQUISITION_COLUMNS },
        ...{ value: answer, idField: 'requisitionId' },
      }),
    );
  },
});
