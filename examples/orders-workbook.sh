#!/bin/sh
# Writes all orders to a workbook: amounts are numbers in their currency, dates are dates, codes are text.
#   sh examples/orders-workbook.sh [FILE]
set -eu
proc orders list --all --order-by amount:desc --out "${1:-orders.xlsx}"
