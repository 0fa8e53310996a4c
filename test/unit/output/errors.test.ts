import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import { renderError } from '../../../src/output/render-error.ts';

const TEXT = { json: false, color: false };
const JSON_LINE = { json: true, color: false };

describe('an error for people', () => {
  it('has the problem, the details and the next step', () => {
    const error = new ProcError('refused', 'POST /items/: the service refused the request (400)', {
      status: 400,
      hint: 'See what is allowed: proc schema items create',
      requestId: 'req-7',
      details: {
        issues: [
          { field: 'name', message: 'is required' },
          { field: '', message: 'too late' },
        ],
      },
    });
    expect(renderError(error, TEXT)).toBe(
      [
        'error: POST /items/: the service refused the request (400)',
        '  name: is required',
        '  too late',
        'hint: See what is allowed: proc schema items create',
        'request id: req-7',
        '',
      ].join('\n'),
    );
  });

  it('lists candidates and the places of issues, without saying anything twice', () => {
    const candidates = [
      { id: 'itm_1', code: 'AR-1' },
      { id: 'itm_2', code: 'AR-1' },
    ];
    const ambiguous = new ProcError('ambiguous_reference', 'AR-1 fits 2 items', {
      details: { candidates },
    });
    expect(renderError(ambiguous, TEXT)).toBe(
      'error: AR-1 fits 2 items\n  itm_1  AR-1\n  itm_2  AR-1\n',
    );
    const places = ['f.json, line 2: title is required', 'f.json, line 3: groups is empty'];
    const issues = places.map((place) => ({ field: 'x', message: 'y', place }));
    const invalid = new ProcError('invalid_input', `${places[0]} (and 1 more)`, {
      details: { issues },
    });
    expect(renderError(invalid, TEXT)).toBe(`error: ${places[0]} (and 1 more)\n  ${places[1]}\n`);
  });

  it('shortens endless details', () => {
    const issues = Array.from({ length: 50 }, (_, index) => `issue number ${index}.`);
    const lines = renderError(new ProcError('refused', 'no', { details: { issues } }), TEXT)
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('  … and 30 more');
  });

  it('shows no raw control character of the service or of a file', () => {
    const evil = 'x\u001b[2J\u009b\u202e\u0007';
    const error = new ProcError('refused', evil, {
      hint: evil,
      requestId: evil,
      details: { issues: [{ field: evil, message: 'y' }] },
    });
    expect(renderError(error, TEXT)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(renderError(error, JSON_LINE)).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/,
    );
  });
});

describe('anything else that is thrown', () => {
  it('is a bug, without a stack trace', () => {
    const text = renderError(new TypeError('x is undefined'), TEXT);
    expect(text).toBe(
      'error: this is a bug in proc: x is undefined\nhint: Run the command again with PROC_DEBUG=1 and send its output to whoever gave you proc\n',
    );
    expect(JSON.parse(renderError('thrown text', JSON_LINE))).toMatchObject({
      error: { code: 'bug', exitCode: 1 },
    });
  });

  it('shows its trace with PROC_DEBUG=1', () => {
    expect(renderError(new TypeError('x is undefined'), { ...TEXT, trace: true })).toMatch(
      /caused by: TypeError: x is undefined\n +at /,
    );
  });
});
