import { en, type WizardMessages } from './wizard-en.ts';

export const wizardMessages: WizardMessages = en;
