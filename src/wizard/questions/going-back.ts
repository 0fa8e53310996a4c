import type { WizardMessages } from '../../compose/wizard-words.ts';
import type { AskPort, Choice, SearchSource } from '../../core/ports.ts';

export const BACK = '<';

const goesBack = Symbol('goes back');

export class WentBack extends Error {}

export type StepPrompts = Pick<AskPort, 'input' | 'select' | 'search'>;

/** Prompts that throw `WentBack` if the person types `<` or selects the choice for going back. */
export function withBack(prompts: AskPort, words: WizardMessages): StepPrompts {
  const back: Choice<typeof goesBack> = { name: words.back, value: goesBack, key: BACK };
  return {
    async input(message, options = {}) {
      const { validate } = options;
      const answer = await prompts.input(message, {
        ...options,
        ...(validate === undefined
          ? {}
          : { validate: (text: string) => (isBack(text) ? undefined : validate(text)) }),
      });
      if (isBack(answer)) throw new WentBack();
      return answer;
    },
    async select<T>(message: string, choices: readonly Choice<T>[], at?: number) {
      const all: readonly Choice<T | typeof goesBack>[] = [...choices, back];
      return answered(await prompts.select(message, all, at));
    },
    async search<T>(message: string, source: SearchSource<T>, first?: string) {
      const picked = await prompts.search<T | typeof goesBack>(
        message,
        async (term) => {
          if (isBack(term)) return [back];
          const found = await source(term);
          return term?.trim() ? found : [...found, back];
        },
        first,
      );
      return answered(picked);
    },
  };
}

function isBack(text: string | undefined): boolean {
  return text?.trim() === BACK;
}

function answered<T>(picked: T | typeof goesBack): T {
  if (picked === goesBack) throw new WentBack();
  return picked as T;
}
