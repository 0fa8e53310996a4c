import { remove } from './delete.ts';
import { get } from './get.ts';
import { patch } from './patch.ts';

export const commands = [get, patch, remove];
