import { compile, TreeInterpreter } from '@jmespath-community/jmespath';
import { messageOf, ProcError } from '../core/errors.ts';

type Compiled = ReturnType<typeof compile>;
type Data = Parameters<typeof TreeInterpreter.search>[1];

export interface Query {
  /** Throws `invalid_usage` for a type mismatch. */
  (data: unknown): unknown;
  /** The names of fields that the expression reads. Empty if it makes objects whose fields only the data can tell. */
  readonly reads: ReadonlySet<string>;
}

/**
 * Compiles a JMESPath expression (`--query`). Numbers that JSON would round keep all digits, but cannot be compared
 * or added.
 *
 * @throws ProcError `invalid_usage`
 */
export function compileQuery(expression: string): Query {
  const compiled = parsed(expression);
  const query = (data: unknown): unknown => {
    try {
      return TreeInterpreter.search(compiled, data as Data) ?? null;
    } catch (thrown) {
      throw new ProcError('invalid_usage', `--query: ${messageOf(thrown)}`, {
        hint: 'Try the expression on the whole result first: --query @ -o json',
      });
    }
  };
  return Object.assign(query, { reads: readsOf(compiled) });
}

function parsed(expression: string): Compiled {
  try {
    return compile(expression);
  } catch (thrown) {
    const reason = messageOf(thrown).replace(/^syntax( error)?: /i, '');
    throw new ProcError(
      'invalid_usage',
      `--query is not a valid JMESPath expression (${reason}): ${expression}`,
      {
        hint: "Use e.g. --query '[].code', or --query '[?amount > `1000`].{code: code, amount: amount}'",
        cause: thrown,
      },
    );
  }
}

/** Functions that turn values into names of fields. */
const NAMING = new Set(['from_items', 'group_by', 'merge', 'zip']);

function readsOf(compiled: Compiled): ReadonlySet<string> {
  const reads = new Set<string>();
  const makes = new Set<string>();
  let isKnown = true;
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, name } = node as { readonly type?: unknown; readonly name?: unknown };
    if (typeof name === 'string') {
      if (type === 'Field') reads.add(name);
      else if (type === 'KeyValuePair') makes.add(name);
      else if (type === 'Function' && NAMING.has(name)) isKnown = false;
    }
    // The fields of a literal are not those of a row.
    if (type === 'Literal') isKnown &&= typeof (node as { value?: unknown }).value !== 'object';
    else for (const inner of Object.values(node)) visit(inner);
  };
  visit(compiled);
  return isKnown ? new Set([...reads].filter((name) => !makes.has(name))) : new Set();
}
