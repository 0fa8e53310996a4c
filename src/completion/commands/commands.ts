import { completion } from './completion.ts';
import { install } from './install.ts';

export const commands = [completion, install];
