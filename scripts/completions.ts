// Writes completions/ from the command tree; with --check it only compares.
import { join, resolve } from 'node:path';
import { loadTree } from '../src/cli/tree.ts';
import { completionScript, FILE_NAMES, SHELLS } from '../src/completion/script.ts';
import { keepInStep } from './generated.ts';

const tree = await loadTree();
const files = SHELLS.map((shell) => [FILE_NAMES[shell], completionScript(shell, tree)] as const);
keepInStep(join(resolve(import.meta.dirname, '..'), 'completions'), new Map(files), 'npm run docs');
