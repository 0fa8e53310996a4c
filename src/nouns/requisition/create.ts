import { resolve } from 'node:path';
import { command } from '../../core/command.ts';
import type { FlagValues } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import type { Body, Ports } from '../../core/ports.ts';
import { check } from '../../core/validate.ts';
import { phrase } from '../../messages/writes.ts';
import { findEarlier } from '../../wizard/lists/earlier.ts';
import { inputNeeded } from '../../wizard/questions/refusals.ts';
import { bodyFields, bodyFlags } from '../shared/body-flags.ts';
import type { CatalogueItem } from '../shared/catalogue.ts';
import { warnOfDoubts } from '../shared/doubtful-body.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import {
  definitionsIn,
  ITEMS_IN_PLACE,
  type ItemsInPlace,
} from '../shared/lines/items-in-place.ts';
import { LINE_FLAGS, mustBeNew, readLineFlags, withLines } from '../shared/lines/line-flags.ts';
import { payloadWarnings } from '../shared/lines/payload-warnings.ts';
import {
  quantitiesAsStated,
  readQuantities,
  withoutEmptied,
  withQuantities,
} from '../shared/lines/quantities.ts';
import { orderAgain } from '../shared/lines/reorder.ts';
import { sectorValue } from '../shared/references/references.ts';
import { FILE_FLAG, ONCE_FLAG, onceKey } from '../shared/write-flags.ts';
import { createRequisition } from './api.ts';
import { REQUISITION_COLUMNS } from './columns.ts';

const FLAGS = {
  ...FILE_FLAG,
  ...bodyFlags(createRequisition),
  ...LINE_FLAGS,
  lines: {
    kind: 'string',
    value: 'file',
    doc: 'read the items of the group from a list (- for stdin), e.g. "12 x AR-5381" or spreadsheet columns; with --from, replaces the earlier items',
  },
  from: {
    kind: 'string',
    value: 'earlier',
    doc: 'start from an earlier requisition: its id, a history entry, "last" or a JSON file',
  },
  itemsInPlace: ITEMS_IN_PLACE,
  quantity: {
    kind: 'strings',
    value: 'code=n',
    doc: 'with --from: change a quantity, e.g. CODE=20; CODE=0 removes the item',
  },
  ...ONCE_FLAG,
} as const;

type Flags = FlagValues<typeof FLAGS & ReturnType<typeof bodyFlags>>;
type Fields = Readonly<Record<string, unknown>>;

export const create = command({
  path: ['requisition', 'create'],
  changes: 'service',
  prints: 'record',
  summary: 'Create a requisition with groups and items',
  description:
    'Combines flags, a file (--file) and an earlier requisition (--from); flags override the rest. Without any of these, proc starts the wizard on a terminal. The service cannot list requisitions, so proc keeps each one in its history.',
  details:
    'With --lines or --from, proc shows the resulting requisition and asks for confirmation before it sends it; in a script, add --yes.\n\nWith --lines, proc matches the list by code. On a terminal it also matches by name and asks about uncertain lines. In a script, a line without an exact code ends the command with exit 2.\n\nWith --from, proc does not copy the code; --code sets a new one. If an address no longer exists, proc sends nothing. If the earlier requisition defined an item in place and the catalogue has it by now, the new requisition has the item of the catalogue. To change the earlier items: --lines replaces all of them, --item adds a new one, and --quantity changes the quantity of one.',
  flags: FLAGS,
  examples: [
    {
      run: 'proc requisition create --title "Spare parts" --group name=Plant,delivery=delivery,address=adr-1 --item code=AR-5381,quantity=4',
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
      if (ports.io.terminal.interactive)
        return (await import('../../wizard/run-wizard.ts')).runWizard(ports, {});
      throw inputNeeded('requisition create without input');
    }
    const met = new Map<string, CatalogueItem>();
    const body = await readBody(flags, met, ports);
    for (const warning of payloadWarnings(body.value)) {
      ports.io.say({ kind: 'warning', text: `${body.place(warning.field)} ${warning.message}` });
    }
    let payload = body.value;
    const input = async () => {
      payload = await withExistingItems(body, flags, met, ports);
      warnOfDoubts(createRequisition, payload, flags.file, ports);
      return { body: payload };
    };
    const { title, groups } = payload;
    const what = phrase('createRequisition', title, groups.length);
    const { sayRehearsed, tellContradiction } = await import('../../rehearsal/expected.ts');
    const expected = await sayRehearsed('requisition', ports);
    return ports.api.send(
      createRequisition,
      input,
      {
        ...{ what, weight: 'create', given: body.value, isComposed: isComposed(flags) },
        once: onceKey(flags),
        review: async () =>
          (await import('../../wizard/submit/review-payload.ts')).reviewPayload(
            payload,
            met,
            ports,
          ),
      },
      async (value) => {
        const sent = { body: payload, idField: 'requisitionId' };
        await tellContradiction(value, expected, sent, ports);
        return { kind: 'record', columns: REQUISITION_COLUMNS, value, idField: 'requisitionId' };
      },
    );
  },
});

function isEmpty(flags: Flags): boolean {
  return Object.values(flags).every(
    (value) => value === undefined || (Array.isArray(value) && value.length === 0),
  );
}

/** Whether the payload comes from a list or an earlier requisition: the user has not seen it yet. */
function isComposed({ lines, from }: Flags): boolean {
  return lines !== undefined || from !== undefined;
}

async function withExistingItems(
  { value, place }: Body<typeof createRequisition>,
  { file, itemsInPlace }: Flags,
  met: Map<string, CatalogueItem>,
  ports: Ports<'io' | 'api' | 'lookup' | 'self'>,
): Promise<Body<typeof createRequisition>['value']> {
  if (definitionsIn(value).length === 0) return value;
  const source = file === undefined || file === '-' ? undefined : resolve(ports.self.cwd, file);
  const options = { choice: itemsInPlace, source, met, place };
  return (await import('../../wizard/submit/resolve-items.ts')).resolveItems(value, options, ports);
}

async function readBody(
  flags: Flags,
  met: Map<string, CatalogueItem>,
  ports: Ports<'io' | 'api' | 'lookup' | 'input' | 'ask' | 'store' | 'self'>,
) {
  const quantities = readQuantities(flags.quantity);
  if (flags.from === undefined && quantities.size > 0) {
    throw new ProcError('invalid_usage', '--quantity needs --from', {
      hint: 'Add --from last, or set quantities with --item code=…,quantity=…',
    });
  }
  if (flags.from !== undefined && flags.file !== undefined) {
    throw new ProcError(
      'invalid_usage',
      '--from and --file cannot be combined: both set the payload',
      {
        hint: 'Remove one of them.',
      },
    );
  }
  if (flags.from !== undefined && flags.lines !== undefined && quantities.size > 0) {
    throw new ProcError(
      'invalid_usage',
      '--quantity and --lines cannot be combined: the list replaces the items that --quantity would change',
      { hint: 'Put the quantities in the list, or remove --lines' },
    );
  }
  if (flags.file === '-' && flags.lines === '-') {
    throw new ProcError(
      'invalid_usage',
      '--file - and --lines - cannot be combined: both read standard input',
    );
  }
  const fields = bodyFields(createRequisition, flags);
  // Fails before any look-up if nobody can confirm. The exact question is known only later.
  await ports.api.ensureAskable({ what: 'create a requisition', weight: 'create' });
  const lines = readLineFlags(flags);
  const earlier = flags.from === undefined ? undefined : await findEarlier(flags.from, ports);
  if (isComposed(flags)) {
    const what = phrase('composeRequisition');
    await ports.api.ensureAskable({ what, weight: 'create', isComposed: true });
  }
  if (typeof fields.sector === 'string') fields.sector = await sectorValue(ports, fields.sector);
  return ports.input.body(createRequisition, {
    file: earlier?.kind === 'file' ? earlier.file : flags.file,
    fields,
    missing: {
      groups: 'a requisition needs a group, e.g. --group name=Plant,delivery=pickup',
    },
    async amend(own) {
      let whole: Fields = earlier?.kind === 'payload' ? { ...earlier.payload, ...own } : own;
      if (earlier !== undefined) {
        // Groups from flags replace the earlier groups, so the earlier groups need no check.
        if (flags.group.length > 0) whole = { ...whole, groups: [] };
        if (flags.lines !== undefined) whole = withoutItems(whole, flags.lines, ports);
        const before = whole;
        whole = await prepareReorder(whole, fields, quantities, flags.itemsInPlace, met, ports);
        if (lines !== undefined) {
          await mustBeNew(whole, lines, ports);
          whole = await withLines(whole, lines, ports, met);
        }
        whole = withoutEmptied(whole, before);
      } else if (lines !== undefined) whole = await withLines(whole, lines, ports, met);
      if (flags.lines === undefined) return whole;
      return (await import('../../wizard/lists/list-flag.ts')).withList(
        whole,
        flags.lines,
        ports,
        met,
      );
    },
  });
}

/** `--lines` replaces the earlier items. Keeping them would order things that nobody asked for. */
function withoutItems(whole: Fields, list: string, ports: Ports<'io'>): Fields {
  const groups = Array.isArray(whole.groups) ? (whole.groups as Fields[]) : [];
  const [group] = groups;
  // With several groups, proc refuses the list later.
  if (groups.length !== 1 || !Array.isArray(group?.items)) return whole;
  const count = group.items.length;
  if (count > 0) {
    ports.io.say({
      kind: 'notice',
      text: `--lines ${list} replaces the earlier ${count === 1 ? 'item' : `${count} items`}.`,
    });
  }
  return { ...whole, groups: [{ ...group, items: [] }] };
}

/**
 * Prepares an earlier payload to be ordered again. If it is invalid, it is only merged with the flags, and
 * a later check reports its mistakes.
 */
async function prepareReorder(
  whole: Fields,
  fields: Fields,
  quantities: ReadonlyMap<string, number>,
  choice: ItemsInPlace | undefined,
  met: Map<string, CatalogueItem>,
  ports: Ports<'io' | 'api' | 'lookup' | 'input' | 'ask' | 'store' | 'self'>,
): Promise<Fields> {
  const groups = Array.isArray(whole.groups) && whole.groups.length > 0 ? whole.groups : undefined;
  const { value } = check(createRequisition.body, whole);
  if (groups === undefined || value === undefined) {
    const { code: _, ...rest } = whole;
    return { ...rest, ...fields };
  }
  // The checked value lacks unknown fields, and a later check must warn about them. So the payload is used
  // as given.
  const given = whole as typeof value;
  const first = quantitiesAsStated(given, quantities);
  const reordered = await orderAgain(await withQuantities(given, first, ports), ports, {
    choice,
    met,
  });
  const resolved =
    reordered.unclear.length === 0
      ? reordered.payload
      : await (await import('../../wizard/lists/resolve-unclear-lines.ts')).resolveUnclearLines(
          reordered,
          ports,
        );
  const later = new Map([...quantities].filter(([ref]) => !first.has(ref)));
  return { ...(await withQuantities(resolved, later, ports)), ...fields };
}
