import '../e2e/oldest-node.test.ts';
