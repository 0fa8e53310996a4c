import { approve } from './approve.ts';
import { discard } from './discard.ts';
import { exportStaged } from './export.ts';
import { list } from './list.ts';
import { prune } from './prune.ts';
import { receive } from './receive.ts';
import { report } from './report.ts';
import { resolve } from './resolve.ts';
import { resume } from './resume.ts';
import { rows } from './rows.ts';
import { send } from './send.ts';
import { show } from './show.ts';

export const commands = [
  ...[list, show, rows, report],
  ...[approve, send, exportStaged, receive],
  ...[resume, resolve, discard, prune],
];
