package main

import (
	"sort"
	"strings"
)

// The plain way to decide whether two globs share a path: expand braces, cut at `/`, walk both lists of segments with
// `**` as zero or more of them, and within a segment walk both texts with `*` as zero or more characters.

type runeRange struct{ low, high rune }

// A token is a star, or a set of characters.
type token struct {
	star bool
	set  []runeRange
}

type segment struct {
	deep    bool   // `**`
	plain   bool   // no wildcard: text says it all
	text    string // the text of a plain segment
	tokens  []token
	anySize bool // a lone `*`
}

type path []segment

// A glob is the list of its expansions.
type glob []path

var anyRune = []runeRange{{0, '/' - 1}, {'/' + 1, 0x10ffff}}

func compile(pattern string) glob {
	var g glob
	for _, text := range expandBraces(pattern) {
		var p path
		for _, part := range strings.Split(text, "/") {
			p = append(p, compileSegment(part))
		}
		g = append(g, p)
	}
	return g
}

func expandBraces(pattern string) []string {
	open := -1
	for i := 0; i < len(pattern) && open < 0; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			open = i
		}
	}
	if open < 0 {
		return []string{pattern}
	}
	depth, start := 0, open+1
	var parts []string
	for i := open + 1; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			depth++
		case ',':
			if depth == 0 {
				parts = append(parts, pattern[start:i])
				start = i + 1
			}
		case '}':
			if depth > 0 {
				depth--
				continue
			}
			parts = append(parts, pattern[start:i])
			var expanded []string
			for _, part := range parts {
				expanded = append(expanded, expandBraces(pattern[:open]+part+pattern[i+1:])...)
			}
			return expanded
		}
	}
	return []string{pattern}
}

func compileSegment(text string) segment {
	if text == "**" {
		return segment{deep: true}
	}
	var s segment
	var plain strings.Builder
	s.plain = true
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '*':
			s.plain = false
			if n := len(s.tokens); n == 0 || !s.tokens[n-1].star {
				s.tokens = append(s.tokens, token{star: true})
			}
			continue
		case r == '?':
			s.plain = false
			s.tokens = append(s.tokens, token{set: anyRune})
			continue
		case r == '[':
			if set, end := readClass(runes, i+1); end > 0 {
				s.plain = false
				s.tokens = append(s.tokens, token{set: set})
				i = end
				continue
			}
		case r == '\\' && i+1 < len(runes):
			i++
		}
		plain.WriteRune(runes[i])
		s.tokens = append(s.tokens, token{set: []runeRange{{runes[i], runes[i]}}})
	}
	s.text = plain.String()
	s.anySize = len(s.tokens) == 1 && s.tokens[0].star
	return s
}

// readClass gives the set of the class whose first member is at i, and where its `]` is (0: it has none).
func readClass(runes []rune, i int) ([]runeRange, int) {
	negated := i < len(runes) && (runes[i] == '!' || runes[i] == '^')
	if negated {
		i++
	}
	var listed []runeRange
	for ; i < len(runes) && runes[i] != ']'; i++ {
		if runes[i] == '\\' && i+1 < len(runes) {
			i++
		}
		low, high := runes[i], runes[i]
		if i+2 < len(runes) && runes[i+1] == '-' && runes[i+2] != ']' {
			i += 2
			if runes[i] == '\\' && i+1 < len(runes) {
				i++
			}
			if runes[i] > high {
				high = runes[i]
			}
		}
		listed = append(listed, runeRange{low, high})
	}
	if i >= len(runes) || len(listed) == 0 {
		return nil, 0
	}
	sort.Slice(listed, func(a, b int) bool { return listed[a].low < listed[b].low })
	if !negated {
		return listed, i
	}
	var rest []runeRange
	next := rune(0)
	for _, r := range listed {
		if r.low > next {
			rest = append(rest, runeRange{next, r.low - 1})
		}
		if r.high >= next {
			next = r.high + 1
		}
	}
	if next <= 0x10ffff {
		rest = append(rest, runeRange{next, 0x10ffff})
	}
	return rest, i
}

func overlap(p, q glob) bool {
	for _, a := range p {
		for _, b := range q {
			if pathsOverlap(a, b) {
				return true
			}
		}
	}
	return false
}

// Sizes up to which the memo of a walk fits on the stack.
const onStack = 256

func pathsOverlap(p, q path) bool {
	// Nearly all pairs differ in a plain first segment.
	for i := 0; i < len(p) && i < len(q) && p[i].plain && q[i].plain; i++ {
		if p[i].text != q[i].text {
			return false
		}
	}
	var space [onStack]int8
	memo := space[:]
	if size := (len(p) + 1) * (len(q) + 1); size > onStack {
		memo = make([]int8, size)
	}
	return walkPaths(p, q, 0, 0, memo)
}

func walkPaths(p, q path, i, j int, memo []int8) bool {
	for i < len(p) && j < len(q) && !p[i].deep && !q[j].deep {
		if !segmentsOverlap(&p[i], &q[j]) {
			return false
		}
		i++
		j++
	}
	known := &memo[i*(len(q)+1)+j]
	if *known != 0 {
		return *known > 0
	}
	var found bool
	switch {
	case i == len(p) && j == len(q):
		found = true
	case i < len(p) && p[i].deep:
		found = walkPaths(p, q, i+1, j, memo) || (j < len(q) && walkPaths(p, q, i, j+1, memo))
	case j < len(q) && q[j].deep:
		found = walkPaths(p, q, i, j+1, memo) || (i < len(p) && walkPaths(p, q, i+1, j, memo))
	}
	*known = -1
	if found {
		*known = 1
	}
	return found
}

func segmentsOverlap(a, b *segment) bool {
	if a.plain && b.plain {
		return a.text == b.text
	}
	if a.anySize || b.anySize {
		return true
	}
	var space [onStack]int8
	memo := space[:]
	if size := (len(a.tokens) + 1) * (len(b.tokens) + 1); size > onStack {
		memo = make([]int8, size)
	}
	return walkTokens(a.tokens, b.tokens, 0, 0, memo)
}

func walkTokens(a, b []token, i, j int, memo []int8) bool {
	for i < len(a) && j < len(b) && !a[i].star && !b[j].star {
		if !setsMeet(a[i].set, b[j].set) {
			return false
		}
		i++
		j++
	}
	known := &memo[i*(len(b)+1)+j]
	if *known != 0 {
		return *known > 0
	}
	var found bool
	switch {
	case i == len(a) && j == len(b):
		found = true
	case i < len(a) && a[i].star:
		found = walkTokens(a, b, i+1, j, memo) || (j < len(b) && walkTokens(a, b, i, j+1, memo))
	case j < len(b) && b[j].star:
		found = walkTokens(a, b, i, j+1, memo) || (i < len(a) && walkTokens(a, b, i+1, j, memo))
	}
	*known = -1
	if found {
		*known = 1
	}
	return found
}

func setsMeet(a, b []runeRange) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if a[i].low <= b[j].high && b[j].low <= a[i].high {
			return true
		}
		if a[i].high < b[j].high {
			i++
		} else {
			j++
		}
	}
	return false
}
