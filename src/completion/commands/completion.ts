import { command } from '../../core/command.ts';
import { SHELLS } from '../install-plan.ts';
import { completionScripts, type Shell } from '../scripts.ts';

export const completion = command({
  path: ['completion'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print a shell completion script',
  description:
    'To install it: proc completion install. The script asks proc for completions as you type. proc completes profiles, ids, codes and aliases from this machine, never over the network.',
  args: { shell: { doc: 'your shell', choices: SHELLS } },
  examples: [
    {
      run: 'proc completion bash',
      doc: 'for bash: save it as ~/.local/share/bash-completion/completions/proc',
    },
    {
      run: 'proc completion zsh --out _proc.txt',
      doc: 'for zsh: write a file; install it as _proc in a folder of $fpath',
    },
    {
      run: 'proc completion fish',
      doc: 'for fish: save it as ~/.config/fish/completions/proc.fish',
    },
  ],
  needs: [],
  async run({ args }) {
    return { kind: 'text', text: (await completionScripts())[args.shell as Shell] };
  },
});
