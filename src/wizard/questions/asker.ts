import { type WizardMessages, wizardMessages } from '../../compose/wizard-words.ts';
import type { AskPort, Ports } from '../../core/ports.ts';
import { type StepPrompts, withBack } from './going-back.ts';
import { Lookups } from './lookups.ts';

export type WizardPorts = Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>;

export interface Asker {
  readonly ports: WizardPorts;
  readonly prompts: AskPort;
  /** Like `prompts`, but the person can also go back. */
  readonly steps: StepPrompts;
  readonly words: WizardMessages;
  readonly lookups: Lookups;
}

export async function createAsker(ports: WizardPorts): Promise<Asker> {
  const words = wizardMessages;
  const lookups = new Lookups(ports, () =>
    ports.io.say({ kind: 'notice', text: words.lines.reading }),
  );
  return { ports, prompts: ports.ask, steps: withBack(ports.ask, words), words, lookups };
}

export function wholeNumber(text: string, least: number): number | undefined {
  const value = Number(text.trim());
  const isWhole = /^\d+$/.test(text.trim()) && Number.isSafeInteger(value);
  return isWhole && value >= least ? value : undefined;
}

export async function askQuantity(
  { prompts, words }: { readonly prompts: Pick<AskPort, 'input'>; readonly words: WizardMessages },
  item: string,
  current?: number,
): Promise<number> {
  const answer = await prompts.input(words.lines.quantity(item), {
    ...(current === undefined ? {} : { default: String(current) }),
    validate: (text) => {
      if (wholeNumber(text, 1) !== undefined) return undefined;
      return text.trim() === '' ? words.lines.quantityMissing : words.lines.quantityWrong(text);
    },
  });
  return Number(answer.trim());
}
