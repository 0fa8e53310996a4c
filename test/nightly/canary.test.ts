import '../e2e/canary.test.ts';
