import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { survivesDouble } from '../../core/text/decimal.ts';
import { JsonError, joinPath, MAX_DEPTH } from '../../core/text/strict-json.ts';
import type { PayloadReader } from './payload-file.ts';

/**
 * Parses YAML 1.2 as strictly as JSON. Refuses aliases, because they can expand a short file to
 * gigabytes.
 */
export const readYamlPayload: PayloadReader = (text) => {
  const document = parseDocument(text, { uniqueKeys: true, strict: true, stringKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new JsonError(problemOf(problem), text, problem.pos[0]);
  visit(document, {
    Node(_, node, path) {
      const at = node.range?.[0] ?? 0;
      if (isAlias(node))
        throw new JsonError('aliases are not supported: write the value out', text, at);
      if (path.filter(isCollection).length > MAX_DEPTH) {
        throw new JsonError(`nested deeper than ${MAX_DEPTH} levels`, text, at);
      }
      if (isScalar(node)) checkScalar(node.value, node.source, text, at);
    },
  });
  const lines = new Map<string, number>();
  if (isNode(document.contents)) note(document.contents, '', text, lines);
  return { value: document.toJS({ maxAliasCount: 0 }), lineOf: (field) => lines.get(field) };
};

/** Removes the position from the library's message, because JsonError adds the position. */
function problemOf({ code, message }: YAMLError): string {
  if (code === 'DUPLICATE_KEY') return 'duplicate field';
  if (code === 'RESOURCE_EXHAUSTION') return `nested deeper than ${MAX_DEPTH} levels`;
  return (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '');
}

function checkScalar(value: unknown, source: string | undefined, text: string, at: number): void {
  if (typeof value !== 'number') return;
  if (!Number.isFinite(value)) throw new JsonError(`${source} is not a number in JSON`, text, at);
  if (source !== undefined && /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(source)) {
    const plain = source.replace(/^\+/, '');
    if (!survivesDouble(plain)) {
      throw new JsonError(
        `the number ${source} would be rounded; quote it if its digits matter`,
        text,
        at,
      );
    }
  }
}

function note(node: Node, path: string, text: string, lines: Map<string, number>): void {
  if (node.range) lines.set(path, text.slice(0, node.range[0]).split('\n').length);
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      if (isNode(item)) note(item, joinPath(path, index), text, lines);
    }
  }
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue;
    const field = joinPath(path, String(key.value));
    if (isNode(value)) note(value, field, text, lines);
    // A field is on the line of its name. Its value may begin on a later line, or be missing.
    if (key.range) lines.set(field, text.slice(0, key.range[0]).split('\n').length);
  }
}
