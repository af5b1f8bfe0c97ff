// The oracle answers what the server's own libraries say, so that fleetlint can be compared with them.
//
// It reads lines from standard input. Each is a JSON array of questions, and each is answered by one line with the JSON
// array of the answers, in the same order. A whole line is read before the first answer is written, so neither side can
// wait for the other. Texts travel as base64, for they need not be UTF-8:
//
//	{"op": "match", "pattern": b, "name": b}   -> {"match": bool, "bad": bool}
//	{"op": "frontmatter", "note": b}           -> {"metadata": bool, "values": [[key, value as %v], ...]}
//	{"op": "cron", "expr": b, "from": unix}    -> {"error": text, "next": [two unix times]}
//
// A panic of a library is an answer too: {"panic": text}. The time 0 of `next` stands for Go's zero time: never.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/robfig/cron/v3"
	"github.com/yuin/goldmark"
	meta "github.com/yuin/goldmark-meta"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

type question struct {
	Op      string `json:"op"`
	Pattern []byte `json:"pattern"`
	Name    []byte `json:"name"`
	Note    []byte `json:"note"`
	Expr    []byte `json:"expr"`
	From    int64  `json:"from"`
}

type answer struct {
	Match    bool        `json:"match,omitempty"`
	Bad      bool        `json:"bad,omitempty"`
	Metadata bool        `json:"metadata,omitempty"`
	Values   [][2][]byte `json:"values,omitempty"`
	Error    string      `json:"error,omitempty"`
	Next     []int64     `json:"next,omitempty"`
	Panic    string      `json:"panic,omitempty"`
}

var markdown = goldmark.New(goldmark.WithExtensions(meta.Meta))

// As the server builds its parser: five fields, no descriptors.
var schedules = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var questions []question
		if err := json.Unmarshal(line, &questions); err != nil {
			log.Fatalf("a line that is no array of questions: %v", err)
		}
		answers := make([]answer, len(questions))
		for i, q := range questions {
			answers[i] = reply(q)
		}
		if err := encoder.Encode(answers); err != nil {
			log.Fatal(err)
		}
		if err := out.Flush(); err != nil {
			log.Fatal(err)
		}
	}
}

func reply(q question) (a answer) {
	defer func() {
		if fault := recover(); fault != nil {
			a = answer{Panic: fmt.Sprint(fault)}
		}
	}()
	switch q.Op {
	case "match":
		return match(string(q.Pattern), string(q.Name))
	case "frontmatter":
		return frontmatter(q.Note)
	case "cron":
		return schedule(string(q.Expr), time.Unix(q.From, 0).UTC())
	}
	log.Fatalf("no such op: %q", q.Op)
	return
}

func match(pattern, name string) answer {
	matched, err := doublestar.Match(pattern, name)
	return answer{Match: matched && err == nil, Bad: err != nil}
}

func frontmatter(note []byte) answer {
	context := parser.NewContext()
	markdown.Parser().Parse(text.NewReader(note), parser.WithContext(context))
	values := meta.Get(context)
	a := answer{Metadata: values != nil}
	for key, value := range values {
		a.Values = append(a.Values, [2][]byte{[]byte(key), []byte(fmt.Sprintf("%v", value))})
	}
	sort.Slice(a.Values, func(i, j int) bool { return string(a.Values[i][0]) < string(a.Values[j][0]) })
	return a
}

func schedule(expr string, from time.Time) answer {
	s, err := schedules.Parse(expr)
	if err != nil {
		return answer{Error: err.Error()}
	}
	first := s.Next(from)
	if first.IsZero() {
		return answer{Next: []int64{0, 0}}
	}
	second := s.Next(first)
	if second.IsZero() {
		return answer{Next: []int64{first.Unix(), 0}}
	}
	return answer{Next: []int64{first.Unix(), second.Unix()}}
}
