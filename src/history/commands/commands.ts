import { exportEntries } from './export.ts';
import { list } from './list.ts';
import { prune } from './prune.ts';
import { resolve } from './resolve.ts';
import { show } from './show.ts';
import { undo } from './undo.ts';

export const commands = [list, show, undo, exportEntries, resolve, prune];
