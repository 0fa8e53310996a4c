import '../e2e/restored-database.test.ts';
