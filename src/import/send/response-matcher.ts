import type { Problem } from '../../core/problem/row-problem.ts';
import type { Row } from '../../core/result.ts';
import { bareText, type CodeChanges } from '../../core/service/code-change.ts';

export type Origin =
  /** This row: the response has its code, as the service stores it. */
  | { readonly kind: 'own' }
  /** The row or the response has no code. */
  | { readonly kind: 'unsaid' }
  | {
      readonly kind: 'foreign';
      readonly why: Problem;
      /** No other row explains the code, so the response may still be that of the row. */
      readonly mayBeOwn: boolean;
    };

export interface MatcherPorts {
  /** Whether any row has this code, sent or not. */
  hasRow(code: string): boolean;
  readonly keyField: string;
  readonly changes: CodeChanges;
  /** Called for every response whose code the service has changed. */
  onChanged(code: string, stored: string): void;
  /** Called when no single change explains all codes any more. */
  onBroken(): void;
}

/** A response may belong to one of this many requests before it. */
const RECENT = 1_024;

/** Finds out whether a successful response belongs to the row whose request it came for. */
export class ResponseMatcher {
  readonly #ports: MatcherPorts;
  /** The codes of the last requests, in a ring. */
  readonly #recent: string[] = [];
  #next = 0;

  constructor(ports: MatcherPorts) {
    this.#ports = ports;
  }

  sent(code: string | null): void {
    if (code === null) return;
    this.#recent[this.#next] = code;
    this.#next = (this.#next + 1) % RECENT;
  }

  /** @param sent the row whose request got the response */
  originOf({ code }: { readonly code: string | null }, value: unknown): Origin {
    const answer = value as Row;
    const { changes, keyField, hasRow, onChanged, onBroken } = this.#ports;
    const said = answer[keyField];
    // Some services store codes as numbers.
    const stored = typeof said === 'number' ? String(said) : said;
    if (code === null || typeof stored !== 'string') return { kind: 'unsaid' };
    if (stored === code) {
      if (!changes.noteKept(code)) onBroken();
      return { kind: 'own' };
    }
    if (hasRow(stored)) {
      const why = { code: 'other_response', args: { code: stored } } as const;
      return { kind: 'foreign', why, mayBeOwn: bareText(code) === bareText(stored) };
    }
    if (changes.explain(code, stored)) {
      onChanged(code, stored);
      return { kind: 'own' };
    }
    const isOthers = this.#recent.some((other) => other !== code && changes.mayBe(other, stored));
    const why = { code: 'other_code', args: { code: stored } } as const;
    return { kind: 'foreign', why, mayBeOwn: !isOthers };
  }
}
