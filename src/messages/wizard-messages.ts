import { en, type WizardMessages } from './wizard-en.ts';
import { es } from './wizard-es.ts';

/** What the wizard asks and says. Errors stay English; questions follow `--lang`. */
export const wizardMessages: Readonly<Record<'en' | 'es', WizardMessages>> = { en, es };
