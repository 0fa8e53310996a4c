import { alias } from './alias.ts';
import { remove } from './delete.ts';
import { get } from './get.ts';
import { known } from './known.ts';
import { patch } from './patch.ts';

export const commands = [get, patch, remove, known, alias];
