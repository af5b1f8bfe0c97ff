module fleetlint/oracle

go 1.19

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/robfig/cron/v3 v3.0.1
	github.com/yuin/goldmark v1.7.8
	github.com/yuin/goldmark-meta v1.1.0
)

require gopkg.in/yaml.v2 v2.4.0 // indirect
