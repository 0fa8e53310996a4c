import '../unit/cli/check-words.test.ts';
