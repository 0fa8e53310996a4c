import { command } from '../../core/command.ts';
import { completionScript, SHELLS, type Shell } from '../script.ts';

export const completion = command({
  path: ['completion'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print the completion script of a shell',
  description:
    'Commands and flags stand in the script; profiles, ids, codes and aliases are looked up on this machine while you type, never over the network. How to install it: the first lines of the script.',
  args: { shell: { doc: SHELLS.join(', '), choices: SHELLS } },
  examples: [
    { run: 'proc completion bash', doc: 'to ~/.local/share/bash-completion/completions/proc' },
    { run: 'proc completion zsh --out _proc.txt', doc: 'to a folder of $fpath, as _proc' },
    { run: 'proc completion fish', doc: 'to ~/.config/fish/completions/proc.fish' },
  ],
  async handler({ args }, ctx) {
    return { kind: 'text', text: completionScript(args.shell as Shell, await ctx.tree()) };
  },
});
