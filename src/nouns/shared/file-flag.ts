import type { FlagSpecs } from '../../core/command-spec.ts';

export const FILE_FLAG = {
  file: {
    kind: 'string',
    value: 'file',
    short: 'f',
    doc: 'read the body from a JSON or YAML file (- for JSON on stdin); flags override it',
  },
} as const satisfies FlagSpecs;
