import '../e2e/credential-recipes.test.ts';
