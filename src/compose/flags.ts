import type { FlagSpecs, FlagValues } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import { show } from '../core/validate.ts';
import { nearest } from '../core/wording.ts';
import { inventoryItemPayload } from '../nouns/items/index.ts';

const GROUP_KEYS = ['name', 'delivery', 'address'] as const;

/** In `--item code=5`, too, the word is no code. */
export const LINE_KEYS = ['code', 'id', 'name', 'quantity', 'group'] as const;

const ITEM_KEYS = Object.keys(inventoryItemPayload._zod.def.shape);

const NEW_ITEM_KEYS = [...ITEM_KEYS, 'quantity', 'group'];

/** What a requisition is composed of, besides its file and its own fields. */
export const COMPOSE_FLAGS = {
  group: {
    kind: 'strings',
    value: 'pairs',
    doc: 'add a group: name=Plant,delivery=pickup, or name=Plant,delivery=delivery,address=ID',
  },
  pickup: { kind: 'boolean', doc: 'one group, picked up; the same as --group delivery=pickup' },
  deliverTo: {
    kind: 'string',
    value: 'address',
    doc: 'one group, delivered to this address (id); the same as --group delivery=delivery,address=…',
  },
  item: {
    kind: 'strings',
    value: 'pairs',
    doc: 'add a catalogue item: CS-4759=4, or code=CS-4759,quantity=4,group=Plant, or id=…, name=…; group= is optional with one group',
  },
  newItem: {
    kind: 'strings',
    value: 'pairs',
    doc: 'define an item in place: name=…,code=…,quantity=…,group=…',
  },
} as const satisfies FlagSpecs;

export interface GivenGroup {
  readonly name?: string | undefined;
  readonly delivery?: string | undefined;
  readonly address?: string | undefined;
}

export interface GivenLine {
  /** The flag as typed, for error messages. */
  readonly place: string;
  /** The name of the group, or its number. */
  readonly group: string | undefined;
  readonly quantity: number;
  /** `code=CS-4759`, or the item that the line defines. */
  readonly item: string | Readonly<Record<string, string>>;
}

interface Given {
  readonly groups: readonly GivenGroup[];
  readonly lines: readonly GivenLine[];
}

/** @throws ProcError `invalid_usage` */
export function readFlags(flags: FlagValues<typeof COMPOSE_FLAGS>): Given {
  const groups = [
    ...flags.group.map(
      (text): GivenGroup => Object.fromEntries(parsePairs(text, '--group', GROUP_KEYS)),
    ),
    ...(flags.pickup ? [{ delivery: 'pickup' }] : []),
    ...(flags.deliverTo === undefined ? [] : [{ delivery: 'delivery', address: flags.deliverTo }]),
  ];
  if (groups.length > 1 && groups.length > flags.group.length) {
    throw new ProcError(
      'invalid_usage',
      '--pickup and --deliver-to stand for the only group, so they cannot be combined with each other or with --group',
      { hint: 'For several groups, use --group name=…,delivery=… for each' },
    );
  }
  return { groups, lines: [...flags.item.map(knownLine), ...flags.newItem.map(newLine)] };
}

function knownLine(text: string): GivenLine {
  const place = `--item ${show(text)}`;
  const [, code = '', count] = /^([^,]+)=(\d+)$/.exec(text) ?? [];
  if (count !== undefined && !LINE_KEYS.some((key) => key === code)) {
    return { place, group: undefined, quantity: quantityOf(count, place), item: `code=${code}` };
  }
  const pairs = parsePairs(text, '--item', LINE_KEYS);
  const quantity = quantityOf(pairs.get('quantity'), place);
  const [named, ...others] = (['id', 'code', 'name'] as const).filter((key) => pairs.has(key));
  if (named === undefined || others.length > 0) {
    throw new ProcError('invalid_usage', `${place}: expected exactly one of code=, id=, name=`);
  }
  return { place, group: pairs.get('group'), quantity, item: `${named}=${pairs.get(named)}` };
}

function newLine(text: string): GivenLine {
  const place = `--new-item ${show(text)}`;
  const pairs = parsePairs(text, '--new-item', NEW_ITEM_KEYS);
  const quantity = quantityOf(pairs.get('quantity'), place);
  if (!pairs.get('name')) throw new ProcError('invalid_usage', `${place}: name= is missing`);
  const item = Object.fromEntries(
    ITEM_KEYS.flatMap((key) => (pairs.has(key) ? [[key, pairs.get(key)!]] : [])),
  );
  return { place, group: pairs.get('group'), quantity, item };
}

function quantityOf(text: string | undefined, place: string): number {
  const quantity = Number(text);
  if (/^\d+$/.test(text ?? '') && quantity > 0 && Number.isSafeInteger(quantity)) return quantity;
  const problem =
    text === undefined
      ? 'quantity= is missing'
      : `quantity=${text} is not a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;
  throw new ProcError('invalid_usage', `${place}: ${problem}`, {
    hint: 'Use a whole number, e.g. quantity=4',
  });
}

/**
 * Reads pairs separated by commas: `name="Bolt, hex",quantity=4`. The whole pair may be quoted too: `"name=Bolt, hex"`.
 *
 * @param flag the place named in errors, e.g. `--item`
 * @throws ProcError `invalid_usage`
 */
export function parsePairs(
  text: string,
  flag: string,
  keys: readonly string[],
): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const field of splitFields(text, flag)) {
    if (field.trim() === '') continue;
    const equals = field.indexOf('=');
    const key = field.slice(0, Math.max(0, equals)).trim();
    if (equals < 1) {
      throw new ProcError(
        'invalid_usage',
        `${flag} ${show(text)}: ${show(field)} is not of the form key=value`,
        {
          hint: `Known keys: ${keys.join(', ')}. Quote a value that contains a comma: name="Bolt, hex"`,
        },
      );
    }
    if (!keys.includes(key)) {
      const near = nearest(key, keys);
      throw new ProcError('invalid_usage', `${flag} ${show(text)}: unknown key "${key}"`, {
        hint: near === undefined ? `Known keys: ${keys.join(', ')}` : `Did you mean ${near}=?`,
      });
    }
    if (pairs.has(key)) {
      throw new ProcError('invalid_usage', `${flag} ${show(text)}: ${key}= is given twice`);
    }
    pairs.set(key, field.slice(equals + 1));
  }
  return pairs;
}

/** A quote is special only at the start of a field or right after its first `=`. Elsewhere it means inches. */
const FIELD = /([^,"=]*=)?"((?:[^"]|"")*)"(?!")([^,]*)(?:,|$)|([^,]*)(?:,|$)/y;

function splitFields(text: string, flag: string): string[] {
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  do {
    const [all = '', name = '', quoted, rest = '', plain = ''] = FIELD.exec(text) ?? [];
    if (quoted === undefined && /^(?:[^=]*=)?"/.test(plain))
      throw new ProcError('invalid_usage', `${flag} ${show(text)}: a quote is not closed`);
    fields.push(quoted === undefined ? plain : name + quoted.replaceAll('""', '"') + rest);
    if (!all.endsWith(',')) return fields;
  } while (FIELD.lastIndex <= text.length);
  return fields;
}
