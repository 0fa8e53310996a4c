import { keyOf, type Question } from '../compose/compose.ts';
import { lineName } from '../compose/line-name.ts';
import { shownLine } from '../compose/list-lines.ts';
import type { OrderLine } from '../compose/payload.ts';
import type { Person } from '../compose/requisition-body.ts';
import { type CatalogueItem, itemLabel, type MetItems } from '../nouns/shared/catalogue.ts';
import { type Asker, askQuantity, createAsker, type WizardPorts } from './questions/asker.ts';
import { pickItem } from './questions/pick-item.ts';

/** Asks which items are meant, as the wizard does for a pasted list. Needs an interactive terminal. */
export async function personAt(ports: WizardPorts): Promise<Person> {
  const asker = await createAsker(ports);
  return {
    catalogue: () => asker.lookups.catalogue(),
    async ask(questions, met) {
      const answers = new Map<string, OrderLine | null>();
      const leftOut: string[] = [];
      for (const question of questions) {
        const [text, order] = await answer(asker, question, met);
        answers.set(keyOf(question), order);
        if (order === null) leftOut.push(text);
      }
      return { answers, leftOut };
    },
  };
}

async function answer(
  asker: Asker,
  question: Question,
  met: MetItems,
): Promise<[text: string, order: OrderLine | null]> {
  const { text, quantity, ...candidates } = await shown(asker, question);
  const item = await pickItem(asker, { text, ...candidates, allowNew: false });
  if (typeof item !== 'object' || item.kind !== 'known') return [shownLine(text), null];
  met.set(item.id, item);
  const order = {
    itemId: item.id,
    quantity: quantity ?? (await askQuantity(asker, itemLabel(item))),
  };
  return [text, order];
}

interface Shown {
  readonly text: string;
  readonly quantity: number | undefined;
  readonly candidates?: readonly CatalogueItem[];
}

async function shown({ ports }: Asker, question: Question): Promise<Shown> {
  if (question.about === 'list') {
    const { line, match } = question;
    return { text: line.text, quantity: match.quantity };
  }
  const { line, candidates } = question;
  const text = `${line.quantity} x ${await lineName(line, ports)}`;
  return { text, quantity: line.quantity, candidates };
}
