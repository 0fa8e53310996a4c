import { changes } from './changes.ts';
import { find } from './find.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { summary } from './summary.ts';
import { wait } from './wait.ts';

export const commands = [list, find, get, wait, changes, summary];
