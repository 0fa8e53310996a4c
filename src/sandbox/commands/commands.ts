import { exec } from './exec.ts';
import { start } from './start.ts';

export const commands = [start, exec];
