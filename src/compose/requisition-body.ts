import type { FlagValues } from '../core/command-spec.ts';
import type { Body, Ports } from '../core/ports.ts';
import { addressId } from '../listing/match-reference.ts';
import { wizardMessages } from '../messages/wizard-messages.ts';
import { phrase } from '../messages/writes.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import type { CatalogueItem, MetItems } from '../nouns/shared/catalogue.ts';
import type { ItemsInPlace } from '../nouns/shared/items-in-place.ts';
import { itemMeant, sectorValue } from '../nouns/shared/references/references.ts';
import { bodyFields, type bodyFlags } from '../nouns/shared/write-flags.ts';
import { ambiguousLines } from './ambiguous-lines.ts';
import {
  type Answers,
  compose,
  type FlagLine,
  onlyGroup,
  type Parts,
  type Question,
  startOf,
  toLookUp,
} from './compose.ts';
import { findEarlier } from './earlier.ts';
import { type COMPOSE_FLAGS, type Given, type GivenLine, readFlags } from './flags.ts';
import { sayRemarks } from './line-name.ts';
import { readListPart, unmatchedLines } from './list-part.ts';
import { type Fields, groupsIn, type Line, type Payload } from './payload.ts';
import { meaningsOf } from './quantities.ts';
import { type ExistingNow, existingNow } from './reorder.ts';
import { leftOutText } from './requisition-sheet.ts';

type ComposePorts = Ports<'io' | 'api' | 'lookup' | 'input' | 'store' | 'self'>;

type Flags = FlagValues<typeof COMPOSE_FLAGS> & { readonly file?: string | undefined } & FlagValues<
    ReturnType<typeof bodyFlags>
  >;

/** A person at a terminal. */
export interface Person {
  /** Reads the catalogue, once. */
  catalogue(): Promise<readonly CatalogueItem[]>;
  /** @param met receives the items that the person chooses */
  ask(questions: readonly Question[], met: MetItems): Promise<PersonalAnswers>;
}

interface PersonalAnswers {
  readonly answers: Answers;
  /** The lines that are left out, as text. */
  readonly leftOut: readonly string[];
}

interface ComposeOptions {
  /** Receives the items that were looked up. */
  readonly met: MetItems;
  readonly person: (() => Promise<Person>) | undefined;
}

/**
 * The body of a requisition from flags, a file, a list and an earlier requisition: looks up what they refer
 * to, composes it, and asks what is left open.
 *
 * @throws ProcError also for what is left open if there is nobody to ask
 */
export async function composeBody(
  flags: Flags,
  options: ComposeOptions,
  ports: ComposePorts,
): Promise<Body<typeof createRequisition>> {
  const given = readFlags(flags);
  const fields = bodyFields(createRequisition, flags);
  // Fails before any look-up if nobody can confirm. The exact question is known only later.
  await ports.api.ensureAskable({ what: 'create a requisition', weight: 'create' });
  const earlier = given.from === undefined ? undefined : await findEarlier(given.from, ports);
  if (isComposed(flags)) {
    const what = phrase('composeRequisition');
    await ports.api.ensureAskable({ what, weight: 'create', isComposed: true });
  }
  if (typeof fields.sector === 'string') fields.sector = await sectorValue(ports, fields.sector);
  return ports.input.body(createRequisition, {
    file: earlier?.kind === 'file' ? earlier.file : flags.file,
    fields,
    missing: { groups: 'a requisition needs a group, e.g. --group name=Plant,delivery=pickup' },
    async amend(own) {
      const base = earlier?.kind === 'payload' ? { ...earlier.payload, ...own } : own;
      const parts = await lookedUp(
        { base, fields, given, isEarlier: earlier !== undefined, choice: flags.itemsInPlace },
        options,
        ports,
      );
      return answered(parts, given, options, ports);
    },
  });
}

/** Whether the payload comes from a list or an earlier requisition: the user has not seen it yet. */
export function isComposed({ lines, from }: Pick<Flags, 'lines' | 'from'>): boolean {
  return lines !== undefined || from !== undefined;
}

interface Start {
  readonly base: Fields;
  /** The fields of flags. */
  readonly fields: Fields;
  readonly given: Given;
  readonly isEarlier: boolean;
  readonly choice: ItemsInPlace | undefined;
}

async function lookedUp(
  { base, fields, given, isEarlier, choice }: Start,
  { met, person }: ComposeOptions,
  ports: ComposePorts,
): Promise<Parts> {
  const groups = given.groups.map(groupOf);
  const quantities = await meaningsOf(given.quantities, ports);
  const earlier = isEarlier ? { fields, quantities, choice, now: undefined } : undefined;
  const { list: file } = given;
  // The list is read later. Here it only stands for the items that it replaces.
  const list = file === undefined ? undefined : { file, lines: [] };
  const start = startOf({ base, earlier, groups, lines: [], list });
  if (earlier !== undefined) sayReplaced(base, start, given, ports);
  const now =
    earlier === undefined ? undefined : await foundAgain(toLookUp(start, earlier), met, ports);
  const lines: FlagLine[] = [];
  for (const line of given.lines) lines.push(await lineOf(line, met, ports));
  const parts = { base, groups, lines, earlier: earlier && { ...earlier, now } };
  if (file === undefined) return parts;
  onlyGroup(compose(parts).payload, file);
  const mayAsk = file !== '-' && (!ports.api.isPreview || (await ports.lookup.allowed()));
  const catalogue = person && mayAsk ? async () => (await person()).catalogue() : undefined;
  return { ...parts, list: await readListPart(file, catalogue, met, ports) };
}

/** `--lines` replaces the earlier items. Keeping them would order things that nobody asked for. */
function sayReplaced(
  base: Fields,
  start: Fields,
  { list, groups }: Given,
  ports: Ports<'io'>,
): void {
  if (list === undefined || groups.length > 0 || start === base) return;
  const [before] = groupsIn(base);
  const count = (before!.items as unknown[]).length;
  if (count === 0) return;
  const text = `--lines ${list} replaces the earlier ${count === 1 ? 'item' : `${count} items`}.`;
  ports.io.say({ kind: 'notice', text });
}

async function foundAgain(
  payload: Payload | undefined,
  met: MetItems,
  ports: ComposePorts,
): Promise<ExistingNow | undefined> {
  const now = payload === undefined ? undefined : await existingNow(payload, ports);
  if (now === undefined) return undefined;
  const ordered = new Set(payload!.groups.flatMap(({ items }) => items.map((line) => line.itemId)));
  for (const item of now.catalogue.items) if (ordered.has(item.id)) met.set(item.id, item);
  for (const item of [...now.byCode.values()].flat()) met.set(item.id, item);
  return now;
}

function groupOf({ name, delivery, address }: Given['groups'][number]): Fields {
  return {
    ...(name === undefined ? {} : { name }),
    ...(delivery === undefined ? {} : { deliveryMethod: delivery }),
    ...(address === undefined ? {} : { addressId: addressId(address) }),
    items: [],
  };
}

async function lineOf(
  { item, quantity, place, group }: GivenLine,
  met: MetItems,
  ports: ComposePorts,
): Promise<FlagLine> {
  if (typeof item !== 'string') {
    return { place, group, ref: undefined, line: { quantity, item: item as Line['item'] } };
  }
  const found = await itemMeant(ports, item);
  if (!item.startsWith('id=')) met.set(found.id, found);
  const ref = item.startsWith('code=') ? item.slice('code='.length) : found.id;
  return { place, group, ref, line: { quantity, itemId: found.id } };
}

/** Composes the parts, and asks what is open. */
async function answered(
  parts: Parts,
  { list }: Given,
  { met, person }: ComposeOptions,
  ports: ComposePorts,
): Promise<Fields> {
  const { payload, questions, remarks, reordered } = compose(parts);
  await sayRemarks(remarks, wizardMessages.again, ports);
  if (questions.length === 0) return payload;
  const several = questions.filter((question) => question.about === 'earlier');
  const listed = questions.filter((question) => question.about === 'list');
  if (person === undefined && several.length > 0) {
    throw ambiguousLines(reordered!, several, ports.self.typed);
  }
  if (listed.length > 0 && (person === undefined || list === '-')) {
    const lines = listed.map(({ line }) => line);
    throw await unmatchedLines(lines, list!, ports);
  }
  const { answers, leftOut } = await (await person!()).ask(questions, met);
  const whole = compose({ ...parts, answers }).payload;
  if (leftOut.length > 0) {
    const words = wizardMessages;
    ports.io.say({ kind: 'notice', text: leftOutText(leftOut, words) });
  }
  return whole;
}
