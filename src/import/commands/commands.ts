import { discard } from './discard.ts';
import { list } from './list.ts';
import { prune } from './prune.ts';
import { report } from './report.ts';
import { resolve } from './resolve.ts';
import { resume } from './resume.ts';
import { rows } from './rows.ts';
import { send } from './send.ts';
import { show } from './show.ts';

export const commands = [list, show, rows, report, send, resume, resolve, discard, prune];
