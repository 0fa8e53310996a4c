import { en, type WizardMessages } from './wizard-en.ts';
import { es } from './wizard-es.ts';

/** Texts of the wizard. Errors stay English; questions follow `--lang`. */
export const wizardMessages: Readonly<Record<'en' | 'es', WizardMessages>> = { en, es };
