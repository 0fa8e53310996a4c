amount=$(proc orders get code=PO-00001 -q amount)
share() { awk -v amount="$amount" -v share="$1" 'BEGIN { printf "%.2f", amount * share }'; }
record() { proc imputations create --order code=PO-00001 --reference INV-77 --currency USD --yes "$@"; }
record --account 6100 --amount "$(share 0.6)" --once INV-77-6100
record --account 6200 --amount "$(share 0.4)" --once INV-77-6200
