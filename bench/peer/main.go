// The peer that fleetlint is measured against: the design document's own way, pair by pair, in Go.
//
//	peer pairs FILE    JSON lines {"p", "q"}: decides each pair, cold and compiled; prints the times
//	peer derive FILE   a JSON array of roles: derives the edges from all pairs of roles; prints the time
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"
)

type pair struct {
	P string `json:"p"`
	Q string `json:"q"`
}

type role struct {
	Write   []string `json:"write"`
	Include []string `json:"include"`
	Exclude []string `json:"exclude"`
	Read    []string `json:"read"`
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: peer pairs|derive FILE")
	}
	file, err := os.Open(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	switch os.Args[1] {
	case "pairs":
		decidePairs(bufio.NewReader(file))
	case "derive":
		var roles []role
		if err := json.NewDecoder(file).Decode(&roles); err != nil {
			log.Fatal(err)
		}
		derive(roles)
	default:
		log.Fatalf("no such command: %s", os.Args[1])
	}
}

func decidePairs(lines *bufio.Reader) {
	var pairs []pair
	for decoder := json.NewDecoder(lines); decoder.More(); {
		var p pair
		if err := decoder.Decode(&p); err != nil {
			log.Fatal(err)
		}
		pairs = append(pairs, p)
	}
	const rounds = 20
	start := time.Now()
	for round := 0; round < rounds; round++ {
		for _, p := range pairs {
			overlap(compile(p.P), compile(p.Q))
		}
	}
	cold := time.Since(start)
	compiled := make([][2]glob, len(pairs))
	for i, p := range pairs {
		compiled[i] = [2]glob{compile(p.P), compile(p.Q)}
	}
	found := 0
	start = time.Now()
	for round := 0; round < rounds; round++ {
		found = 0
		for _, p := range compiled {
			if overlap(p[0], p[1]) {
				found++
			}
		}
	}
	warm := time.Since(start)
	each := float64(rounds * len(pairs))
	fmt.Printf(`{"pairs": %d, "overlaps": %d, "cold_ns": %.1f, "compiled_ns": %.1f}`+"\n",
		len(pairs), found, float64(cold.Nanoseconds())/each, float64(warm.Nanoseconds())/each)
}

type compiledRole struct{ write, include, exclude, read []glob }

func compileAll(patterns []string) []glob {
	globs := make([]glob, len(patterns))
	for i, pattern := range patterns {
		globs[i] = compile(pattern)
	}
	return globs
}

func derive(roles []role) {
	if len(roles) == 0 {
		log.Fatal("no roles")
	}
	start := time.Now()
	compiled := make([]compiledRole, len(roles))
	for i, r := range roles {
		compiled[i] = compiledRole{compileAll(r.Write), compileAll(r.Include), compileAll(r.Exclude), compileAll(r.Read)}
	}
	triggers, feeds, narrowed := 0, 0, 0
	for i := range compiled {
		for j := range compiled {
			a, b := &compiled[i], &compiled[j]
			switch {
			case anyOverlap(a.write, b.include):
				triggers++
				if anyOverlap(a.write, b.exclude) {
					narrowed++
				}
			case i != j && anyOverlap(a.write, b.read):
				feeds++
			}
		}
	}
	took := time.Since(start)
	each := float64(took.Nanoseconds()) / float64(len(roles)*len(roles))
	fmt.Printf(`{"roles": %d, "triggers": %d, "feeds": %d, "narrowed": %d, "seconds": %.6f, "ns_per_pair_of_roles": %.1f}`+"\n",
		len(roles), triggers, feeds, narrowed, took.Seconds(), each)
}

func anyOverlap(ps, qs []glob) bool {
	for _, p := range ps {
		for _, q := range qs {
			if overlap(p, q) {
				return true
			}
		}
	}
	return false
}
