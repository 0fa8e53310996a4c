import type { Context } from '../../core/command.ts';
import type { WizardMessages } from '../../messages/wizard-en.ts';
import { wizardMessages } from '../../messages/wizard-messages.ts';
import type { Prompts } from '../../terminal/prompts.ts';
import { Lookups } from './lookups.ts';

/** Who asks: questions, their words, and what the service knows. */
export interface Asker {
  readonly ctx: Context;
  readonly prompts: Prompts;
  readonly words: WizardMessages;
  readonly lookups: Lookups;
}

export async function createAsker(ctx: Context): Promise<Asker> {
  const [prompts, lang] = [await ctx.prompts(), await ctx.lang()];
  const words = wizardMessages[lang];
  const lookups = new Lookups(ctx, () => ctx.say({ kind: 'notice', text: words.lines.reading }));
  return { ctx, prompts, words, lookups };
}

/** The quantity that was typed; undefined where it is none. */
export function wholeNumber(text: string, least: number): number | undefined {
  const value = Number(text.trim());
  const isWhole = /^\d+$/.test(text.trim()) && Number.isSafeInteger(value);
  return isWhole && value >= least ? value : undefined;
}

export async function askQuantity(
  { prompts, words }: Asker,
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
