import { remove } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';

export const commands = [list, get, patch, remove];
