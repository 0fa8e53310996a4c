import { command } from '../../core/command.ts';
import { completionScripts, type Shell } from '../scripts.ts';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish', 'powershell'];

export const completion = command({
  path: ['completion'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print the completion script of a shell',
  description:
    'The script asks proc while you type; profiles, ids, codes and aliases are looked up on this machine, never over the network. How to install it: the first lines of the script.',
  args: { shell: { doc: SHELLS.join(', '), choices: SHELLS } },
  examples: [
    { run: 'proc completion bash', doc: 'to ~/.local/share/bash-completion/completions/proc' },
    { run: 'proc completion zsh --out _proc.txt', doc: 'to a folder of $fpath, as _proc' },
    { run: 'proc completion fish', doc: 'to ~/.config/fish/completions/proc.fish' },
  ],
  needs: [],
  async run({ args }) {
    return { kind: 'text', text: (await completionScripts())[args.shell as Shell] };
  },
});
