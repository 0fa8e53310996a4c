import { ProcError } from '../core/errors.ts';
import { pairs } from '../core/text/pairs.ts';
import { typedAgain } from '../core/text/typed.ts';
import { moreProblems, show } from '../core/validate.ts';
import { itemLabel } from '../nouns/shared/catalogue.ts';
import type { Question } from './compose.ts';
import type { Payload } from './payload.ts';
import { definedRef } from './quantities.ts';

type Ambiguous = Extract<Question, { about: 'earlier' }>;

/** The hint of the error is a command that picks one item for each ambiguous line. */
export function ambiguousLines(
  groups: Payload['groups'],
  several: readonly Ambiguous[],
  typed: readonly string[],
): ProcError {
  const issues = several.map(({ group, at, line: { item }, candidates }) => {
    const shown = candidates.map((one) => `${one.id} (${itemLabel(one)})`).join(', ');
    return {
      field: `groups[${group}].items[${at}]`,
      message: `item ${show(item?.code ?? item?.name)} matches several: ${shown}`,
      candidates,
    };
  });
  const [first] = issues;
  const more = moreProblems(issues.length);
  const command = withOneEach(groups, several, typed);
  const [{ line, candidates }] = several as readonly [Ambiguous];
  const what = `item ${show(line.item?.code ?? line.item?.name)} matches ${candidates.length} items`;
  return new ProcError('ambiguous_reference', `${first!.field}: ${what}${more}; nothing was sent`, {
    hint: `Name the item you mean, e.g.: ${command}`,
    details: issues.length > 1 ? { issues } : { candidates: first!.candidates },
  });
}

/**
 * The typed command, extended by flags that remove each ambiguous line and order one of its
 * candidates instead.
 */
function withOneEach(
  groups: Payload['groups'],
  several: readonly Ambiguous[],
  typed: readonly string[],
): string {
  const refs = new Set(several.flatMap(({ line }) => definedRef(line)));
  const wanted = new Map<string, { group: number; id: string; quantity: number }>();
  const raised = new Map<string, number>();
  for (const { group, line, candidates } of several) {
    const { items } = groups[group]!;
    const { quantity } = line;
    const key = ({ id }: { id: string }) => `${group} ${id}`;
    const free = candidates.filter(({ id }) => items.every(({ itemId }) => itemId !== id));
    const one = free.find((each) => !wanted.has(key(each))) ?? free[0];
    if (one === undefined) {
      // Every candidate is already ordered. So the command raises the quantity of the first
      // candidate.
      const { id } = candidates[0]!;
      const before = raised.get(id) ?? items.find(({ itemId }) => itemId === id)!.quantity;
      raised.set(id, before + quantity);
    } else {
      const before = wanted.get(key(one))?.quantity ?? 0;
      wanted.set(key(one), { group, id: one.id, quantity: before + quantity });
    }
  }
  const further = [
    ...[...refs].flatMap((ref) => flag('--quantity', `${ref}=0`)),
    ...[...raised].flatMap(([id, quantity]) => flag('--quantity', `${id}=${quantity}`)),
    ...[...wanted.values()].flatMap(({ group, id, quantity }) =>
      flag('--item', pairs({ id, quantity: String(quantity), group: groupRef(groups, group) })),
    ),
  ];
  return typedAgain(withoutQuantities(typed, refs), further);
}

function groupRef(groups: Payload['groups'], at: number): string | undefined {
  if (groups.length === 1) return undefined;
  const name = groups[at]!.name;
  const isUnique = name && groups.filter((other) => other.name === name).length === 1;
  return isUnique ? name : String(at + 1);
}

/** Leaves out the typed `--quantity` flags for `refs`, because the new command has its own. */
function withoutQuantities(typed: readonly string[], refs: ReadonlySet<string>): string[] {
  const isOfRef = (text = '') => refs.has(text.slice(0, Math.max(0, text.lastIndexOf('='))).trim());
  return typed.filter((word, at) => {
    if (word === '--quantity') return !isOfRef(typed[at + 1]);
    if (typed[at - 1] === '--quantity') return !isOfRef(word);
    return !(word.startsWith('--quantity=') && isOfRef(word.slice('--quantity='.length)));
  });
}

function flag(name: string, value: string): string[] {
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value];
}
