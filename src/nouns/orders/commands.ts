import { get } from './get.ts';
import { list } from './list.ts';
import { summary } from './summary.ts';

export const commands = [list, get, summary];
