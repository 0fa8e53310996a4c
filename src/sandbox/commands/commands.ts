import { exec } from './exec.ts';
import { reset } from './reset.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';

export const commands = [start, stop, status, reset, exec];
