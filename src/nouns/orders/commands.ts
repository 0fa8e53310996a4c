import { changes } from './changes.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { summary } from './summary.ts';
import { wait } from './wait.ts';

export const commands = [list, get, wait, changes, summary];
