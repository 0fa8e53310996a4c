import { type KnownAddress, knownAddresses } from '../../compose/known-addresses.ts';
import type { Address } from '../../compose/requisition-sheet.ts';
import { ProcError, withHint } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Choice } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { getAddress } from '../../nouns/addresses/index.ts';
import { forgetAddress, rememberAddress } from '../../nouns/shared/address-book.ts';
import { addressId } from '../../nouns/shared/references/references.ts';
import type { DraftEditor } from './draft-editor.ts';

export async function askAddress(editor: DraftEditor, group: number): Promise<void> {
  const { ports, words } = editor.asker;
  let known = await knownAddresses(ports);
  if (known.length === 0) ports.io.say({ kind: 'notice', text: words.group.noneKnown });
  for (;;) {
    const wanted = (await offered(editor, group, known)) ?? (await typedAddress(editor, group));
    if (wanted === undefined) continue;
    const address = wanted === 'none' ? null : await checked(editor, wanted);
    if (address === undefined) {
      known = known.filter(({ id }) => wanted === 'none' || id !== wanted.id);
      continue;
    }
    editor.edit({ edit: 'change-group', group, change: { address } });
    return;
  }
}

/** Undefined if no address is known, or if the person wants to type an id. */
async function offered(
  { asker, sheet }: DraftEditor,
  group: number,
  known: readonly KnownAddress[],
): Promise<Address | 'none' | undefined> {
  if (known.length === 0) return undefined;
  const { steps, words } = asker;
  const one = sheet.groups[group];
  const none: Choice<'none'> = { name: words.group.noAddress, value: 'none' };
  // Enter selects the first choice. So the current answer comes first.
  const isNoneFirst = one?.address === null;
  const isPresent = ({ id }: KnownAddress) => id === one?.address?.id;
  const all = [...known.filter(isPresent), ...known.filter((each) => !isPresent(each))];
  return steps.search<Address | 'none' | undefined>(words.group.address, async (term) => {
    const found = all.filter((each) => fits(each, term)).map(choiceOf);
    const other = { name: words.group.otherAddress, value: undefined };
    return isNoneFirst && !term ? [none, ...found, other] : [...found, other, none];
  });
}

function choiceOf({ id, aliases, formattedAddress }: KnownAddress): Choice<Address> {
  const name = [aliases.join(', '), formattedAddress, id].filter(Boolean).join(' · ');
  return { name, value: { id, label: formattedAddress } };
}

function fits({ id, aliases, formattedAddress, city }: KnownAddress, term = ''): boolean {
  const wanted = term.trim().toLowerCase();
  return [id, ...aliases, formattedAddress, city].some((text) =>
    text?.toLowerCase().includes(wanted),
  );
}

/**
 * A word that matches nothing counts as an id.
 *
 * @returns undefined, after a warning, if the reference is ambiguous or invalid
 */
async function typedAddress(
  editor: DraftEditor,
  group: number,
): Promise<Address | 'none' | undefined> {
  const { ports, steps, words } = editor.asker;
  const current = editor.sheet.groups[group]?.address?.id;
  const answer = await steps.input(
    current === undefined ? words.group.addressId : words.heading.orNone(words.group.addressId),
    current === undefined ? {} : { default: current },
  );
  const typed = answer.trim();
  if (typed === '' || typed === '-') return 'none';
  try {
    return { id: await addressId(ports, typed) };
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || thrown.exitCode !== EXIT.usage) throw thrown;
    ports.io.say({ kind: 'warning', text: withHint(thrown) });
    return undefined;
  }
}

/**
 * Reads an address from the service and adds its text as a label.
 *
 * @returns undefined, after a warning, if the service does not return the address
 */
async function checked(editor: DraftEditor, address: Address): Promise<Address | undefined> {
  const { ports, words } = editor.asker;
  let row: Row | undefined;
  try {
    const input = { params: { id: address.id } };
    row = await ports.lookup.before(getAddress, input, { isShown: false });
  } catch (thrown) {
    const isNone =
      thrown instanceof ProcError &&
      ['not_found', 'forbidden', 'refused', 'invalid_usage', 'invalid_input'].includes(thrown.code);
    if (!isNone) throw thrown;
    if (thrown.code === 'not_found') await forgetAddress(ports, address.id);
    ports.io.say({ kind: 'warning', text: words.group.unknownAddress(address.id) });
    return undefined;
  }
  if (row === undefined) return address;
  await rememberAddress(ports, address.id, row);
  const label = typeof row.formattedAddress === 'string' ? row.formattedAddress : undefined;
  if (label !== undefined) ports.io.say({ kind: 'notice', text: words.group.isAt(label) });
  return { id: address.id, label };
}
