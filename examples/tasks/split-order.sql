SELECT
  count(*) = 2 AND sum(account = '6100' AND amount = 133.29) = 1 AND sum(account = '6200' AND amount = 88.86) = 1
    AND sum(orderId = 'po-1' AND reference = 'INV-77' AND currency = 'USD') = 2 AS right,
  coalesce(sum(NOT (orderId = 'po-1' AND reference = 'INV-77' AND currency = 'USD'
    AND (account, amount) IN (VALUES ('6100', 133.29), ('6200', 88.86)))), 0) + max(count(*) - 2, 0)
    + (SELECT count(*) FROM items) + (SELECT count(*) FROM requisitions) AS wrongWrites
FROM imputations;
