import { resolve } from 'node:path';
import { COMPOSE_FLAGS } from '../../compose/flags.ts';
import { payloadWarnings } from '../../compose/payload.ts';
import { composeBody, isComposed } from '../../compose/requisition-body.ts';
import { command } from '../../core/command.ts';
import { phrase } from '../../messages/writes.ts';
import type { CatalogueItem } from '../shared/catalogue.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { definitionsIn } from '../shared/items-in-place.ts';
import { bodyFlags, FILE_FLAG, ONCE_FLAG, onceKey } from '../shared/write-flags.ts';
import { createRequisition, REQUISITION_COLUMNS } from './index.ts';

export const create = command({
  path: ['requisition', 'create'],
  changes: 'service',
  prints: 'record',
  shape: ({ record, responseOf }) => record(responseOf(createRequisition)),
  summary: 'Create a requisition with groups and items',
  description:
    'Combines flags, a file (--file) and an earlier requisition (--from); flags override the rest. Without any of these, proc starts the wizard on a terminal. The service cannot list requisitions, so proc keeps each one in its history.',
  details:
    'With --lines or --from, proc shows the resulting requisition and asks for confirmation before it sends it; in a script, add --yes.\n\nWith --lines, proc matches the list by code. On a terminal it also matches by name and asks about uncertain lines. In a script, a line without an exact code ends the command with exit 2.\n\nWith --from, proc does not copy the code; --code sets a new one. If an address no longer exists, proc sends nothing. If the earlier requisition defined an item in place and the catalogue has it by now, the new requisition has the item of the catalogue. To change the earlier items: --lines replaces all of them, --item adds a new one, and --quantity changes the quantity of one.',
  flags: { ...FILE_FLAG, ...bodyFlags(createRequisition), ...COMPOSE_FLAGS, ...ONCE_FLAG },
  examples: [
    {
      run: 'proc requisition create --title "Spare parts" --deliver-to adr-1 --item AR-5381=4',
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
    {
      run: 'proc requisition create --title Parts --group delivery=pickup --lines examples/lines.txt --yes',
      doc: 'from a list',
    },
    {
      run: 'proc requisition create --from last --title "Parts, August" --quantity AR-5381=20 --yes',
      doc: 'repeat the last one with another quantity',
    },
    {
      run: 'proc requisition create --from last --title "Parts, August" --group name=Plant,delivery=pickup --lines examples/lines.txt --yes',
      doc: 'sector and type of the last one, items from a list',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  needs: ['io', 'api', 'lookup', 'input', 'ask', 'store', 'self'],
  async run({ flags }, ports) {
    if (isEmpty(flags)) {
      const { runWizard } = await import('../../wizard/run-wizard.ts');
      return runWizard(ports, { command: 'requisition create without input' });
    }
    const met = new Map<string, CatalogueItem>();
    const person = async () => (await import('../../wizard/ask-open-lines.ts')).personAt(ports);
    const options = { met, person: ports.io.terminal.interactive ? person : undefined };
    const { value, place } = await composeBody(flags, options, ports);
    for (const { field, message } of payloadWarnings(value)) {
      ports.io.say({ kind: 'warning', text: `${place(field)} ${message}` });
    }
    let payload = value;
    const input = async () => {
      if (definitionsIn(value).length > 0) {
        const { file, itemsInPlace: choice } = flags;
        const source =
          file === undefined || file === '-' ? undefined : resolve(ports.self.cwd, file);
        const { resolveItems } = await import('../../compose/resolve-items.ts');
        payload = await resolveItems(value, { choice, source, met, place }, ports);
      }
      return { body: payload };
    };
    const what = phrase('createRequisition', value.title, value.groups.length);
    const { sayRehearsed, tellContradiction } = await import('../../rehearsal/expected.ts');
    const expected = await sayRehearsed('requisition', ports);
    return ports.api.send(
      createRequisition,
      input,
      {
        ...{ what, weight: 'create', given: value, isComposed: isComposed(flags) },
        once: onceKey(flags),
        review: async () =>
          (await import('../../compose/review-table.ts')).reviewPayload(payload, met, ports),
      },
      async (answer) => {
        const sent = { body: payload, idField: 'requisitionId' };
        await tellContradiction(answer, expected, sent, ports);
        return {
          ...{ kind: 'record', columns: REQUISITION_COLUMNS },
          ...{ value: answer, idField: 'requisitionId' },
        };
      },
    );
  },
});

function isEmpty(flags: Readonly<Record<string, unknown>>): boolean {
  return Object.values(flags).every(
    (value) =>
      value === undefined || value === false || (Array.isArray(value) && value.length === 0),
  );
}
