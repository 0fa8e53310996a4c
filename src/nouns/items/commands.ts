import { create } from './create.ts';
import { get } from './get.ts';
import { importItems } from './import.ts';
import { list } from './list.ts';

export const commands = [list, get, create, importItems];
