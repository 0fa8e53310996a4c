import '../e2e/failing-disk.test.ts';
