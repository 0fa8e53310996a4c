import { command } from '../../core/command.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { createRequisition } from './api.ts';

export const wizard = command({
  path: ['requisition', 'wizard'],
  changes: 'service',
  prints: 'record',
  summary: 'Put a requisition together by answering questions',
  description:
    'Asks for title, type, sector and code, then for groups with their items, shows the whole as tables and sends it. Each answer is kept at once as a draft: after Ctrl-C or a lost connection the next wizard goes on. At the end it shows the command that does the same. It needs a terminal; ACCESSIBLE=1 makes the questions plain lines for screen readers, --lang es Spanish.',
  flags: {
    from: {
      kind: 'string',
      value: 'earlier',
      doc: 'begin with an earlier one: the id of a requisition, of an entry in history, "last", or a JSON file',
    },
  },
  examples: [
    { run: 'proc requisition wizard', doc: 'from the first question' },
    { run: 'proc requisition wizard --from last --lang es', doc: 'the last one again, in Spanish' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  needs: ['io', 'api', 'lookup', 'input', 'ask', 'store', 'self'],
  run: async ({ flags }, ports) =>
    (await import('../../wizard/run-wizard.ts')).runWizard(ports, { from: flags.from }),
});
