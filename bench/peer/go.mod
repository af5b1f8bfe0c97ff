module fleetlint/bench/peer

go 1.19
