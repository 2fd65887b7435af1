# The one entry; every step is a script in scripts/ that also runs alone.
.DEFAULT_GOAL := help
.PHONY: help setup demo test package size bench dts fmt clean

help: ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

setup: ## install what the build and the tests need
	@scripts/setup

demo: ## build the demo and serve it (make demo PORT=4173)
	@PORT=$(PORT) scripts/demo

test: ## run every check
	@scripts/check

package: ## build the npm package, target/sluice-agent.tgz
	@scripts/setup --no-tests
	@scripts/package

size: package ## build the package, print its sizes, compare them with the budget
	@scripts/size

bench: package ## run the benchmarks on the package
	@scripts/setup
	@scripts/bench

dts: package ## accept the generated declarations as the reference
	@scripts/dts --accept

fmt: ## format the Rust code
	@scripts/fmt

clean: ## delete what was built; installed tools and packages stay
	rm -rf target www/dist
