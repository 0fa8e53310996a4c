import type { Address } from '../../compose/requisition-sheet.ts';
import { ProcError, withHint } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Choice } from '../../core/ports.ts';
import { addressId } from '../../listing/match-reference.ts';
import type { DraftEditor } from './draft-editor.ts';

export async function askAddress(editor: DraftEditor, group: number): Promise<void> {
  const { ports, words, lookups } = editor.asker;
  const known = await lookups.addresses();
  if (known.length === 0) ports.io.say({ kind: 'notice', text: words.group.noneKnown });
  for (;;) {
    const wanted = (await offered(editor, group, known)) ?? (await typedAddress(editor, group));
    if (wanted === undefined) continue;
    editor.edit({
      edit: 'change-group',
      group,
      change: { address: wanted === 'none' ? null : wanted },
    });
    return;
  }
}

/** Undefined if no address is known, or if the person wants to type an id. */
async function offered(
  { asker, sheet }: DraftEditor,
  group: number,
  known: readonly Address[],
): Promise<Address | 'none' | undefined> {
  if (known.length === 0) return undefined;
  const { steps, words } = asker;
  const one = sheet.groups[group];
  const none: Choice<'none'> = { name: words.group.noAddress, value: 'none' };
  // Enter selects the first choice. So the current answer comes first.
  const isNoneFirst = one?.address === null;
  const isPresent = ({ id }: Address) => id === one?.address?.id;
  const all = [...known.filter(isPresent), ...known.filter((each) => !isPresent(each))];
  return steps.search<Address | 'none' | undefined>(words.group.address, async (term) => {
    const found = all.map(choiceOf).filter(({ name }) => fits(name, term));
    const other = { name: words.group.otherAddress, value: undefined };
    return isNoneFirst && !term ? [none, ...found, other] : [...found, other, none];
  });
}

function choiceOf(address: Address): Choice<Address> {
  return { name: [address.label, address.id].filter(Boolean).join(' · '), value: address };
}

function fits(name: string, term = ''): boolean {
  return name.toLowerCase().includes(term.trim().toLowerCase());
}

/** @returns undefined, after a warning, if the id is invalid, or the service does not return the address */
async function typedAddress(
  editor: DraftEditor,
  group: number,
): Promise<Address | 'none' | undefined> {
  const { ports, steps, words, lookups } = editor.asker;
  const current = editor.sheet.groups[group]?.address?.id;
  const answer = await steps.input(
    current === undefined ? words.group.addressId : words.heading.orNone(words.group.addressId),
    current === undefined ? {} : { default: current },
  );
  const typed = answer.trim();
  if (typed === '' || typed === '-') return 'none';
  let id: string;
  try {
    id = addressId(typed);
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || thrown.exitCode !== EXIT.usage) throw thrown;
    ports.io.say({ kind: 'warning', text: withHint(thrown) });
    return undefined;
  }
  const address = await lookups.address(id);
  if (address === undefined) {
    ports.io.say({ kind: 'warning', text: words.group.unknownAddress(id) });
  } else if (address.label !== undefined) {
    ports.io.say({ kind: 'notice', text: words.group.isAt(address.label) });
  }
  return address;
}
