import type { Lang } from '../core/text/phrase.ts';
import { en, type WizardMessages } from './wizard-en.ts';
import { es } from './wizard-es.ts';

export const wizardMessages: Readonly<Record<Lang, WizardMessages>> = { en, es };
