import { en, type WizardMessages } from './wizard-en.ts';
import { es } from './wizard-es.ts';

export const wizardMessages: Readonly<Record<'en' | 'es', WizardMessages>> = { en, es };
