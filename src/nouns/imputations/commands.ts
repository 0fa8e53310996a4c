import { create } from './create.ts';
import { importImputations } from './import.ts';

export const commands = [create, importImputations];
