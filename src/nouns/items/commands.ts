import { create } from './create.ts';
import { find } from './find.ts';
import { importItems } from './import.ts';
import { list } from './list.ts';

export const commands = [list, find, create, importItems];
